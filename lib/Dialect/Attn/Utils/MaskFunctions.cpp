//===- MaskFunctions.cpp - Masks by their usual names -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionArith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea::attn;
using Predicate = arith::CmpIPredicate;

MaskFunction fovea::attn::causalMask(Value offset) {
  return [=](RegionBuilder &b, const PairIndices &pair) {
    return compare(b, Predicate::sle, pair.key, offset ? add(b, pair.query, offset) : pair.query);
  };
}

MaskFunction fovea::attn::slidingWindowMask(int64_t left, int64_t right) {
  return [=](RegionBuilder &b, const PairIndices &pair) -> Value {
    Value below = compare(b, Predicate::sle, pair.key, add(b, pair.query, index(b, right)));
    Value above = compare(b, Predicate::sle, pair.query, add(b, pair.key, index(b, left)));
    return arith::AndIOp::create(b, below, above);
  };
}

/// `position < limit` for one of the two.
static MaskFunction globalMask(int64_t globals) {
  return [=](RegionBuilder &b, const PairIndices &pair) -> Value {
    Value limit = index(b, globals);
    Value query = compare(b, Predicate::slt, pair.query, limit), key = compare(b, Predicate::slt, pair.key, limit);
    return arith::OrIOp::create(b, query, key);
  };
}

MaskFunction fovea::attn::localGlobalMask(int64_t reach, int64_t globals) {
  return anyOf(slidingWindowMask(reach, reach), globalMask(globals));
}

MaskFunction fovea::attn::prefixMask(Value lengths) {
  return [=](RegionBuilder &b, const PairIndices &pair) {
    return compare(b, Predicate::slt, pair.key, toIndex(b, read(b, lengths, pair.batch)));
  };
}

MaskFunction fovea::attn::prefixLMMask(Value lengths) { return anyOf(prefixMask(lengths), causalMask()); }

MaskFunction fovea::attn::documentMask(Value documents) {
  return [=](RegionBuilder &b, const PairIndices &pair) {
    Value mine = read(b, documents, {pair.batch, pair.query}), other = read(b, documents, {pair.batch, pair.key});
    return compare(b, Predicate::eq, mine, other);
  };
}

MaskFunction fovea::attn::chunkedMask(int64_t size) {
  return [=](RegionBuilder &b, const PairIndices &pair) {
    Value divisor = index(b, size);
    Value mine = arith::DivUIOp::create(b, pair.query, divisor), other = arith::DivUIOp::create(b, pair.key, divisor);
    return compare(b, Predicate::eq, mine, other);
  };
}

MaskFunction fovea::attn::dilatedMask(int64_t dilation) {
  return [=](RegionBuilder &b, const PairIndices &pair) {
    Value divisor = index(b, dilation);
    Value mine = arith::RemUIOp::create(b, pair.query, divisor), other = arith::RemUIOp::create(b, pair.key, divisor);
    return compare(b, Predicate::eq, mine, other);
  };
}

MaskFunction fovea::attn::stridedMask(int64_t stride, int64_t summary) {
  MaskFunction summarises = [=](RegionBuilder &b, const PairIndices &pair) {
    Value rest = arith::RemUIOp::create(b, pair.key, index(b, stride));
    return compare(b, Predicate::uge, rest, index(b, stride - summary));
  };
  return allOf(causalMask(), anyOf(slidingWindowMask(stride - 1), summarises));
}

MaskFunction fovea::attn::blockSparseMask(Value table, int64_t block) {
  return [=](RegionBuilder &b, const PairIndices &pair) {
    Value divisor = index(b, block);
    Value row = arith::DivUIOp::create(b, pair.query, divisor), column = arith::DivUIOp::create(b, pair.key, divisor);
    return read(b, table, {row, column});
  };
}

MaskFunction fovea::attn::treeMask(Value ancestors, Value past) {
  return [=](RegionBuilder &b, const PairIndices &pair) -> Value {
    Value inTree = compare(b, Predicate::sge, pair.key, past);
    auto branch = scf::IfOp::create(b, b.getI1Type(), inTree, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, read(b, ancestors, {pair.batch, pair.query, sub(b, pair.key, past)}));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, arith::ConstantIntOp::create(b, 1, 1).getResult());
    return branch.getResult(0);
  };
}

/// Whether `key` lies at most `reach` from `query`, moved inwards from the ends of `size` positions.
static Value isNear(RegionBuilder &b, Value query, Value key, Value size, int64_t reach) {
  Value low = index(b, reach), high = sub(b, size, index(b, reach + 1));
  Value center = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, query, low), high);
  Value below = compare(b, Predicate::sle, key, add(b, center, low));
  Value above = compare(b, Predicate::sle, center, add(b, key, low));
  return arith::AndIOp::create(b, below, above);
}

MaskFunction fovea::attn::neighbourhoodMask(Value height, Value width, int64_t reach) {
  return [=](RegionBuilder &b, const PairIndices &pair) -> Value {
    auto row = [&](Value position) -> Value { return arith::DivUIOp::create(b, position, width); };
    auto column = [&](Value position) -> Value { return arith::RemUIOp::create(b, position, width); };
    Value vertical = isNear(b, row(pair.query), row(pair.key), height, reach);
    Value horizontal = isNear(b, column(pair.query), column(pair.key), width, reach);
    return arith::AndIOp::create(b, vertical, horizontal);
  };
}
