//===- Regions.h - Builders of mask and score regions -------*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks and score functions by their usual names, and what makes new ones of them:
//
//   setMaskMod(builder, op, allOf(documentMask(documents), anyOf(causalMask(), prefixLMMask(lengths))));
//   setScoreMod(builder, op, chain(alibi(slopes), softcap(30.0)));
//
// A function builds its operations at the builder's position each time that it is called, and may be used for any
// number of ops. Values that it holds (tables, lengths) are tensors or memrefs and must dominate the op.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_UTILS_REGIONS_H
#define FOVEA_DIALECT_ATTN_UTILS_REGIONS_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <functional>

namespace fovea::attn {

/// The indices of a pair, as regions see them.
struct PairIndices {
  mlir::Value batch, head, query, key;
};

/// Builds an i1: whether the pair is kept.
using MaskFunction = std::function<mlir::Value(mlir::ImplicitLocOpBuilder &, const PairIndices &)>;
/// Builds the f32 that takes the place of a score.
using ScoreFunction = std::function<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value, const PairIndices &)>;

/// Makes `mask` the mask region of `op`, in place of one that is there.
void setMaskMod(mlir::OpBuilder &builder, AttentionOp op, const MaskFunction &mask);
/// Makes `score` the score region of `op`, in place of one that is there.
void setScoreMod(mlir::OpBuilder &builder, AttentionOp op, const ScoreFunction &score);

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

/// Keeps the pairs that both keep.
MaskFunction allOf(MaskFunction lhs, MaskFunction rhs);
/// Keeps the pairs that either keeps.
MaskFunction anyOf(MaskFunction lhs, MaskFunction rhs);
/// Keeps the pairs that `mask` does not keep.
MaskFunction notOf(MaskFunction mask);
/// `second(first(s))`.
ScoreFunction chain(ScoreFunction first, ScoreFunction second);
/// `score(s)` where `mask` keeps the pair, `s` elsewhere.
ScoreFunction where(MaskFunction mask, ScoreFunction score);

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// `j <= i + offset`; a null offset (an index) is 0.
MaskFunction causalMask(mlir::Value offset = {});
/// `i - left <= j <= i + right`.
MaskFunction slidingWindowMask(int64_t left, int64_t right = 0);
/// At most `reach` positions apart, or one of the two below `globals`.
MaskFunction localGlobalMask(int64_t reach, int64_t globals);
/// `j < lengths[b]`, to be joined with causal; lengths are [B] integers.
MaskFunction prefixMask(mlir::Value lengths);
/// Causal, or within the prefix.
MaskFunction prefixLMMask(mlir::Value lengths);
/// `documents[b, i] == documents[b, j]`; documents are [B, S] integers.
MaskFunction documentMask(mlir::Value documents);
/// `i` and `j` are in one chunk of `size` positions.
MaskFunction chunkedMask(int64_t size);
/// `i - j` is a multiple of `dilation`.
MaskFunction dilatedMask(int64_t dilation);
/// Causal: the last `stride` keys, and the last `summary` of every `stride` keys.
MaskFunction stridedMask(int64_t stride, int64_t summary);
/// `table[i / block, j / block]`; the table is [blocks, blocks] of i1.
MaskFunction blockSparseMask(mlir::Value table, int64_t block);
/// Keys before `past` (an index), and `ancestors[b, i, j - past]` of i1 from there.
MaskFunction treeMask(mlir::Value ancestors, mlir::Value past);
/// The `2 * reach + 1` squared positions around a query on an image of `height` x `width` (indices), moved inwards at
/// the borders.
MaskFunction neighbourhoodMask(mlir::Value height, mlir::Value width, int64_t reach);

//===----------------------------------------------------------------------===//
// Score functions
//===----------------------------------------------------------------------===//

/// `cap * tanh(s / cap)`; the op's `allow_approx` allows the hardware's tanh.
ScoreFunction softcap(double cap);
/// `s - slopes[h] * (i + offset - j)`; slopes are [H] of f32, a null offset is 0.
ScoreFunction alibi(mlir::Value slopes, mlir::Value offset = {});
/// `s + table[h, j - i + last]` with a table [H, distances] of f32 and the index of distance 0 (an index).
ScoreFunction t5Bias(mlir::Value table, mlir::Value last);
/// T5's causal buckets: `s + weights[bucket(i - j), h]`; weights are [buckets, H] of f32. Half of the buckets hold a
/// distance each, the others share what is below `maxDistance` by its logarithm.
ScoreFunction t5BucketBias(mlir::Value weights, int64_t buckets = 32, int64_t maxDistance = 128);
/// `s / temperatures[h]`, [H] of f32.
ScoreFunction headTemperature(mlir::Value temperatures);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_UTILS_REGIONS_H
