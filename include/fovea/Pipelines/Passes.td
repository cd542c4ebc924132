//===- Passes.td - Passes that use the whole compiler -*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PIPELINES_PASSES_TD
#define FOVEA_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnHandOver : Pass<"attn-hand-over", "::mlir::ModuleOp"> {
  let summary = "Replaces attention in a module with other code by launches of its kernels";
  let description = [{
    Compiles every `attn.attention` of the module for a target and replaces it by code that selects a variant, allocates
    what it needs and launches its kernels. All other ops stay as they are, registered or not. `docs/handover.md` is
    about where the pass goes in a pipeline.

    * On a GPU the kernels of a function become a `gpu.binary`, and the op `gpu.launch_func`s in the order of a token,
      waited for at the end. Operands are memory that the device sees. Kernels with tensor maps, which a launch must make,
      are not planned: a target with warpgroup products uses its other ones.
    * On the CPU they become internal `llvm.func`s of the module, and the op calls them; with `threads` above 1 in an
      `scf.parallel` of as many workers, which runs in parallel where that is lowered so (`convert-scf-to-openmp`).

    On tensors, operands are read through `bufferization.to_buffer`, and the result is a fresh `bufferization.alloc_tensor`.
    After `one-shot-bufferize` the op is on memrefs and writes its destination in place.

    New symbols take free names. A function with an op that cannot be compiled is left as it is, with one warning; with
    `strict` that is an error. So does attention in a region that runs on a device (`gpu.launch`) or that an unregistered op
    has. `attn.combine` becomes a launch of a kernel that merges.

    With `via-runtime` the module gets an artifact for each different op instead, and an op becomes a call of the C runtime
    (`fovea_embedded_run_or_abort`, or the function that `runtime-call` names), which has all variants.

    Before:
    ```mlir
    func.func @f(%q: memref<2x8x?x64xf16>, %k: memref<2x8x?x64xf16>, %o: memref<2x8x?x64xf16>) {
      attn.attention ins(%q, %k, %k : ...) outs(%o : memref<2x8x?x64xf16>)
      "other.op"() : () -> ()
      return
    }
    ```
    After, for `sm_80`:
    ```mlir
    gpu.binary @f_attn [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "...">]
    func.func @f(%q: memref<2x8x?x64xf16>, %k: memref<2x8x?x64xf16>, %o: memref<2x8x?x64xf16>) {
      %length = memref.dim %q, %c2 : memref<2x8x?x64xf16>
      %some = arith.cmpi sgt, %length, %c0 : index
      scf.if %some {
        %aligned = arith.cmpi sge, %alignment, %c16 : index
        scf.if %aligned {
          %t0 = gpu.wait async
          %t1 = gpu.launch_func async [%t0] @f_attn::@f_attn0_aligned blocks in (%n, %c1, %c1) threads in (%c128, %c1, %c1)
                  dynamic_shared_memory_size %bytes args(%q, %k, %k, %o : memref<2x8x?x64xf16, strided<[?, ?, ?, ?], offset: ?>>, ...)
          gpu.wait [%t1]
        } else { ... }
      }
      "other.op"() : () -> ()
      return
    }
    ```
  }];
  let options = [
    ListOption<"targets", "target", "std::string",
               "Target to plan for: `cpu`, a CPU name or a chip (`sm_80`); several with via-runtime",
               "llvm::cl::list_init<std::string>({\"cpu\"})">,
    Option<"threads", "threads", "int64_t", "1", "Workers of the CPU, or multiprocessors of the GPU, up to 65536">,
    Option<"withMachineCode", "machine-code", "bool", "false", "Machine code for one chip instead of PTX (needs ptxas)">,
    Option<"strict", "strict", "bool", "false", "A function that cannot be compiled is an error">,
    Option<"viaRuntime", "via-runtime", "bool", "false", "Calls of the runtime instead of launches">,
    Option<"runtimeCall", "runtime-call", "std::string", "\"fovea_embedded_run_or_abort\"",
           "The C function that calls of the runtime go to; needs via-runtime">
  ];
}

#endif // FOVEA_PIPELINES_PASSES_TD
