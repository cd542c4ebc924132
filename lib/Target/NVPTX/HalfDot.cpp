//===- HalfDot.cpp - Dots of 16-bit elements -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// f16 and bf16: m16n8k16, both operands by loads of matrices, or the left one packed from accumulators.
class HalfDot : public DotLowering {
public:
  using DotLowering::DotLowering;

  void build() {
    right.emplace(getRightFragments(b, rhsLayout, rhs, op.getTransposeRhs()));
    if (!lhsLayout)
      packed = pack();
    if (op.getPart())
      return buildParts(*op.getPart() / kStep);
    for (int64_t k = 0; k < getDepth() / kStep; ++k) {
      SmallVector<SmallVector<Value>> left = getLeftBlocks(k);
      for (int64_t colBlock = 0; colBlock < acc.getColBlocks(); colBlock += 2)
        buildStep(left, k, colBlock, values);
    }
  }

private:
  static constexpr int64_t kStep = 16;

  /// Matrix instructions truncate their sums: chains of so many steps begin at zero and are added up in f32, two blocks
  /// of columns at a time, so that no second accumulator lives.
  void buildParts(int64_t steps) {
    for (int64_t first = 0; first < getDepth() / kStep; first += steps) {
      int64_t last = std::min(first + steps, getDepth() / kStep);
      SmallVector<SmallVector<SmallVector<Value>>> left;
      for (int64_t k = first; k < last; ++k)
        left.push_back(getLeftBlocks(k));
      for (int64_t colBlock = 0; colBlock < acc.getColBlocks(); colBlock += 2) {
        SmallVector<Value> partial(values.size(), arith::ConstantOp::create(b, b.getF32FloatAttr(0.0)));
        for (int64_t k = first; k < last; ++k)
          buildStep(left[k - first], k, colBlock, partial);
        addBlocks(colBlock, partial, /*isFirst=*/first == 0);
      }
    }
  }

  /// Adds two blocks of columns of `partial` to the accumulators, which the first part replaces where they are zero.
  void addBlocks(int64_t colBlock, ArrayRef<Value> partial, bool isFirst) {
    bool replaces = isFirst && matchPattern(op.getAcc(), m_AnyZeroFloat());
    for (int64_t rowBlock = 0; rowBlock < acc.getRowBlocks(); ++rowBlock)
      for (int64_t r = 0; r < 8; ++r) {
        int64_t element = acc.getElement(rowBlock, colBlock + r / 4, r % 4);
        values[element] =
            replaces ? partial[element] : arith::AddFOp::create(b, values[element], partial[element]).getResult();
      }
  }

  /// The left operand's words of step `k`, of each block of rows.
  SmallVector<SmallVector<Value>> getLeftBlocks(int64_t k) {
    SmallVector<SmallVector<Value>> left;
    for (int64_t rowBlock = 0; rowBlock < acc.getRowBlocks(); ++rowBlock)
      left.push_back(lhsLayout ? leftFragments->load(rowBlock * kMmaRows, 2 * k) : getLeft(packed, rowBlock, k));
    return left;
  }

  /// Adds the products of step `k` to two blocks of columns of `sums`.
  void buildStep(ArrayRef<SmallVector<Value>> left, int64_t k, int64_t colBlock, MutableArrayRef<Value> sums) {
    // Two chunks of 8 columns of KxN, or 16 rows of NxK.
    SmallVector<Value> words =
        op.getTransposeRhs() ? right->load(colBlock * kMmaCols, 2 * k) : right->load(k * kStep, colBlock);
    for (int64_t rowBlock = 0; rowBlock < acc.getRowBlocks(); ++rowBlock)
      for (int64_t half = 0; half < 2; ++half)
        buildMma(b, elementType, left[rowBlock], ArrayRef<Value>(words).slice(2 * half, 2),
                 sums.slice(acc.getElement(rowBlock, colBlock + half, 0), 4));
  }

  /// The words of the left operand's vector: pairs of adjacent columns.
  SmallVector<Value> pack() {
    auto type = cast<VectorType>(lhs.getType());
    auto words = VectorType::get(type.getNumElements() / 2, b.getI32Type());
    return toElements(b, vector::BitCastOp::create(b, words, lhs));
  }

  SmallVector<Value> getLeft(ArrayRef<Value> packed, int64_t rowBlock, int64_t k) {
    AccLayout layout = getAccLayout(getTileType(op.getLhs()));
    SmallVector<Value> words;
    for (PackedWord word : kLeftOperandWords)
      words.push_back(packed[layout.getElement(rowBlock, 2 * k + word.colBlock, word.firstElement) / 2]);
    return words;
  }

  std::optional<SharedFragments> right;
  SmallVector<Value> packed;
};
} // namespace

Value nvptx::buildHalfDot(ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor) {
  return buildDot<HalfDot>(b, op, adaptor);
}
