//===- Lanes.cpp - Lanes that compute a task of scalar code together -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

Lanes::Lanes(Operation *op) {
  auto attribute = op->getAttrOfType<IntegerAttr>(attn::kLanesAttrName);
  count = attribute ? attribute.getInt() : 1;
}

Value Lanes::getNumber(TileBuilder &b) const {
  return areMany() ? tile::LaneOp::create(b, b.getIndexType(), count).getResult() : b.index(0);
}

Value Lanes::reduce(ImplicitLocOpBuilder &b, tile::LaneReduceKind kind, Value value) const {
  return areMany() ? tile::ReduceLanesOp::create(b, value.getType(), kind, value, count).getResult() : value;
}

std::pair<Value, Value> Lanes::countHolding(TileBuilder &b, Value condition) const {
  if (!areMany())
    return {b.i32(0), arith::ExtUIOp::create(b, b.getI32Type(), condition)};
  auto counts = tile::CountLanesOp::create(b, condition, count);
  return {counts.getBefore(), counts.getAll()};
}

void Lanes::enterFirst(TileBuilder &b) const {
  if (!areMany())
    return;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, getNumber(b), b.index(0));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
}
