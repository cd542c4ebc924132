//===- Passes.td - Passes of the CPU target -----------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_CPU_PASSES_TD
#define FOVEA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CPUVerifyLowered : Pass<"attn-cpu-verify-lowered", "::mlir::ModuleOp"> {
  let summary = "Refuses kernels that are not in upstream dialects yet";
  let description = [{
    The passes that follow know neither tiles nor attention: they would fail at an op that they made themselves, or leave a kernel
    unlowered. The IR is the same before and after. Task numbers (`attn_tile.program_id`) are allowed, since `attn-cpu-kernel-entry`
    lowers them, and a host function keeps its attention.

    ```mlir
    func.func @k(...) attributes {attn.launch = #attn.launch<grid = ...>} {
      // error: is at the tile level; attn-tile-to-cpu comes before attn-cpu-to-llvm
      %0 = attn_tile.load %q[%b, %h, %i, %c0] ...
    }
    ```
  }];
}

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

def CPUExpandOps : Pass<"attn-cpu-expand-ops"> {
  let summary = "Rewrites ops whose lowering would call a library";
  let description = [{
    * `arith.truncf` from f64 to f16 or bf16 (a call in LLVM on most CPUs) rounds by f64 arithmetic first:

      ```mlir
      %h = arith.truncf %x : f64 to f16
      ```
      becomes
      ```mlir
      ... %r: %x rounded to the precision of f16, as an f64
      %s = arith.truncf %r : f64 to f32
      %h = arith.truncf %s : f32 to f16
      ```
    * `memref.copy` of a buffer that is not contiguous (a call of MLIR's runtime) becomes a `linalg.generic`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::linalg::LinalgDialect"];
}

def CPUJudge : Pass<"attn-cpu-judge", "::mlir::ModuleOp"> {
  let summary = "Makes the float64 reference of each attention op as a kernel function";
  let description = [{
    For each `attn.attention` outside kernels, in order, adds a kernel function `@<function>_judge<N>` that computes the
    op in float64, row by row: the results, and the quantities of their tolerance. Its arguments are the op's operands without
    the destinations, the captures, and five f64 buffers; `fovea/Target/CPU/Judge.h` says what they hold.

    ```mlir
    func.func @f(%q: tensor<2x8x?x64xbf16>, ...) {
      %o = attn.attention ins(%q, %k, %v : ...) outs(%init : ...)
    }
    ```
    gains
    ```mlir
    func.func private @f_judge0(%q: memref<2x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>> {attn.source = #attn.source<operand = 0>},
                                ..., %o: memref<2x8x?x64xf64, ...> {attn.source = #attn.source<temporary = 0>}, ...)
        attributes {attn.launch = #attn.launch<grid = ... B * Hq * (Sq ceildiv 16)>> {
      %task = attn_tile.program_id : index
      ...
    }
    ```
  }];
  let options = [
    Option<"eraseFunctions", "erase-functions", "bool", /*default=*/"false",
           "Erase the functions that the ops stand in, so that judges alone are compiled">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::fovea::tile::TileDialect"];
}

def TileToCPU : Pass<"attn-tile-to-cpu", "::mlir::func::FuncOp"> {
  let summary = "Lowers tiles to loops of vector code over scratch memory";
  let description = [{
    A tile of one task is too large for registers. Tiles that a product, another phase or another block reads are kept
    in scratch (static `memref.alloc`s at the start of the function); all others exist as vectors only, inside the loop
    of the value that needs them. Products become register-tiled FMA kernels, elementwise work between two products
    becomes one loop over groups of rows.

    ```mlir
    %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : tensor<96x64xf32>, tensor<128x64xf32> -> tensor<96x128xf32>
    %m = attn_tile.row_reduce max %s, %m0 : tensor<96x128xf32> -> tensor<96xf32>
    ```
    becomes
    ```mlir
    scf.for %panel = ... { scf.for %key = ... { scf.for %d = ... { vector.fma ... } vector.store ... } }
    scf.for %panel = ... { %m:3 = scf.for %key = ... { arith.maxnumf ... } vector.store ... }
    ```

    `lib/Target/CPU/README.md` has the layouts and the order of the loops.
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", "8", "f32 elements of a vector register">,
    Option<"numRegisters", "num-registers", "int64_t", "16", "number of vector registers">,
    Option<"hasFMA", "fma", "bool", "true", "multiply and add in one instruction">,
    Option<"hasBF16Vectors", "bf16-vectors", "bool", "false", "products of pairs of bf16 by vectors of 512 bits">,
    Option<"hasBF16Tiles", "bf16-tiles", "bool", "false",
           "products of pairs of bf16 by tile registers; `bf16-vectors` must be on too">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::amx::AMXDialect",
                           "::mlir::x86vector::X86VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def CPUExpandMath : Pass<"attn-cpu-expand-math"> {
  let summary = "Expands math functions and float conversions to arithmetic";
  let description = [{
    Replaces the functions of `math` on f32 scalars and vectors, which would become calls of the C library, by
    polynomials, and conversions between f32 and the 16-bit floats that the processor lacks by integer arithmetic.

    ```mlir
    %y = math.exp2 %x : vector<8xf32>
    ```
    becomes the polynomial of the fraction of `%x`, scaled by the power of two of its whole part.
  }];
  let options = [
    Option<"hasF16C", "f16c", "bool", "true", "f16 conversions in hardware">,
    Option<"hasFMA", "fma", "bool", "true", "multiply and add in one instruction">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

#endif // FOVEA_TARGET_CPU_PASSES_TD
