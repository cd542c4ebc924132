//===- Tf32Dot.cpp - Dots of f32 by products of TF32 -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// f32: m16n8k8 of TF32. Each operand is split into a high and a low part, which together keep 22 bits, and the product
/// is hi * hi + hi * lo + lo * hi. With `allow_tf32` it is hi * hi alone.
class Tf32Dot : public SingleDot {
public:
  using SingleDot::SingleDot;

  void build() {
    // Matrix instructions truncate their sums: short chains are added up in f32.
    int64_t steps = getDepth() / 8, chain = op.getAllowTf32() ? steps : kChain;
    for (int64_t first = 0; first < steps; first += chain)
      buildChain(first, std::min(first + chain, steps));
  }

private:
  static constexpr int64_t kChain = 4;

  struct Split {
    SmallVector<Value> high, low;
  };

  void buildChain(int64_t first, int64_t last) {
    SmallVector<SmallVector<Split>> left;
    for (int64_t rowBlock = 0; rowBlock < acc.getRowBlocks(); ++rowBlock) {
      left.emplace_back();
      for (int64_t k = first; k < last; ++k)
        left.back().push_back(split(getLeft(rowBlock, k)));
    }
    for (int64_t colBlock = 0; colBlock < acc.getColBlocks(); colBlock += 2)
      buildColumns(left, first, last, colBlock);
  }

  /// Adds the products of steps [first, last) to two column blocks.
  void buildColumns(ArrayRef<SmallVector<Split>> left, int64_t first, int64_t last, int64_t colBlock) {
    SmallVector<std::array<Split, 2>> rights;
    for (int64_t k = first; k < last; ++k) {
      SmallVector<Value> words = getRight(k, colBlock);
      rights.push_back({split(ArrayRef<Value>(words).take_front(2)), split(ArrayRef<Value>(words).drop_front(2))});
    }
    for (int64_t rowBlock = 0; rowBlock < acc.getRowBlocks(); ++rowBlock)
      for (int64_t half = 0; half < 2; ++half) {
        MutableArrayRef<Value> sums = getAccumulators(rowBlock, colBlock + half);
        if (op.getAllowTf32()) {
          for (int64_t k = 0; k < last - first; ++k)
            buildMma(b, elementType, left[rowBlock][k].high, rights[k][half].high, sums);
          continue;
        }
        SmallVector<Value> partial = getZeros();
        for (int64_t k = 0; k < last - first; ++k) {
          buildMma(b, elementType, left[rowBlock][k].low, rights[k][half].high, partial);
          buildMma(b, elementType, left[rowBlock][k].high, rights[k][half].low, partial);
          buildMma(b, elementType, left[rowBlock][k].high, rights[k][half].high, partial);
        }
        for (auto [sum, part] : llvm::zip_equal(sums, partial))
          sum = arith::AddFOp::create(b, sum, part);
      }
  }

  Value roundToTf32(Value value) {
    return NVVM::ConvertFloatToTF32Op::create(b, b.getI32Type(), value, NVVM::FPRoundingMode::RNA,
                                              NVVM::SaturationMode::NONE, /*relu=*/false);
  }

  /// Splits f32 words (i32).
  Split split(ArrayRef<Value> words) {
    Split result;
    for (Value word : words) {
      Value value = arith::BitcastOp::create(b, b.getF32Type(), word);
      Value high = roundToTf32(value);
      result.high.push_back(high);
      if (op.getAllowTf32())
        continue;
      Value rest = arith::SubFOp::create(b, value, arith::BitcastOp::create(b, b.getF32Type(), high));
      result.low.push_back(roundToTf32(rest));
    }
    return result;
  }
};
} // namespace

Value nvptx::buildTf32Dot(ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor) {
  return buildDot<Tf32Dot>(b, op, adaptor);
}
