//===- AttnBuilder.cpp - Attention ops from their clauses -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/AttnBuilder.h"

using namespace mlir;
using namespace fovea::attn;

/// A result for each destination that is a tensor.
static SmallVector<Type> getResultTypes(ValueRange destinations) {
  SmallVector<Type> types;
  for (Value destination : destinations)
    if (destination && isa<RankedTensorType>(destination.getType()))
      types.push_back(destination.getType());
  return types;
}

static IntegerAttr getBound(OpBuilder &builder, std::optional<int64_t> bound) {
  return bound ? builder.getI64IntegerAttr(*bound) : IntegerAttr();
}

AttentionOp fovea::attn::buildAttention(OpBuilder &builder, Location loc, Value query, Value key, Value value,
                                        Value output, const AttentionClauses &clauses) {
  FloatAttr scale = clauses.staticScale ? builder.getF32FloatAttr(*clauses.staticScale) : FloatAttr();
  DiagonalAttr diagonal =
      clauses.diagonal ? DiagonalAttr::get(builder.getContext(), *clauses.diagonal) : DiagonalAttr();
  DenseI64ArrayAttr sizes =
      clauses.blockMap ? builder.getDenseI64ArrayAttr({clauses.mapQueries, clauses.mapKeys}) : DenseI64ArrayAttr();
  return AttentionOp::create(builder, loc, getResultTypes({output, clauses.lse}), query, key, value, clauses.scale,
                             clauses.bias, clauses.mask, clauses.sink, clauses.kvLengths, clauses.offset, clauses.base,
                             clauses.blockMap, /*block_list=*/Value(), output, clauses.lse, scale, clauses.causal,
                             diagonal, getBound(builder, clauses.windowLeft), getBound(builder, clauses.windowRight),
                             sizes,
                             /*allow_tf32=*/false, /*allow_approx=*/false, /*allow_nondeterminism=*/false,
                             /*strategy=*/StrategyAttr());
}

CombineOp fovea::attn::buildCombine(OpBuilder &builder, Location loc, Value partialOutputs, Value partialLses,
                                    Value sink, Value output, Value lse) {
  return CombineOp::create(builder, loc, getResultTypes({output, lse}), partialOutputs, partialLses, sink, output, lse);
}
