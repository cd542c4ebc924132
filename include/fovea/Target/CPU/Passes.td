//===- Passes.td - Passes of the CPU target -----------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_PASSES_TD
#define FOVEA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CPUKernelEntry : Pass<"attn-cpu-kernel-entry", "::mlir::ModuleOp"> {
  let summary = "Gives each kernel function the entry that a CPU launch calls";
  let description = [{
    A kernel function (`attn.launch`) becomes a private task function and an entry with the kernel's name, the one
    symbol that code exports: `void name(const uint64_t *words, int64_t begin, int64_t end, void *scratch)`. The entry
    unpacks the 8-byte words of each argument (a memref descriptor: allocated pointer, aligned pointer, offset, sizes,
    strides; a scalar is the low bits of one word) and runs the tasks `[begin, end)`.

    A task runs on a stack of 64 KiB. Static `memref.alloc`s become views of the scratch memory at 128-byte aligned
    offsets, their `memref.dealloc`s vanish, and `scratch_bytes` of `attn.launch` is set. Static `memref.alloca`s do the
    same, except that the first 4 KiB stay on the stack (moved to the entry block). An `alloca` of dynamic size is
    refused; an `alloc` of dynamic size stays a call of `malloc`.

    ```mlir
    func.func @k(%x: memref<?xf32>, %f: f32) attributes {attn.launch = #attn.launch<grid = ...>} {
      %t = attn_tile.program_id : index
      %s = memref.alloc() : memref<64xf32>
      ...
    }
    ```
    becomes
    ```mlir
    func.func private @k_task(%x: memref<?xf32>, %f: f32, %t: index, %scratch: !llvm.ptr {llvm.noalias}) {
      %bytes = builtin.unrealized_conversion_cast ... : !llvm.struct<...> to memref<256xi8>
      %s = memref.view %bytes[%c0][] : memref<256xi8> to memref<64xf32>
      ...
    }
    func.func @k(%words: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr {llvm.noalias})
        attributes {attn.launch = #attn.launch<grid = ..., scratch_bytes = 256>} {
      ... scf.for %t = %b to %e step %c1 { call @k_task(%x, %f, %t, %scratch) }
    }
    ```
    The descriptors are values of the LLVM dialect behind casts that `reconcile-unrealized-casts` folds, so the pass runs
    before the conversion of functions and memrefs.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // FOVEA_TARGET_CPU_PASSES_TD
