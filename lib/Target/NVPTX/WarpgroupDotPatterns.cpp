//===- WarpgroupDotPatterns.cpp - Products of warpgroups -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
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
// the high word the stride from one group of eight rows to the next (1024 bytes) and the swizzle of 128 bytes: it is
// constant, and with 32-bit arithmetic on the low word the assembler keeps descriptors in uniform registers. (PTX ISA,
// "Asynchronous warpgroup level matrix shared memory layout".)
static constexpr int64_t kDescriptorHigh = 0x40000040;
static constexpr int64_t kUnit = 16;
/// Elements of the left operand's columns that one instruction multiplies.
static constexpr int64_t kStep = 16;

namespace {

/// Writes the instructions of one product as inline assembly.
class WarpgroupDot {
public:
  WarpgroupDot(ImplicitLocOpBuilder &b, tile::IssueDotOp op, tile::IssueDotOp::Adaptor adaptor)
      : b(b), op(op), adaptor(adaptor), acc(getAccLayout(getTileType(op.getResult()))),
        right(getSwizzledLayout(getTileType(op.getRhs()))),
        lhsInRegisters(!isa<tile::SwizzledAttr>(getTileType(op.getLhs()).getEncoding())) {}

  Value build() {
    numResults = acc.getNumElements();
    addAccumulators();
    addLeft();
    Value descriptor = buildDescriptor(adaptor.getRhs(), op.getTransposeRhs() ? 1 : getLeadingUnits());
    rightOperand = addOperand(descriptor, "r");
    std::string text = "{ .reg .b64 da, db; .reg .b32 w; wgmma.fence.sync.aligned; ";
    auto [begin, end] = getSteps();
    for (int64_t step = begin; step < end; ++step)
      text += getInstruction(step, /*accumulates=*/step > begin || !startsAtZero());
    text += "wgmma.commit_group.sync.aligned; }";
    Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(numResults, b.getF32Type()));
    Value values = buildAsm(b, result, operands, text, constraints, /*hasSideEffects=*/true);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < numResults; ++i)
      elements.push_back(LLVM::ExtractValueOp::create(b, values, i));
    return fromElements(b, elements);
  }

private:
  /// The first instruction and the end of those that the product takes.
  std::pair<int64_t, int64_t> getSteps() {
    if (std::optional<ArrayRef<int64_t>> range = op.getContracted())
      return {(*range)[0] / kStep, (*range)[1] / kStep};
    return {0, (op.getTransposeRhs() ? right.cols : right.rows) / kStep};
  }
  /// Distance of two panels of a right operand KxN.
  int64_t getLeadingUnits() const { return right.getPanelBytes() / kUnit; }

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

  void addAccumulators() {
    for (int64_t i = 0; i < numResults; ++i)
      constraints += i == 0 ? "=f" : ",=f";
    if (startsAtZero())
      return;
    for (auto [i, value] : llvm::enumerate(toElements(b, adaptor.getAcc())))
      addOperand(value, std::to_string(i));
  }

  void addLeft() {
    if (!lhsInRegisters) {
      left = getSwizzledLayout(getTileType(op.getLhs()));
      leftOperand = addOperand(buildDescriptor(adaptor.getLhs(), 1), "r");
      return;
    }
    auto type = cast<VectorType>(adaptor.getLhs().getType());
    auto words = VectorType::get(type.getNumElements() / 2, b.getI32Type());
    leftOperand = numResults + operands.size();
    for (Value word : toElements(b, vector::BitCastOp::create(b, words, adaptor.getLhs())))
      addOperand(word, "r");
  }

  /// Low word of the descriptor of a tile at byte `offset` of shared memory.
  Value buildDescriptor(Value offset, int64_t leadingUnits) {
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), getSharedPointer(b, offset));
    // In a cluster the bits above those of the offset name the block.
    IRInt units = (IRInt{&b, address} >> 4) & 0x3fff;
    return (units + (leadingUnits << 16)).value;
  }

  /// Units from a tile's first element to column `step * kStep` of an operand whose rows are contiguous.
  static int64_t getColumnUnits(const SwizzledLayout &layout, int64_t step) {
    int64_t col = step * kStep;
    return (col / SwizzledLayout::kPanelCols * layout.getPanelBytes() + col % SwizzledLayout::kPanelCols * 2) / kUnit;
  }

  static std::string getDescriptor(StringRef name, int64_t operand, int64_t units) {
    return llvm::formatv("add.s32 w, ${0}, {1}; mov.b64 {2}, {{w, {3}}; ", operand, units, name, kDescriptorHigh).str();
  }

  std::string getInstruction(int64_t step, bool accumulates) {
    StringRef type = getTileType(op.getLhs()).getElementType().isF16() ? "f16" : "bf16";
    std::string text, lhs = "da";
    if (lhsInRegisters)
      lhs = getRegisters(leftOperand + 4 * step, 4);
    else
      text += getDescriptor("da", leftOperand, getColumnUnits(left, step));
    int64_t units =
        op.getTransposeRhs() ? getColumnUnits(right, step) : step * kStep * SwizzledLayout::kPanelPitch / kUnit;
    text += getDescriptor("db", rightOperand, units);
    text += llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} {2}, {3}, db, {4}, 1, 1, {5}{6}; ",
                          acc.cols, type, getRegisters(0, numResults), lhs, accumulates ? 1 : 0,
                          lhsInRegisters ? "" : "0, ", op.getTransposeRhs() ? 0 : 1)
                .str();
    return text;
  }

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
