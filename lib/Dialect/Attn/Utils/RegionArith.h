//===- RegionArith.h - Short forms of a region's operations -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_UTILS_REGIONARITH_H
#define FOVEA_LIB_DIALECT_ATTN_UTILS_REGIONARITH_H

#include "fovea/Dialect/Attn/Utils/Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fovea::attn {

using RegionBuilder = mlir::ImplicitLocOpBuilder;

inline mlir::Value index(RegionBuilder &b, int64_t value) { return mlir::arith::ConstantIndexOp::create(b, value); }
inline mlir::Value add(RegionBuilder &b, mlir::Value lhs, mlir::Value rhs) {
  return b.createOrFold<mlir::arith::AddIOp>(lhs, rhs);
}
inline mlir::Value sub(RegionBuilder &b, mlir::Value lhs, mlir::Value rhs) {
  return b.createOrFold<mlir::arith::SubIOp>(lhs, rhs);
}
inline mlir::Value compare(RegionBuilder &b, mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs) {
  return mlir::arith::CmpIOp::create(b, predicate, lhs, rhs);
}
inline mlir::Value real(RegionBuilder &b, double value) {
  return mlir::arith::ConstantOp::create(b, b.getF32FloatAttr(static_cast<float>(value)));
}

/// An element of a captured tensor or memref.
inline mlir::Value read(RegionBuilder &b, mlir::Value from, mlir::ValueRange indices) {
  if (mlir::isa<mlir::MemRefType>(from.getType()))
    return mlir::memref::LoadOp::create(b, from, indices);
  return mlir::tensor::ExtractOp::create(b, from, indices);
}

/// `value` (an integer or an index) as index.
inline mlir::Value toIndex(RegionBuilder &b, mlir::Value value) {
  return value.getType().isIndex() ? value : mlir::arith::IndexCastOp::create(b, b.getIndexType(), value).getResult();
}

/// An index as f32.
inline mlir::Value toFloat(RegionBuilder &b, mlir::Value value) {
  mlir::Value wide = mlir::arith::IndexCastOp::create(b, b.getI64Type(), value);
  return mlir::arith::SIToFPOp::create(b, b.getF32Type(), wide);
}

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_UTILS_REGIONARITH_H
