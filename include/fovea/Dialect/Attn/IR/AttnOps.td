//===- AttnOps.td - Operations of the attn dialect ----------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD

include "fovea/Dialect/Attn/IR/AttnAttrs.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class Attn_Op<string mnemonic, list<Trait> traits = []> : Op<Attn_Dialect, mnemonic, traits>;

/// A ranked tensor or a strided memref.
def Attn_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef], "ranked tensor or strided memref",
                            "::mlir::ShapedType">;

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

def Attn_AttentionOp : Attn_Op<"attention", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    SingleBlockImplicitTerminator<"::fovea::attn::YieldOp">, RecursivelySpeculatable
  ]> {
  let summary = "Scaled dot-product attention";
  let arguments = (ins
    Attn_Shaped:$query, Attn_Shaped:$key, Attn_Shaped:$value,
    Optional<F32>:$scale,
    Optional<Attn_Shaped>:$bias,
    Optional<Attn_Shaped>:$mask,
    Optional<Attn_Shaped>:$sink,
    Optional<Attn_Shaped>:$kv_lengths,
    Optional<AnyType>:$offset,
    Variadic<Index>:$base,
    Attn_Shaped:$output,
    Optional<Attn_Shaped>:$lse,
    OptionalAttr<F32Attr>:$static_scale,
    UnitAttr:$causal,
    OptionalAttr<Attn_DiagonalAttr>:$diagonal,
    OptionalAttr<I64Attr>:$window_left,
    OptionalAttr<I64Attr>:$window_right,
    UnitAttr:$allow_tf32,
    UnitAttr:$allow_approx,
    UnitAttr:$allow_nondeterminism,
    OptionalAttr<Attn_StrategyAttr>:$strategy);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$score_mod, MaxSizedRegion<1>:$mask_mod);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();

    // Logical dimensions; `ShapedType::kDynamic` where they are not static.
    ::mlir::ShapedType getQueryType() { return ::llvm::cast<::mlir::ShapedType>(getQuery().getType()); }
    ::mlir::ShapedType getKeyType() { return ::llvm::cast<::mlir::ShapedType>(getKey().getType()); }
    ::mlir::ShapedType getValueType() { return ::llvm::cast<::mlir::ShapedType>(getValue().getType()); }
    ::mlir::ShapedType getOutputType() { return ::llvm::cast<::mlir::ShapedType>(getOutput().getType()); }
    int64_t getBatch() { return getQueryType().getDimSize(0); }
    int64_t getNumQueryHeads() { return getQueryType().getDimSize(1); }
    int64_t getNumKVHeads() { return getKeyType().getDimSize(1); }
    int64_t getQueryLength() { return getQueryType().getDimSize(2); }
    int64_t getKVLength() { return getKeyType().getDimSize(2); }
    /// Depth of queries and keys; static.
    int64_t getQKDepth() { return getQueryType().getDimSize(3); }
    /// Depth of values and of the output; static.
    int64_t getVDepth() { return getValueType().getDimSize(3); }

    bool hasScoreMod() { return !getScoreMod().empty(); }
    bool hasMaskMod() { return !getMaskMod().empty(); }
    bool hasWindow() { return getWindowLeft().has_value() || getWindowRight().has_value(); }
    /// Whether the op works on memrefs (and so has no results).
    bool hasPureBufferSemantics() { return ::llvm::isa<::mlir::MemRefType>(getOutput().getType()); }
    /// The scale if it is known at compile time: the attribute, or 1/sqrt(Dqk) where neither attribute nor operand is given.
    std::optional<float> getConstantScale();
    /// Values from outside that the two regions use, each once, in order of first use (score_mod before mask_mod).
    ::llvm::SmallVector<::mlir::Value> getCaptures();
  }];
}

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

def Attn_CombineOp : Attn_Op<"combine", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
  ]> {
  let summary = "Merges attention over disjoint sets of keys";
  let arguments = (ins
    Attn_Shaped:$partial_outputs, Attn_Shaped:$partial_lses, Optional<Attn_Shaped>:$sink,
    Attn_Shaped:$output, Optional<Attn_Shaped>:$lse);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
  }];
}

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator, ParentOneOf<["AttentionOp"]>]> {
  let summary = "Ends a score_mod (f32) or mask_mod (i1) region";
  let arguments = (ins Optional<AnyType>:$value);
  let builders = [OpBuilder<(ins), [{ /* for the implicit terminator */ }]>];
  let assemblyFormat = "($value^ `:` type($value))? attr-dict";
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD
