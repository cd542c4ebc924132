//===- Evaluate.cpp - The value of a tile at a position -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

static Type getElementType(Value tile) { return getTileType(tile).getElementType(); }

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

Value TileLowering::toStorage(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  Type storage = getStorageType(type.getElementType());
  if (storage == type.getElementType())
    return vector;
  if (isa<FloatType>(storage))
    return arith::ExtFOp::create(b, type.clone(storage), vector);
  return arith::ExtUIOp::create(b, type.clone(storage), vector);
}

Value TileLowering::fromStorage(Value vector, Type element) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getElementType() == element)
    return vector;
  if (isa<FloatType>(element))
    return arith::TruncFOp::create(b, type.clone(element), vector);
  return arith::TruncIOp::create(b, type.clone(element), vector);
}

/// Where a row panel begins: in elements, or in words of pairs.
Value TileLowering::getPanelOffset(const Buffer &buffer, Value panel) {
  return buffer.isOnePanel ? constant(0) : mul(panel, buffer.step * buffer.cols);
}

Value TileLowering::getOffset(const Buffer &buffer, RowPosition &rows, Position *at) {
  if (!at)
    return mul(rows.row, buffer.step);
  if (buffer.isWide())
    return add(add(getPanelOffset(buffer, rows.panel), mul(at->col, buffer.step)), rows.lane);
  return add(mul(rows.row, buffer.step), at->col);
}

Value TileLowering::readBuffer(const Buffer &buffer, RowPosition &rows, Position *at, int64_t width) {
  return loadVector(buffer.memref, getOffset(buffer, rows, at), width);
}

void TileLowering::writeBuffer(const Buffer &buffer, Value vector, RowPosition &rows, Position *at) {
  storeVector(toStorage(vector), buffer.memref, getOffset(buffer, rows, at));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TileLowering::evaluateAt(Value tile, RowPosition &rows, Position *at) {
  if (getTileType(tile).getRank() == 1)
    at = nullptr;
  DenseMap<Value, Value> &cache = at ? at->values : rows.values;
  if (Value known = cache.lookup(tile))
    return known;
  int64_t width = at ? at->width : rows.width;
  Value vector = ready.contains(tile)
                     ? fromStorage(readBuffer(buffers.lookup(tile), rows, at, width), getElementType(tile))
                     : evaluateOp(tile.getDefiningOp(), rows, at, width);
  // Evaluation may have grown the map: look it up anew.
  (at ? at->values : rows.values)[tile] = vector;
  return vector;
}

Value TileLowering::evaluateOp(Operation *op, RowPosition &rows, Position *at, int64_t width) {
  if (auto splatOp = dyn_cast<tile::SplatOp>(op))
    return splat(scalar(splatOp.getScalar()), width);
  if (auto iota = dyn_cast<tile::IotaOp>(op))
    return evaluateIota(iota, rows, at, width);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return evaluateGather(gather, rows, at, width);
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    Value perRow = evaluateAt(broadcast.getRows(), rows, nullptr);
    return rows.isAlongRows() ? perRow : splat(vector::ExtractOp::create(b, perRow, ArrayRef<int64_t>{0}), width);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<SplatElementsAttr>(constant.getValue());
    auto type = VectorType::get(width, value.getElementType());
    return arith::ConstantOp::create(b, type, DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
  }
  return evaluateElementwise(op, rows, at, width);
}

Value TileLowering::evaluateIota(tile::IotaOp iota, RowPosition &rows, Position *at, int64_t width) {
  bool counts = iota.getDim() == 0 ? (!at || rows.isAlongRows()) : !rows.isAlongRows();
  Value first = iota.getDim() == 0 ? rows.row : at->col;
  Type element = getElementType(iota.getTile());
  if (!element.isIndex())
    first = arith::IndexCastOp::create(b, element, first);
  Value vector = splat(first, width);
  if (!counts || width == 1)
    return vector;
  SmallVector<Attribute> steps;
  for (int64_t i = 0; i < width; ++i)
    steps.push_back(b.getIntegerAttr(element, i));
  auto type = cast<VectorType>(vector.getType());
  return arith::AddIOp::create(b, vector, arith::ConstantOp::create(b, type, DenseElementsAttr::get(type, steps)));
}

/// `extf` of a value that scratch holds as f32 is the f32 itself: 16-bit values are stored without a second rounding.
Value TileLowering::evaluateExtension(Operation *op, RowPosition &rows, Position *at, int64_t width) {
  auto extend = dyn_cast<arith::ExtFOp>(op);
  if (!extend || !getElementType(extend.getOut()).isF32() || !ready.contains(extend.getIn()))
    return nullptr;
  Buffer buffer = buffers.lookup(extend.getIn());
  bool isF32 = cast<MemRefType>(buffer.memref.getType()).getElementType().isF32();
  return isF32 ? readBuffer(buffer, rows, at, width) : nullptr;
}

Value TileLowering::evaluateElementwise(Operation *op, RowPosition &rows, Position *at, int64_t width) {
  if (Value stored = evaluateExtension(op, rows, at, width))
    return stored;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isTile(operand) ? evaluateAt(operand, rows, at) : scalar(operand));
  // A target that cannot compute it names this place.
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(VectorType::get(width, getElementType(op->getResult(0))));
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// The position of each gathered element from the start of the memref's flat view, as a vector of indices.
Value TileLowering::evaluateGather(tile::GatherOp gather, RowPosition &rows, Position *at, int64_t width) {
  Value mask = evaluateAt(gather.getMask(), rows, at);
  auto metadata = memref::ExtractStridedMetadataOp::create(b, scalar(gather.getSource()));
  Value position = splat(constant(0), width);
  for (auto [index, stride] : llvm::zip(gather.getIndices(), metadata.getStrides())) {
    Value vector = isTile(index) ? evaluateAt(index, rows, at) : splat(scalar(index), width);
    position = arith::AddIOp::create(b, position, arith::MulIOp::create(b, vector, splat(stride, width)));
  }
  Value flat = flatten(metadata);
  Type element = getElementType(gather.getTile());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get(width, getMemoryType(element))));
  for (int64_t lane = 0; lane < width; ++lane)
    result = gatherLane(flat, position, mask, result, lane);
  return fromMemory(result, element);
}

Value TileLowering::gatherLane(Value flat, Value position, Value mask, Value result, int64_t lane) {
  Value active = vector::ExtractOp::create(b, mask, ArrayRef<int64_t>{lane});
  Value offset = vector::ExtractOp::create(b, position, ArrayRef<int64_t>{lane});
  auto whenActive = [&](OpBuilder &nested, Location loc) {
    Value element = memref::LoadOp::create(nested, loc, flat, offset);
    Value inserted = vector::InsertOp::create(nested, loc, element, result, ArrayRef<int64_t>{lane});
    scf::YieldOp::create(nested, loc, inserted);
  };
  auto otherwise = [&](OpBuilder &nested, Location loc) { scf::YieldOp::create(nested, loc, result); };
  return scf::IfOp::create(b, active, whenActive, otherwise).getResult(0);
}
