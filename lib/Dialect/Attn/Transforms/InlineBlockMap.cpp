//===- InlineBlockMap.cpp - Maps of blocks as mask regions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fovea::attn;

Value fovea::attn::buildKeptByMap(ImplicitLocOpBuilder &b, Value map, ArrayRef<int64_t> sizes, ValueRange whole,
                                  Value own) {
  SmallVector<Value> block;
  for (int64_t dim : {0, 1})
    block.push_back(SoftmaxBuilder::getBroadcastIndex(b, map, dim, whole[dim]));
  for (int64_t dim : {0, 1})
    block.push_back(arith::DivUIOp::create(b, whole[dim + 2], arith::ConstantIndexOp::create(b, sizes[dim])));
  Value state = SoftmaxBuilder::load(b, map, block);
  auto compare = [&](arith::CmpIPredicate predicate, int64_t value) -> Value {
    return arith::CmpIOp::create(b, predicate, state, arith::ConstantIntOp::create(b, value, 8));
  };
  Value kept = compare(arith::CmpIPredicate::ne, kNeverBlock);
  if (!own)
    return kept;
  Value isFull = compare(arith::CmpIPredicate::eq, kFullBlock);
  return arith::AndIOp::create(b, kept, arith::OrIOp::create(b, own, isFull));
}

void fovea::attn::inlineBlockMap(Region &maskMod, Location loc, Value map, ArrayRef<int64_t> sizes, Value mask) {
  OpBuilder builder(map.getContext());
  Value own;
  YieldOp yield;
  if (maskMod.empty()) {
    builder.createBlock(&maskMod, {}, SmallVector<Type>(4, builder.getIndexType()), SmallVector<Location>(4, loc));
  } else {
    yield = cast<YieldOp>(maskMod.front().getTerminator());
    own = yield.getValue();
    builder.setInsertionPoint(yield);
  }
  ImplicitLocOpBuilder b(loc, builder);
  if (mask) {
    Value element = SoftmaxBuilder::loadBroadcast(b, mask, maskMod.getArguments());
    own = own ? arith::AndIOp::create(b, own, element).getResult() : element;
  }
  Value kept = buildKeptByMap(b, map, sizes, maskMod.getArguments(), own);
  if (yield)
    yield.getValueMutable().assign(kept);
  else
    YieldOp::create(b, kept);
}

void fovea::attn::inlineBlockMap(AttentionOp op) {
  if (!op.getBlockMap())
    return;
  inlineBlockMap(op.getMaskMod(), op.getLoc(), op.getBlockMap(), *op.getBlockMapSizes(), op.getMask());
  op.getBlockMapMutable().clear();
  op.removeBlockMapSizesAttr();
  op.getMaskMutable().clear();
}
