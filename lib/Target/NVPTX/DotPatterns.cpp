//===- DotPatterns.cpp - Dots become matrix instructions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// What the lowerings of dots of 16- and of 32-bit elements share.
class DotLowering {
public:
  DotLowering(ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor)
      : b(b), op(op), elementType(getTileType(op.getLhs()).getElementType()),
        acc(getAccLayout(getTileType(op.getResult()))), lhsLayout(getSharedOrNone(op.getLhs())),
        rhsLayout(*getSharedOrNone(op.getRhs())), lhs(adaptor.getLhs()), rhs(adaptor.getRhs()),
        values(toElements(b, adaptor.getAcc())) {
    if (lhsLayout)
      leftFragments.emplace(getLeftFragments(b, *lhsLayout, lhs, acc.rowsPerWarp));
  }

  Value getResult() { return fromElements(b, values); }

protected:
  static std::optional<SharedLayout> getSharedOrNone(Value tile) {
    RankedTensorType type = getTileType(tile);
    if (!isa<tile::SharedAttr>(type.getEncoding()))
      return std::nullopt;
    return getSharedLayout(type);
  }
  /// The four accumulators of a block.
  MutableArrayRef<Value> getAccumulators(int64_t rowBlock, int64_t colBlock) {
    return MutableArrayRef<Value>(values).slice(acc.getElement(rowBlock, colBlock, 0), 4);
  }
  int64_t getDepth() { return op.getTransposeRhs() ? rhsLayout.cols : rhsLayout.rows; }

  ImplicitLocOpBuilder &b;
  tile::DotOp op;
  Type elementType;
  AccLayout acc;
  std::optional<SharedLayout> lhsLayout;
  SharedLayout rhsLayout;
  Value lhs, rhs;
  SmallVector<Value> values;
  std::optional<SharedFragments> leftFragments;
};

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

/// f32: m16n8k8 of TF32. Each operand is split into a high and a low part, which together keep 22 bits, and the product
/// is hi * hi + hi * lo + lo * hi. With `allow_tf32` it is hi * hi alone.
class SingleDot : public DotLowering {
public:
  using DotLowering::DotLowering;

  void build() {
    right.emplace(getRightFragments(b, rhsLayout, rhs, op.getTransposeRhs()));
    // Matrix instructions truncate their sums: short chains are added up in f32.
    int64_t steps = getDepth() / 8, chain = op.getAllowTf32() ? steps : kChain;
    if (op.getPart() && !op.getAllowTf32())
      chain = std::min<int64_t>(chain, *op.getPart() / 8);
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
        SmallVector<Value> partial(4, arith::ConstantOp::create(b, b.getF32FloatAttr(0.0)));
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

  SmallVector<Value> getLeft(int64_t rowBlock, int64_t k) {
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

  /// Two words each for column blocks `colBlock` and `colBlock + 1`.
  SmallVector<Value> getRight(int64_t k, int64_t colBlock) {
    if (op.getTransposeRhs())
      return right->load(colBlock * kMmaCols, 2 * k);
    SmallVector<Value> words;
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t word = 0; word < 2; ++word)
        words.push_back(loadRightWord(k * 8, (colBlock + half) * kMmaCols, word));
    return words;
  }

  /// A word of KxN: the rows follow the order in which `getLeft` takes its columns.
  Value loadRightWord(int64_t row, int64_t col, int64_t word) {
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

  std::optional<SharedFragments> right;
  SmallVector<Value> elements;
  Value rightPointer;
};

struct DotPattern : OpConversionPattern<tile::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (getTileType(op.getLhs()).getElementType().isF32())
      return replace<SingleDot>(b, op, adaptor, rewriter);
    return replace<HalfDot>(b, op, adaptor, rewriter);
  }

  template <typename Lowering>
  static LogicalResult replace(ImplicitLocOpBuilder &b, tile::DotOp op, OpAdaptor adaptor,
                               ConversionPatternRewriter &rewriter) {
    Lowering lowering(b, op, adaptor);
    lowering.build();
    rewriter.replaceOp(op, lowering.getResult());
    return success();
  }
};

} // namespace

void nvptx::populateDotPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<DotPattern>(converter, patterns.getContext());
}
