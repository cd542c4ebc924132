//===- DotLowering.cpp - What the lowerings of dots share -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

static std::optional<SharedLayout> getSharedOrNone(Value tile) {
  RankedTensorType type = getTileType(tile);
  if (!isa<tile::SharedAttr>(type.getEncoding()))
    return std::nullopt;
  return getSharedLayout(type);
}

DotLowering::DotLowering(ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor)
    : b(b), op(op), elementType(getTileType(op.getLhs()).getElementType()),
      acc(getAccLayout(getTileType(op.getResult()))), lhsLayout(getSharedOrNone(op.getLhs())),
      rhsLayout(*getSharedOrNone(op.getRhs())), lhs(adaptor.getLhs()), rhs(adaptor.getRhs()),
      values(toElements(b, adaptor.getAcc())) {
  if (lhsLayout)
    leftFragments.emplace(getLeftFragments(b, *lhsLayout, lhs, acc.rowsPerWarp));
}

SingleDot::SingleDot(ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor)
    : DotLowering(b, op, adaptor), right(getRightFragments(b, rhsLayout, rhs, op.getTransposeRhs())) {}

SmallVector<Value> SingleDot::getLeft(int64_t rowBlock, int64_t k) {
  if (lhsLayout)
    return leftFragments->load(rowBlock * kMmaRows, 2 * k);
  AccLayout layout = getAccLayout(getTileType(op.getLhs()));
  if (elements.empty())
    elements = toElements(b, lhs);
  SmallVector<Value> words;
  for (int64_t r : kLeftOperandElements32)
    words.push_back(arith::BitcastOp::create(b, b.getI32Type(), elements[layout.getElement(rowBlock, k, r)]));
  return words;
}

SmallVector<Value> SingleDot::getRight(int64_t k, int64_t colBlock) {
  if (op.getTransposeRhs())
    return right.load(colBlock * kMmaCols, 2 * k);
  SmallVector<Value> words;
  for (int64_t half = 0; half < 2; ++half)
    for (int64_t word = 0; word < 2; ++word)
      words.push_back(loadRightWord(k * 8, (colBlock + half) * kMmaCols, word));
  return words;
}

SmallVector<Value> SingleDot::getZeros() {
  return SmallVector<Value>(4, arith::ConstantOp::create(b, b.getF32FloatAttr(0.0)));
}

/// A word of KxN: the rows follow the order in which `getLeft` takes its columns.
Value SingleDot::loadRightWord(int64_t row, int64_t col, int64_t word) {
  if (!rightPointer) {
    IRInt lane = getThread(b) & 31;
    IRInt laneRow = lhsLayout ? lane & 3 : (lane & 3) * 2;
    IRInt offset = laneRow * rhsLayout.pitch + (lane >> 2) * 4 + IRInt{&b, rhs};
    rightPointer = getSharedPointer(b, offset.value);
  }
  int64_t wordRow = row + word * (lhsLayout ? 4 : 1);
  Value pointer = offsetPointer(b, rightPointer, wordRow * rhsLayout.pitch + col * 4);
  return LLVM::LoadOp::create(b, b.getI32Type(), pointer);
}
