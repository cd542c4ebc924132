//===- Lowering.cpp - What the patterns of attn-tile-to-nvvm share -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "KernelInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

IRInt IRInt::constant(int64_t other) const {
  return {b, arith::ConstantOp::create(*b, b->getIntegerAttr(value.getType(), other))};
}
IRInt IRInt::operator+(IRInt other) const { return {b, b->createOrFold<arith::AddIOp>(value, other.value)}; }
IRInt IRInt::operator*(IRInt other) const { return {b, b->createOrFold<arith::MulIOp>(value, other.value)}; }
IRInt IRInt::operator^(IRInt other) const { return {b, b->createOrFold<arith::XOrIOp>(value, other.value)}; }
IRInt IRInt::operator&(int64_t other) const {
  return {b, b->createOrFold<arith::AndIOp>(value, constant(other).value)};
}
IRInt IRInt::operator>>(int64_t other) const {
  return {b, b->createOrFold<arith::ShRUIOp>(value, constant(other).value)};
}

IRInt nvptx::getThread(ImplicitLocOpBuilder &b) { return {&b, NVVM::ThreadIdXOp::create(b, b.getI32Type())}; }

int64_t nvptx::getNumThreads(Operation *op) { return getLaunch(op->getParentOfType<FunctionOpInterface>()).getBlock(); }

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

int64_t nvptx::getNumWarps(RankedTensorType type) {
  if (auto acc = dyn_cast_or_null<tile::MmaAccAttr>(type.getEncoding()))
    return acc.getWarps();
  auto rows = dyn_cast_or_null<tile::MmaRowsAttr>(type.getEncoding());
  return rows ? rows.getWarps() : 0;
}

AccLayout nvptx::getAccLayout(RankedTensorType type) {
  return AccLayout(type.getDimSize(0), type.getRank() == 2 ? type.getDimSize(1) : 1, getNumWarps(type));
}

SharedLayout nvptx::getSharedLayout(RankedTensorType type) {
  return SharedLayout::get(type.getDimSize(0), type.getDimSize(1), type.getElementTypeBitWidth() / 8);
}

SwizzledLayout nvptx::getSwizzledLayout(RankedTensorType type) {
  auto ring = cast<tile::SwizzledAttr>(type.getEncoding());
  return {type.getDimSize(0), type.getDimSize(1), ring.getParts(), ring.getOnes()};
}

int64_t nvptx::getNumElements(RankedTensorType type) {
  AccLayout layout = getAccLayout(type);
  return type.getRank() == 1 ? layout.getNumRowElements() : layout.getNumElements();
}

ThreadTypeConverter::ThreadTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (isa_and_nonnull<tile::SharedAttr, tile::SwizzledAttr>(type.getEncoding()))
      return IntegerType::get(type.getContext(), 32);
    if (isa_and_nonnull<tile::MmaAccAttr, tile::MmaRowsAttr>(type.getEncoding()))
      return VectorType::get(getNumElements(type), type.getElementType());
    return std::nullopt;
  });
}

SmallVector<Value> nvptx::toElements(ImplicitLocOpBuilder &b, Value vector) {
  if (auto from = vector.getDefiningOp<vector::FromElementsOp>())
    return from.getElements();
  return vector::ToElementsOp::create(b, vector).getResults();
}

Value nvptx::fromElements(ImplicitLocOpBuilder &b, ValueRange elements) {
  auto type = VectorType::get(static_cast<int64_t>(elements.size()), elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value nvptx::getSharedPointer(ImplicitLocOpBuilder &b, Value offset) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/3);
  Value base = LLVM::AddressOfOp::create(b, type, kSharedMemoryName);
  return LLVM::GEPOp::create(b, type, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
}

Value nvptx::addIndex(ImplicitLocOpBuilder &b, Value lhs, Value rhs) { return b.createOrFold<arith::AddIOp>(lhs, rhs); }
Value nvptx::mulIndex(ImplicitLocOpBuilder &b, Value lhs, Value rhs) { return b.createOrFold<arith::MulIOp>(lhs, rhs); }
Value nvptx::toIndex(ImplicitLocOpBuilder &b, Value i32) {
  return b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), i32);
}

GlobalView::GlobalView(ImplicitLocOpBuilder &b, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  Value bytes = arith::ConstantIndexOp::create(b, (bits + 7) / 8);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  base = addIndex(b, pointer, mulIndex(b, metadata.getOffset(), bytes));
  for (auto [dim, stride] : llvm::enumerate(metadata.getStrides()))
    byteStrides.push_back(mulIndex(b, stride, bytes));
}

Value GlobalView::getAddress(ImplicitLocOpBuilder &b, ValueRange indices, int64_t skippedDim) const {
  Value address = base;
  for (auto [dim, index] : llvm::enumerate(indices))
    if (static_cast<int64_t>(dim) != skippedDim)
      address = addIndex(b, address, mulIndex(b, index, byteStrides[dim]));
  return address;
}

