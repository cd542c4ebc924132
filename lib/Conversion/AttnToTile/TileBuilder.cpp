//===- TileBuilder.cpp - Folding builder of scalar and tile arithmetic -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

Value TileBuilder::dim(Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return index(type.getDimSize(dim));
  return memref::DimOp::create(*this, memref, dim);
}

Value TileBuilder::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return createOrFold<arith::IndexCastOp>(getIndexType(), value);
}

Value TileBuilder::floatTile(ArrayRef<int64_t> shape, double value) {
  auto type = RankedTensorType::get(shape, getF32Type());
  return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, static_cast<float>(value)));
}

Value TileBuilder::splat(Value scalar, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalar.getType());
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, constant));
  return tile::SplatOp::create(*this, type, scalar);
}

Value TileBuilder::broadcast(Value rows, int64_t columns) {
  auto type = cast<RankedTensorType>(rows.getType());
  return tile::BroadcastOp::create(*this, type.clone({type.getDimSize(0), columns}), rows);
}

Value TileBuilder::iota(ArrayRef<int64_t> shape, Type elementType, int64_t dim) {
  return tile::IotaOp::create(*this, RankedTensorType::get(shape, elementType), dim);
}

Value TileBuilder::convertFloat(Value value, Type type) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == type)
    return value;
  Type to = type;
  if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
    to = tile.clone(type);
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(*this, to, value);
  return arith::TruncFOp::create(*this, to, value);
}

Value TileBuilder::exp2(Value value) { return math::Exp2Op::create(*this, value); }
