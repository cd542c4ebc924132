//===- Builders.cpp - Short forms for loops, indices and vectors -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea::cpu;

Value TileLowering::constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value TileLowering::add(Value lhs, int64_t rhs) { return rhs == 0 ? lhs : add(lhs, constant(rhs)); }

Value TileLowering::add(Value lhs, Value rhs) { return b.createOrFold<arith::AddIOp>(lhs, rhs); }

Value TileLowering::mul(Value lhs, int64_t rhs) { return rhs == 1 ? lhs : mul(lhs, constant(rhs)); }

Value TileLowering::mul(Value lhs, Value rhs) { return b.createOrFold<arith::MulIOp>(lhs, rhs); }

Value TileLowering::minimum(Value lhs, Value rhs) { return b.createOrFold<arith::MinSIOp>(lhs, rhs); }

Value TileLowering::clamp(Value value, int64_t upper) {
  return b.createOrFold<arith::MaxSIOp>(minimum(value, constant(upper)), constant(0));
}

Value TileLowering::fma(Value a, Value x, Value c) {
  if (machine.hasFMA)
    return vector::FMAOp::create(b, a, x, c);
  return arith::AddFOp::create(b, arith::MulFOp::create(b, a, x), c);
}

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Value TileLowering::toDoubles(Value floats) {
  return b.createOrFold<arith::ExtFOp>(withElement(floats.getType(), b.getF64Type()), floats);
}

Value TileLowering::toFloats(Value doubles) {
  return b.createOrFold<arith::TruncFOp>(withElement(doubles.getType(), b.getF32Type()), doubles);
}

Value TileLowering::zeros(int64_t width) {
  auto type = VectorType::get(width, b.getF32Type());
  return arith::ConstantOp::create(b, type, b.getZeroAttr(type));
}

Value TileLowering::splat(Value value, int64_t width) {
  return vector::BroadcastOp::create(b, VectorType::get(width, value.getType()), value);
}

Value TileLowering::loadVector(Value memref, Value offset, int64_t width) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return vector::LoadOp::create(b, VectorType::get(width, element), memref, offset);
}

Value TileLowering::loadBroadcast(Value memref, Value offset, int64_t width) {
  return splat(memref::LoadOp::create(b, memref, offset), width);
}

void TileLowering::storeVector(Value vector, Value memref, Value offset) {
  vector::StoreOp::create(b, vector, memref, offset);
}

SmallVector<Value> TileLowering::loop(Value begin, Value end, int64_t step, ValueRange inits,
                                      function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto bodyBuilder = [&](OpBuilder &nested, Location loc, Value iv, ValueRange args) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
    SmallVector<Value> results = body(iv, args);
    scf::YieldOp::create(b, results);
  };
  return llvm::to_vector(
      ValueRange(scf::ForOp::create(b, begin, end, constant(step), inits, bodyBuilder).getResults()));
}

void TileLowering::loop(Value begin, Value end, int64_t step, function_ref<void(Value)> body) {
  loop(begin, end, step, ValueRange(), [&](Value iv, ValueRange) {
    body(iv);
    return SmallVector<Value>();
  });
}