Value nvptx::hideInvariance(ImplicitLocOpBuilder &b, Value stride) {
  if (matchPattern(stride, m_Constant()))
    return stride;
  Value bits = arith::IndexCastOp::create(b, b.getI64Type(), stride);
  Value hidden = buildAsm(b, b.getI64Type(), bits, "mov.b64 $0, $1;", "=l,l", /*hasSideEffects=*/true);
  return arith::IndexCastOp::create(b, b.getIndexType(), hidden);
}

Value nvptx::getRelativeLimit(ImplicitLocOpBuilder &b, Value limit, Value position, int64_t size) {
  if (!limit)
    return arith::ConstantIntOp::create(b, size, 32);
  Value rest = arith::SubIOp::create(b, limit, position);
  rest = arith::MaxSIOp::create(b, rest, arith::ConstantIndexOp::create(b, 0));
  rest = arith::MinSIOp::create(b, rest, arith::ConstantIndexOp::create(b, size));
  return arith::IndexCastOp::create(b, b.getI32Type(), rest);
}

Value nvptx::isBelow(ImplicitLocOpBuilder &b, Value value, Value limit) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, value, limit);
}

Value nvptx::andMask(ImplicitLocOpBuilder &b, Value lhs, Value rhs) { return b.createOrFold<arith::AndIOp>(lhs, rhs); }

//===----------------------------------------------------------------------===//
// Predicated access
//===----------------------------------------------------------------------===//

namespace {
/// How an element travels in a register: its asm constraint, PTX type suffix and integer type.
struct Carrier {
  StringRef constraint, suffix;
  unsigned bits;
};
} // namespace

static Carrier getCarrier(unsigned bits) {
  if (bits <= 8)
    return {"h", "u8", 16};
  if (bits == 16)
    return {"h", "b16", 16};
  if (bits == 32)
    return {"r", "b32", 32};
  return {"l", "b64", 64};
}

static unsigned getBitWidth(Type type) {
  if (type.isIndex())
    return 64;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getBitWidth(vector.getElementType());
  return type.getIntOrFloatBitWidth();
}

/// `value` of an integer type as `type` of the same size, or narrower for integers.
static Value fromCarrier(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  if (type.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                                 arith::ConstantIntOp::create(b, 0, value.getType().getIntOrFloatBitWidth()));
  Type integer = b.getIntegerType(getBitWidth(type));
  if (integer != value.getType())
    value = arith::TruncIOp::create(b, integer, value);
  return integer == type ? value : arith::BitcastOp::create(b, type, value).getResult();
}

static Value toCarrier(ImplicitLocOpBuilder &b, Value value, unsigned carrierBits) {
  Type type = value.getType();
  Type integer = b.getIntegerType(getBitWidth(type));
  if (isa<VectorType>(type))
    value = LLVM::BitcastOp::create(b, integer, value);
  else if (!type.isInteger())
    value = arith::BitcastOp::create(b, integer, value);
  if (getBitWidth(type) < carrierBits)
    value = arith::ExtUIOp::create(b, b.getIntegerType(carrierBits), value);
  return value;
}

Value nvptx::constantI32(ImplicitLocOpBuilder &b, int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }

Value nvptx::buildAsm(ImplicitLocOpBuilder &b, Type result, ValueRange operands, const Twine &text,
                      const Twine &constraints, bool hasSideEffects) {
  auto op = LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), operands, text.str(), constraints.str(), hasSideEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), /*operand_attrs=*/ArrayAttr());
  return result ? op.getResult(0) : Value();
}

static Value toI64(ImplicitLocOpBuilder &b, Value index) {
  return arith::IndexCastOp::create(b, b.getI64Type(), index);
}

Value nvptx::buildPredicatedLoad(ImplicitLocOpBuilder &b, Type type, Value address, Value predicate) {
  Carrier carrier = getCarrier(getBitWidth(type));
  std::string zero = "mov.b" + std::to_string(carrier.bits) + " $0, 0; ";
  Value loaded = buildAsm(b, b.getIntegerType(carrier.bits), {toI64(b, address), predicate},
                          zero + "@$2 ld.global." + carrier.suffix + " $0, [$1];", "=&" + carrier.constraint + ",l,b",
                          /*hasSideEffects=*/false);
  return fromCarrier(b, loaded, type);
}

Value nvptx::buildInvariantLoad(ImplicitLocOpBuilder &b, Type type, Value address, int64_t offset) {
  unsigned bits = std::max(getBitWidth(type), 8u);
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  Value pointer = LLVM::IntToPtrOp::create(b, pointerType, toI64(b, address));
  pointer =
      LLVM::GEPOp::create(b, pointerType, b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  auto load = LLVM::LoadOp::create(b, b.getIntegerType(bits), pointer, /*alignment=*/bits / 8);
  load.setInvariant(true);
  return fromCarrier(b, load, type);
}

void nvptx::buildPredicatedStore(ImplicitLocOpBuilder &b, Value value, Value address, Value predicate) {
  Carrier carrier = getCarrier(getBitWidth(value.getType()));
  buildAsm(b, Type(), {toCarrier(b, value, carrier.bits), toI64(b, address), predicate},
           "@$2 st.global." + carrier.suffix + " [$1], $0;", carrier.constraint + ",l,b,~{memory}",
           /*hasSideEffects=*/true);
}
