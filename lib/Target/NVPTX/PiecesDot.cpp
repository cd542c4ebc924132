//===- PiecesDot.cpp - Dots of f32 by products of bf16 -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// f32 whose products may cancel: m16n8k16 of bf16. Each operand is the sum of three pieces of 8 bits, which keep all
/// of its 24; of their nine products the three smallest are below the last bit of the result. Products of first pieces
/// have 16 bits, so that a sum of 16 loses next to nothing to the truncation of matrix instructions; what the additions
/// of those sums round away joins the sum of the smaller products.
class PiecesDot : public SingleDot {
public:
  using SingleDot::SingleDot;

  void build() {
    rest.assign(values.size(), arith::ConstantOp::create(b, b.getF32FloatAttr(0.0)));
    int64_t parts = getDepth() / kPieceStep, steps = *op.getPart() / kPieceStep;
    for (int64_t first = 0; first < parts; first += steps)
      buildPart(first, std::min(first + steps, parts));
    for (auto [sum, small] : llvm::zip_equal(values, rest))
      sum = addRest(sum, small);
  }

private:
  static constexpr int64_t kPieceStep = 16;
  static constexpr size_t kNumPieces = 3;

  /// The words of each piece, of pairs of bf16.
  using Pieces = std::array<SmallVector<Value>, kNumPieces>;

  /// The sum of steps [first, last), which begins at zero.
  void buildPart(int64_t first, int64_t last) {
    SmallVector<SmallVector<Pieces>> left(acc.getRowBlocks());
    for (auto [rowBlock, pieces] : llvm::enumerate(left))
      for (int64_t k = first; k < last; ++k)
        pieces.push_back(splitLeft(getLeft(rowBlock, 2 * k), getLeft(rowBlock, 2 * k + 1)));
    for (int64_t colBlock = 0; colBlock < acc.getColBlocks(); colBlock += 2) {
      std::vector<std::array<Pieces, 2>> right;
      for (int64_t k = first; k < last; ++k)
        right.push_back(splitRight(getRight(2 * k, colBlock), getRight(2 * k + 1, colBlock)));
      for (int64_t rowBlock = 0; rowBlock < acc.getRowBlocks(); ++rowBlock)
        for (int64_t half = 0; half < 2; ++half) {
          SmallVector<Value> partial = getZeros();
          int64_t element = acc.getElement(rowBlock, colBlock + half, 0);
          for (int64_t k = 0; k < last - first; ++k)
            multiply(left[rowBlock][k], right[k][half], MutableArrayRef(rest).slice(element, 4), partial);
          for (int64_t r = 0; r < 4; ++r)
            addPart(element + r, partial[r], /*isFirst=*/first == 0);
        }
    }
  }

  /// Adds the products of first pieces to `large`, the smaller ones to `small`.
  void multiply(const Pieces &left, const Pieces &right, MutableArrayRef<Value> small, MutableArrayRef<Value> large) {
    static constexpr std::pair<int, int> kSmall[] = {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}};
    Type bf16 = b.getBF16Type();
    for (auto [l, r] : kSmall)
      buildMma(b, bf16, left[l], right[r], small);
    buildMma(b, bf16, left[0], right[0], large);
  }

  /// values[element] + part, whose rounding error joins the rest: Knuth's sum of two. The first part replaces a zero.
  void addPart(int64_t element, Value part, bool isFirst) {
    Value before = values[element];
    if (isFirst && matchPattern(op.getAcc(), m_AnyZeroFloat())) {
      values[element] = part;
      return;
    }
    auto subtract = [&](Value lhs, Value rhs) { return arith::SubFOp::create(b, lhs, rhs).getResult(); };
    Value sum = arith::AddFOp::create(b, before, part), added = subtract(sum, before);
    Value error = arith::AddFOp::create(b, subtract(before, subtract(sum, added)), subtract(part, added));
    rest[element] = arith::AddFOp::create(b, rest[element], error);
    values[element] = sum;
  }

  /// An infinite or undefined sum has no rest.
  Value addRest(Value sum, Value small) {
    Value infinity = arith::ConstantOp::create(b, b.getF32FloatAttr(std::numeric_limits<float>::infinity()));
    Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, sum), infinity);
    return arith::SelectOp::create(b, isFinite, arith::AddFOp::create(b, sum, small), sum);
  }

  /// The words of two steps of m16n8k8 as those of one of m16n8k16: products of a sum may stand in any order, if it is
  /// the same in both operands.
  Pieces splitLeft(ArrayRef<Value> first, ArrayRef<Value> second) {
    return split({{first[0], first[2]}, {first[1], first[3]}, {second[0], second[2]}, {second[1], second[3]}});
  }
  std::array<Pieces, 2> splitRight(ArrayRef<Value> first, ArrayRef<Value> second) {
    return {split({{first[0], first[1]}, {second[0], second[1]}}),
            split({{first[2], first[3]}, {second[2], second[3]}})};
  }

  /// Splits pairs of f32 words (i32).
  Pieces split(ArrayRef<std::array<Value, 2>> pairs) {
    Pieces pieces;
    auto halves = VectorType::get(2, b.getBF16Type()), whole = VectorType::get(2, b.getF32Type());
    auto word = VectorType::get(1, b.getI32Type());
    for (const std::array<Value, 2> &pair : pairs) {
      SmallVector<Value> singles;
      for (Value value : pair)
        singles.push_back(arith::BitcastOp::create(b, b.getF32Type(), value));
      Value remainder = fromElements(b, singles);
      for (auto [number, piece] : llvm::enumerate(pieces)) {
        Value rounded = arith::TruncFOp::create(b, halves, remainder);
        piece.push_back(toElements(b, vector::BitCastOp::create(b, word, rounded)).front());
        if (number + 1 < kNumPieces)
          remainder = arith::SubFOp::create(b, remainder, arith::ExtFOp::create(b, whole, rounded));
      }
    }
    return pieces;
  }

  /// What is added to each of `values` at the end.
  SmallVector<Value> rest;
};
} // namespace

Value nvptx::buildPiecesDot(ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor) {
  return buildDot<PiecesDot>(b, op, adaptor);
}
