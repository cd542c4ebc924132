//===- ProblemValues.cpp - The problem symbols of an op as values -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemValues.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace fovea;
using attn::ProblemSymbol;

/// The largest alignment that the symbol `align` can have.
static constexpr int64_t kMaxAlignment = 128;

ProblemValues::ProblemValues(ImplicitLocOpBuilder &b, Operation *op, ArrayRef<Value> buffers, int64_t threads)
    : b(b), threads(threads), symbols(attn::kNumProblemSymbols) {
  if (auto combine = dyn_cast<attn::CombineOp>(op)) {
    queries = buffers[combine.getOutputMutable().getOperandNumber()];
    aligned = {queries};
    return;
  }
  auto attention = cast<attn::AttentionOp>(op);
  for (OpOperand *operand : {&attention.getQueryMutable(), &attention.getKeyMutable(), &attention.getValueMutable(),
                             &attention.getOutputMutable()})
    aligned.push_back(buffers[operand->getOperandNumber()]);
  queries = aligned[0], keys = aligned[1];
}

OpFoldResult ProblemValues::get(ProblemSymbol symbol) {
  OpFoldResult &value = symbols[static_cast<unsigned>(symbol)];
  if (value)
    return value;
  auto dim = [&](Value memref, unsigned index) { return memref::getMixedSize(b, b.getLoc(), memref, index); };
  switch (symbol) {
  case ProblemSymbol::Batch:
    return value = dim(queries, 0);
  case ProblemSymbol::QueryHeads:
    return value = dim(queries, 1);
  case ProblemSymbol::KVHeads:
    return value = dim(keys, 1);
  case ProblemSymbol::QueryLength:
    return value = dim(queries, 2);
  case ProblemSymbol::KVLength:
    return value = dim(keys, 2);
  case ProblemSymbol::Threads:
    return value = b.getIndexAttr(threads);
  case ProblemSymbol::Alignment:
    return value = computeAlignment();
  }
  llvm_unreachable("not a problem symbol");
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Or-s the address and the strides of `buffer`, in bytes, into `bits`, or into `constantBits` where they are static.
void ProblemValues::collectAlignment(Value buffer, int64_t &constantBits, Value &bits) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t elementBytes = attn::getElementBytes(type.getElementType());
  Value size = arith::ConstantIndexOp::create(b, elementBytes);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value offset = arith::MulIOp::create(b, metadata.getOffset(), size);
  auto add = [&](Value value) { bits = bits ? arith::OrIOp::create(b, bits, value).getResult() : value; };
  add(arith::AddIOp::create(b, address, offset));
  auto [strides, staticOffset] = type.getStridesAndOffset();
  Value one = arith::ConstantIndexOp::create(b, 1), zero = arith::ConstantIndexOp::create(b, 0);
  for (int64_t dim = 0, last = type.getRank() - 1; dim <= last; ++dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (!ShapedType::isDynamic(strides[dim])) {
      constantBits |= dim != last ? strides[dim] * elementBytes : strides[dim] != 1 ? elementBytes : 0;
      continue;
    }
    Value stride = metadata.getStrides()[dim], used;
    if (dim != last) {
      stride = arith::MulIOp::create(b, stride, size);
      used = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, metadata.getSizes()[dim], one);
    } else {
      used = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, stride, one);
      stride = size;
    }
    add(arith::SelectOp::create(b, used, stride, zero));
  }
}

/// The lowest bit of all addresses and strides.
Value ProblemValues::computeAlignment() {
  int64_t constantBits = kMaxAlignment;
  Value bits;
  for (Value buffer : aligned)
    collectAlignment(buffer, constantBits, bits);
  bits = arith::OrIOp::create(b, bits, arith::ConstantIndexOp::create(b, constantBits));
  Value negated = arith::SubIOp::create(b, arith::ConstantIndexOp::create(b, 0), bits);
  return arith::AndIOp::create(b, bits, negated);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

OpFoldResult ProblemValues::evaluate(AffineExpr expr) {
  MLIRContext *context = b.getContext();
  SmallVector<AffineExpr> constants;
  SmallVector<Value> values(symbols.size());
  for (unsigned i = 0, e = symbols.size(); i < e; ++i) {
    constants.push_back(getAffineSymbolExpr(i, context));
    if (!expr.isFunctionOfSymbol(i))
      continue;
    OpFoldResult value = get(static_cast<ProblemSymbol>(i));
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      constants[i] = getAffineConstantExpr(*constant, context);
    else
      values[i] = cast<Value>(value);
  }
  expr = simplifyAffineExpr(expr.replaceSymbols(constants), 0, symbols.size());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return b.getIndexAttr(constant.getValue());
  return affine::expandAffineExpr(b, b.getLoc(), expr, {}, values);
}

OpFoldResult ProblemValues::evaluateLeast(AffineMap map) {
  OpFoldResult least = evaluate(map.getResult(0));
  for (AffineExpr expr : map.getResults().drop_front()) {
    Value lhs = getValueOrCreateConstantIndexOp(b, b.getLoc(), least);
    Value rhs = getValueOrCreateConstantIndexOp(b, b.getLoc(), evaluate(expr));
    least = arith::MinSIOp::create(b, lhs, rhs).getResult();
  }
  return least;
}

/// The conjunction; a constant `lhs` is true.
OpFoldResult ProblemValues::combine(OpFoldResult lhs, Value rhs) {
  if (isa<Attribute>(lhs))
    return rhs;
  return arith::AndIOp::create(b, cast<Value>(lhs), rhs).getResult();
}

OpFoldResult ProblemValues::evaluate(IntegerSet set) {
  OpFoldResult holds = b.getBoolAttr(true);
  for (auto [expr, isEquality] : llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    OpFoldResult value = evaluate(expr);
    if (std::optional<int64_t> constant = getConstantIntValue(value)) {
      if (isEquality ? *constant != 0 : *constant < 0)
        return b.getBoolAttr(false);
      continue;
    }
    auto predicate = isEquality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
    Value zero = arith::ConstantIndexOp::create(b, 0);
    holds = combine(holds, arith::CmpIOp::create(b, predicate, cast<Value>(value), zero));
  }
  return holds;
}

OpFoldResult ProblemValues::isNonEmpty() {
  OpFoldResult some = b.getBoolAttr(true);
  for (ProblemSymbol symbol : {ProblemSymbol::Batch, ProblemSymbol::QueryHeads, ProblemSymbol::QueryLength}) {
    OpFoldResult size = get(symbol);
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      if (*constant == 0)
        return b.getBoolAttr(false);
      continue;
    }
    Value zero = arith::ConstantIndexOp::create(b, 0);
    some = combine(some, arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, cast<Value>(size), zero));
  }
  return some;
}
