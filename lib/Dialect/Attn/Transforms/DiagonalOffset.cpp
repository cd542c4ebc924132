//===- DiagonalOffset.cpp - Diagonals that an operand names -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/DiagonalOffset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value fovea::attn::buildShiftedOffset(ImplicitLocOpBuilder &b, Value offset, int64_t distance, int64_t limit) {
  auto index = [&](int64_t value) { return b.createOrFold<arith::ConstantIndexOp>(value); };
  if (distance > 0)
    offset = b.createOrFold<arith::MinSIOp>(offset, index(limit - distance));
  if (distance < 0)
    offset = b.createOrFold<arith::MaxSIOp>(offset, index(-limit - distance));
  if (distance != 0)
    offset = b.createOrFold<arith::AddIOp>(offset, index(distance));
  Value least = index(-limit), most = index(limit);
  return b.createOrFold<arith::MaxSIOp>(b.createOrFold<arith::MinSIOp>(offset, most), least);
}
