//===- ElementBuilder.h - The formulas of attention, element by element -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_ELEMENTBUILDER_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_ELEMENTBUILDER_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::attn {

/// Position (b, h, i, j) of a score inside the problem.
struct ScorePosition {
  mlir::Value batch, head, query, key;
};

/// What a batch says about keys: the length `Lk` in positions of the whole, and the diagonal `off` where the op names
/// one.
struct KeyBounds {
  mlir::Value length, diagonal;
};

/// Builds scalar arithmetic of `type` (f32 or f64), and the softmax over keys or over parts.
class SoftmaxBuilder {
public:
  explicit SoftmaxBuilder(mlir::FloatType type) : type(type) {}

  mlir::FloatType getType() const { return type; }
  /// A constant of the computation.
  mlir::Value constant(mlir::ImplicitLocOpBuilder &b, double value) const;
  mlir::Value minusInfinity(mlir::ImplicitLocOpBuilder &b) const;
  /// `value`, any float, in the type of the computation.
  mlir::Value toCompute(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const;
  /// `value` rounded or extended to the float type `target`.
  static mlir::Value convert(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Type target);
  /// Element of a tensor or memref, as it is stored.
  static mlir::Value load(mlir::ImplicitLocOpBuilder &b, mlir::Value shaped, mlir::ValueRange indices);
  /// Where dimension `position` of an operand is read at `coordinate`: a dimension of size 1 is repeated.
  static mlir::Value getBroadcastIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value shaped, int64_t position,
                                       mlir::Value coordinate);
  /// Element of an operand whose dimensions may be 1, and are then repeated.
  static mlir::Value loadBroadcast(mlir::ImplicitLocOpBuilder &b, mlir::Value shaped, mlir::ValueRange indices);
  /// Size of a dimension of a tensor or memref.
  static mlir::Value dim(mlir::ImplicitLocOpBuilder &b, mlir::Value shaped, int64_t index);

  /// Whether `value` is minus infinity: a maximum of an empty row, a score that is not kept, an empty part.
  mlir::Value isMinusInfinity(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const;
  /// exp(value - max); 0 in an empty row.
  mlir::Value buildWeight(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value max) const;
  /// value / sum; 0 in an empty row.
  mlir::Value buildQuotient(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value max, mlir::Value sum) const;
  /// max + log(sum); minus infinity in an empty row.
  mlir::Value buildLogSum(mlir::ImplicitLocOpBuilder &b, mlir::Value max, mlir::Value sum) const;

protected:
  mlir::FloatType type;
};

/// Builds the scalar formulas of an attention op literally. Every form of the reference is made of these:
/// `attn-decompose` and the judge.
class ElementBuilder : public SoftmaxBuilder {
public:
  /// `mapping` says what stands for the op's operands and captures where the code is built, tensors for tensors or
  /// memrefs; what it does not map stands for itself.
  ElementBuilder(AttentionOp op, const mlir::IRMapping &mapping, mlir::FloatType type)
      : SoftmaxBuilder(type), op(op), mapping(mapping) {}

  /// What stands for `host`; null for null.
  mlir::Value lookup(mlir::Value host) const { return host ? mapping.lookupOrDefault(host) : host; }

  KeyBounds buildKeyBounds(mlir::ImplicitLocOpBuilder &b, mlir::Value batch);
  /// `sink[h]`, or minus infinity where there is no sink.
  mlir::Value buildSink(mlir::ImplicitLocOpBuilder &b, mlir::Value head);
  /// `u[i,j]` from the dot product of query and key: the scaled, modified and biased score, or minus infinity where it
  /// is not kept. Nothing is read, and no region runs, at or past `Lk`.
  mlir::Value buildMaskedScore(mlir::ImplicitLocOpBuilder &b, mlir::Value dot, ScorePosition position,
                               KeyBounds bounds);

private:
  mlir::Value buildScale(mlir::ImplicitLocOpBuilder &b);
  mlir::Value buildScore(mlir::ImplicitLocOpBuilder &b, mlir::Value dot, mlir::ValueRange whole);
  mlir::Value buildKeep(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange whole, KeyBounds bounds);
  mlir::Value buildBand(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange whole, mlir::Value diagonal);
  llvm::SmallVector<mlir::Value, 4> toWhole(mlir::ImplicitLocOpBuilder &b, ScorePosition position);

  AttentionOp op;
  const mlir::IRMapping &mapping;
};

/// Whether the pair at `whole` is kept by a map of blocks of `sizes` queries and keys, and in partial blocks by `own`,
/// what the other masks say of it (null: they keep it).
mlir::Value buildKeptByMap(mlir::ImplicitLocOpBuilder &b, mlir::Value map, llvm::ArrayRef<int64_t> sizes,
                           mlir::ValueRange whole, mlir::Value own);

/// Makes a map of blocks, and `mask`, an operand [B or 1, Hq or 1, Sq or 1, Skv or 1] or null, a part of the region of
/// a mask, which may be empty.
void inlineBlockMap(mlir::Region &maskMod, mlir::Location loc, mlir::Value map, llvm::ArrayRef<int64_t> sizes,
                    mlir::Value mask);
/// The same for the operands `block_map` and `mask` of an op; nothing where it has no map.
void inlineBlockMap(AttentionOp op);

/// Clones a score_mod or mask_mod region to the builder's position with `arguments` and returns what it yields. With
/// `type` f64, f32 values of the region become f64: its arithmetic is then done at that precision. Captured constants
/// are cloned; reads of a captured tensor that `mapping` maps to a memref become reads of the memref.
mlir::Value inlineRegion(mlir::ImplicitLocOpBuilder &b, mlir::Region &region, mlir::ValueRange arguments,
                         const mlir::IRMapping &mapping, mlir::FloatType type);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_ELEMENTBUILDER_H
