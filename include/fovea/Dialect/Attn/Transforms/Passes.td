//===- Passes.td - Passes of the attn dialect ---------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD
#define FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnPlan : Pass<"attn-plan", "::mlir::ModuleOp"> {
  let summary = "Plans attention ops for a target and outlines their kernels";
  let description = [{
    Asks the target for the variants of each `attn.attention` op outside kernels (`Target::plan`), outlines one kernel
    function per variant (two with `split_kv`: the parts, then `attn.combine`) and records the plan on the op.

    Before:
    ```mlir
    func.func @f(%q: tensor<2x8x?x64xbf16>, ...) -> tensor<2x8x?x64xbf16> {
      ...
      %o = attn.attention ins(%q, %k, %v : ...) causal(bottom_right) outs(%init : ...)
      return %o : tensor<2x8x?x64xbf16>
    }
    ```
    After:
    ```mlir
    func.func @f(...) -> tensor<2x8x?x64xbf16> {
      %o = attn.attention ins(%q, %k, %v : ...) causal(bottom_right) outs(%init : ...)
             {attn.plan = [#attn.variant<name = "tiled", kernels = [@f_attn0_tiled]>]}
    }
    func.func private @f_attn0_tiled(%q: memref<2x8x?x64xbf16, strided<[?, ?, ?, ?], offset: ?>>
                                       {attn.source = #attn.source<operand = 0>}, ...)
        attributes {attn.launch = #attn.launch<grid = ...>} {
      attn.attention ins(%q, ...) causal(bottom_right) outs(%o : ...) {strategy = #attn.strategy<...>}
      return
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"", "Target to plan for: `cpu`, a CPU name or a chip (`sm_80`)">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD
