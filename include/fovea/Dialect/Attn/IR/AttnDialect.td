//===- AttnDialect.td - The attn dialect --------------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNDIALECT_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNDIALECT_TD

include "mlir/IR/DialectBase.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::fovea::attn";
  let summary = "What attention to compute";
  let description = [{
    The `attn` dialect says *what* attention computes and nothing about how: one operation, `attn.attention`,
    holds the whole function (masks, scores, lengths, sinks), on tensors or on memrefs. Targets turn it into
    kernels; `attn-decompose` turns it into plain `linalg`.

    `docs/semantics.md` is the contract that every target keeps, `docs/Dialects/Attn/RationaleAttn.md` says why the
    dialect is as it is.

    The attributes of the plan (`#attn.variant`, `#attn.launch`, `#attn.source`, `#attn.strategy`) are how `attn-plan` and the
    targets talk to each other and to the artifact writer; a user writes `#attn.strategy` at most.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::mlir::memref::MemRefDialect",
    "::mlir::affine::AffineDialect"
  ];
  let extraClassDeclaration = [{
    /// Discardable attribute on a kernel function: its `#attn.launch`.
    static constexpr ::llvm::StringLiteral getLaunchAttrName() { return "attn.launch"; }
    /// Discardable attribute on an argument of a kernel function: its `#attn.source`.
    static constexpr ::llvm::StringLiteral getSourceAttrName() { return "attn.source"; }
    /// Discardable attribute on a kernel function after lowering: its array of `#attn.tensor_map`, one for each of the
    /// function's last parameters.
    static constexpr ::llvm::StringLiteral getTensorMapsAttrName() { return "attn.tensor_maps"; }
    /// Discardable attribute on an attention or combine op of a host function: its array of `#attn.variant`.
    static constexpr ::llvm::StringLiteral getPlanAttrName() { return "attn.plan"; }
  }];
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNDIALECT_TD
