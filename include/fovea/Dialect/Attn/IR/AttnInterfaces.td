//===- AttnInterfaces.td - Interfaces of the attn dialect -----*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNINTERFACES_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNINTERFACES_TD

include "mlir/IR/OpBase.td"

def Attn_MaskOpInterface : OpInterface<"MaskOpInterface"> {
  let description = [{
    An op with the masks of attention: what says which pairs of a query and a key are kept. Operands and attributes mean what they
    mean for `attn.attention`; those that are absent are null.
  }];
  let cppNamespace = "::fovea::attn";
  let methods = [
    InterfaceMethod<"Has the shape [B, Hq, Sq, _].", "::mlir::Value", "getQuery">,
    InterfaceMethod<"Has the shape [B, Hkv, Skv, _].", "::mlir::Value", "getKey">,
    InterfaceMethod<"The tensor of what is kept.", "::mlir::Value", "getMask">,
    InterfaceMethod<"The number of valid keys of each batch element.", "::mlir::Value", "getKvLengths">,
    InterfaceMethod<"The offset of the diagonal.", "::mlir::Value", "getOffset">,
    InterfaceMethod<"Where the op lies in a larger one: nothing, or four indices.", "::mlir::OperandRange", "getBase">,
    InterfaceMethod<"Whether a query keeps no key past the diagonal.", "bool", "getCausal">,
    InterfaceMethod<"Where the diagonal lies.", "std::optional<::fovea::attn::Diagonal>", "getDiagonal">,
    InterfaceMethod<"Keys to the left of the diagonal.", "std::optional<uint64_t>", "getWindowLeft">,
    InterfaceMethod<"Keys to the right of the diagonal.", "std::optional<uint64_t>", "getWindowRight">,
    InterfaceMethod<"The region of what is kept; may be empty.", "::mlir::Region &", "getMaskMod">,
    InterfaceMethod<"Whether there is such a region.", "bool", "hasMaskMod">,
    InterfaceMethod<"The size of a block.", "std::optional<::fovea::attn::StrategyAttr>", "getStrategy">
  ];
  let extraSharedClassDeclaration = [{
    /// Keys to the right of the diagonal that causal and window leave; none where they don't bound them. Causal is the
    /// closer bound: that of a window is not negative.
    std::optional<int64_t> getRightBound() {
      if ($_op.getCausal())
        return 0;
      return $_op.getWindowRight();
    }
    bool isBoundedOnRight() { return getRightBound().has_value(); }
    /// Whether causal or a window bounds the keys of a query.
    bool hasBand() { return isBoundedOnRight() || $_op.getWindowLeft(); }
  }];
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNINTERFACES_TD
