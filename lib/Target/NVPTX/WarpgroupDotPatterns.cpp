//===- WarpgroupDotPatterns.cpp - Products of warpgroups -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"
#include "Lowering.h"
#include "RoleRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

// A matrix descriptor has 64 bits. The low word holds the address and the leading offset, both in units of 16 bytes;
// the high word the stride from one group of eight rows to the next (1024 bytes) and the swizzle of 128 bytes. (PTX
// ISA, "Asynchronous warpgroup level matrix shared memory layout".) Each instruction gets a descriptor of its own, made
// of one that no loop changes and of the slot's place by additions of 64 bits: the assembler keeps them in pairs of
// uniform registers where the instruction wants them.
static constexpr int64_t kDescriptorHigh = 0x40000040;
/// Elements of the left operand's columns that one instruction multiplies.
static constexpr int64_t kStep = 16;
/// Words of a left operand in registers that one instruction multiplies.
static constexpr int64_t kWords = 4;

namespace {

/// Writes the instructions of one product as inline assembly.
class WarpgroupDot {
public:
  WarpgroupDot(ImplicitLocOpBuilder &b, tile::IssueDotOp op, tile::IssueDotOp::Adaptor adaptor)
      : b(b), op(op), adaptor(adaptor), acc(getAccLayout(getTileType(op.getResult()))),
        right(getSwizzledLayout(getTileType(op.getRhs()))),
        lhsInRegisters(!isa<tile::SwizzledAttr>(getTileType(op.getLhs()).getEncoding())),
        instructionCols(getInstructionCols()) {}

