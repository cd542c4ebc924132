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
#include "mlir/Dialect/Math/IR/Math.h"
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

/// What the lowerings of f32 dots share: operands as words of steps of 8 products, as m16n8k8 takes them.
class SingleDot : public DotLowering {
public:
  SingleDot(ImplicitLocOpBuilder &b, tile::DotOp op, tile::DotOp::Adaptor adaptor)
      : DotLowering(b, op, adaptor), right(getRightFragments(b, rhsLayout, rhs, op.getTransposeRhs())) {}

protected:
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
      return right.load(colBlock * kMmaCols, 2 * k);
    SmallVector<Value> words;
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t word = 0; word < 2; ++word)
        words.push_back(loadRightWord(k * 8, (colBlock + half) * kMmaCols, word));
    return words;
  }

  SmallVector<Value> getZeros() { return SmallVector<Value>(4, arith::ConstantOp::create(b, b.getF32FloatAttr(0.0))); }

private:
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

  SharedFragments right;
  SmallVector<Value> elements;
  Value rightPointer;
};

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

struct DotPattern : OpConversionPattern<tile::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool isSingle = getTileType(op.getLhs()).getElementType().isF32();
    if (isSingle && op.getPart() && !op.getAllowTf32())
      return replace<PiecesDot>(b, op, adaptor, rewriter);
    if (isSingle)
      return replace<Tf32Dot>(b, op, adaptor, rewriter);
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