  Value build() {
    numResults = acc.getNumElements();
    if (!op.getUnder())
      return begin(getFirstStep(), getEndStep(), adaptor.getAcc());
    // The later half of the values is left to be computed under all of the product.
    SmallVector<Value> under = toElements(b, adaptor.getUnder());
    int64_t first = getFirstStep(), share = under.size() / (2 * (getEndStep() - first));
    Value values = adaptor.getAcc();
    for (int64_t step = first; step < getEndStep(); ++step)
      values = begin(step, step + 1, values, ArrayRef(under).slice((step - first) * share, share));
    return values;
  }

private:
  /// Begins the instructions of some steps, behind the computation of `before`.
  Value begin(int64_t firstStep, int64_t endStep, Value values, ArrayRef<Value> before = {}) {
    operands.clear();
    constraints.clear();
    addAccumulators(firstStep, values);
    addLeft(firstStep, endStep);
    addRight(firstStep, endStep);
    for (Value value : before)
      addOperand(value, "f");
    std::string text = firstStep == getFirstStep() ? "wgmma.fence.sync.aligned; " : "";
    for (int64_t step = firstStep; step < endStep; ++step)
      text += getInstructions(step, step - firstStep);
    text += endStep == getEndStep() ? "wgmma.commit_group.sync.aligned;" : "";
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(numResults, b.getF32Type()));
    Value results = buildAsm(b, result, operands, text, constraints, /*hasSideEffects=*/true);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < numResults; ++i)
      elements.push_back(LLVM::ExtractValueOp::create(b, results, i));
    return fromElements(b, elements);
  }

  /// The first instruction and the end of those that the product takes.
  int64_t getFirstStep() { return op.getContracted() ? (*op.getContracted())[0] / kStep : 0; }
  int64_t getEndStep() {
    return (op.getContracted() ? (*op.getContracted())[1] : op.getTransposeRhs() ? right.cols : right.rows) / kStep;
  }

  /// A kernel without a strategy has no limit of registers.
  int64_t getInstructionCols() {
    attn::StrategyAttr strategy = getStrategy(op->getParentOfType<FunctionOpInterface>());
    return strategy ? ProductInstruction::get(strategy, acc.cols, lhsInRegisters).columns : acc.cols;
  }

  /// Distance of two panels of a right operand KxN.
  int64_t getLeadingUnits() const { return right.getPanelBytes() / SwizzledLayout::kUnit; }

  /// Where the accumulator is zero the first instruction does not read it.
  bool startsAtZero() {
    Value value = op.getAcc();
    if (auto recompute = value.getDefiningOp<tile::RecomputeOp>())
      value = recompute.getValue();
    return matchPattern(value, m_AnyZeroFloat());
  }

  int64_t addOperand(Value value, StringRef constraint) {
    operands.push_back(value);
    constraints += "," + constraint.str();
    return numResults + operands.size() - 1;
  }

  void addAccumulators(int64_t firstStep, Value values) {
    for (int64_t i = 0; i < numResults; ++i)
      constraints += i == 0 ? "=f" : ",=f";
    if (firstStep == getFirstStep() && startsAtZero())
      return;
    for (auto [i, value] : llvm::enumerate(toElements(b, values)))
      addOperand(value, std::to_string(i));
  }

  void addLeft(int64_t firstStep, int64_t endStep) {
    if (!lhsInRegisters) {
      left = getSwizzledLayout(getTileType(op.getLhs()));
      leftOperand = numResults + operands.size();
      Value descriptor = buildDescriptor(adaptor.getLhs(), 1);
      for (int64_t step = firstStep; step < endStep; ++step)
        addOperand(addUnits(descriptor, getColumnUnits(left, step)), "l");
      return;
    }
    auto type = cast<VectorType>(adaptor.getLhs().getType());
    auto words = VectorType::get(type.getNumElements() / 2, b.getI32Type());
    leftOperand = numResults + operands.size();
    SmallVector<Value> all = toElements(b, vector::BitCastOp::create(b, words, adaptor.getLhs()));
    for (Value word : ArrayRef(all).slice(kWords * firstStep, kWords * (endStep - firstStep)))
      addOperand(word, "r");
  }

  void addRight(int64_t firstStep, int64_t endStep) {
    Value descriptor = buildDescriptor(adaptor.getRhs(), op.getTransposeRhs() ? 1 : getLeadingUnits());
    rightOperand = numResults + operands.size();
    for (int64_t step = firstStep; step < endStep; ++step)
      for (int64_t col = 0; col < acc.cols; col += instructionCols)
        addOperand(addUnits(descriptor, getRightUnits(step, col)), "l");
  }

  /// Descriptor of a tile that begins `place` units into shared memory.
  Value buildDescriptor(Value place, int64_t leadingUnits) {
    Value zero = constantI32(b, 0);
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), getSharedPointer(b, zero));
    // In a cluster the bits above those of the offset name the block.
    IRInt units = (IRInt{&b, address} >> SwizzledLayout::kUnitBits) & 0x3fff;
    Value first =
        addUnits(arith::ExtUIOp::create(b, b.getI64Type(), units.value), kDescriptorHigh << 32 | leadingUnits << 16);
    return arith::AddIOp::create(b, first, arith::ExtUIOp::create(b, b.getI64Type(), place));
  }

  Value addUnits(Value descriptor, int64_t units) {
    Value constant = arith::ConstantIntOp::create(b, units, 64);
    return b.createOrFold<arith::AddIOp>(descriptor, constant);
  }

  /// Units from a tile's first element to column `step * kStep` of an operand whose rows are contiguous.
  static int64_t getColumnUnits(const SwizzledLayout &layout, int64_t step) {
    int64_t col = step * kStep;
    return (col / SwizzledLayout::kPanelCols * layout.getPanelBytes() + col % SwizzledLayout::kPanelCols * 2) /
           SwizzledLayout::kUnit;
  }

  /// Units from a right operand's first element to what a step reads for the columns of the result from `col` on.
  int64_t getRightUnits(int64_t step, int64_t col) {
    constexpr int64_t kRowUnits = SwizzledLayout::kPanelPitch / SwizzledLayout::kUnit;
    if (op.getTransposeRhs())
      return getColumnUnits(right, step) + col * kRowUnits;
    return step * kStep * kRowUnits + col / SwizzledLayout::kPanelCols * getLeadingUnits();
  }

  /// The instructions of a step, whose left operand is number `index` of those that were added.
  std::string getInstructions(int64_t step, int64_t index) {
    StringRef type = getTileType(op.getLhs()).getElementType().isF16() ? "f16" : "bf16";
    std::string lhs =
        lhsInRegisters ? getRegisters(leftOperand + kWords * index, kWords) : getRegister(leftOperand + index);
    int64_t accumulates = step > getFirstStep() || !startsAtZero();
    int64_t number = rightOperand + index * llvm::divideCeil(acc.cols, instructionCols);
    std::string text;
    for (int64_t col = 0; col < acc.cols; col += instructionCols, ++number) {
      int64_t columns = std::min(instructionCols, acc.cols - col);
      text += llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} {2}, {3}, {4}, {5}, 1, 1, {6}{7}; ",
                            columns, type, getRegisters(col / 2, columns / 2), lhs, getRegister(number), accumulates,
                            lhsInRegisters ? "" : "0, ", op.getTransposeRhs() ? 0 : 1);
    }
    return text;
  }

  static std::string getRegister(int64_t number) { return "$" + std::to_string(number); }

  static std::string getRegisters(int64_t first, int64_t count) {
    std::string text = "{";
    for (int64_t i = first; i < first + count; ++i)
      text += (i == first ? "$" : ", $") + std::to_string(i);
    return text + "}";
  }

  ImplicitLocOpBuilder &b;
  tile::IssueDotOp op;
  tile::IssueDotOp::Adaptor adaptor;
  AccLayout acc;
  SwizzledLayout right, left{0, 0, 1};
  bool lhsInRegisters;
  /// Columns of the result that one instruction computes.
  int64_t instructionCols;
  int64_t numResults = 0, leftOperand = 0, rightOperand = 0;
  SmallVector<Value> operands;
  std::string constraints;
};

struct IssueDotPattern : OpConversionPattern<tile::IssueDotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::IssueDotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, WarpgroupDot(b, op, adaptor).build());
    return success();
  }
};

/// The values pass through the wait, so that nothing that reads them can move above it.
struct AwaitDotsPattern : OpConversionPattern<tile::AwaitDotsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::AwaitDotsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> values = toElements(b, adaptor.getInFlight());
    std::string constraints;
    for (size_t i = 0; i < values.size(); ++i)
      constraints += i == 0 ? "=f" : ",=f";
    for (size_t i = 0; i < values.size(); ++i)
      constraints += "," + std::to_string(i);
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(values.size(), b.getF32Type()));
    Value waited = buildAsm(b, result, values, "wgmma.wait_group.sync.aligned " + Twine(op.getPending()) + ";",
                            constraints, /*hasSideEffects=*/true);
    SmallVector<Value> elements;
    for (size_t i = 0; i < values.size(); ++i)
      elements.push_back(LLVM::ExtractValueOp::create(b, waited, i));
    rewriter.replaceOp(op, fromElements(b, elements));
    return success();
  }
};

} // namespace

void nvptx::populateWarpgroupDotPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<IssueDotPattern, AwaitDotsPattern>(converter, patterns.getContext());
}
