//===- PairEvaluator.cpp - A mask region on concrete pairs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace fovea;
using Lanes = PairEvaluator::Lanes;
using BinaryFunction = double (*)(double, double);

/// Quotients of numbers that are integers; a division by 0 belongs to a pair that does not take the branch.
static double floorDiv(double x, double y) { return y == 0 ? 0 : std::floor(x / y); }
static double truncDiv(double x, double y) { return y == 0 ? 0 : std::trunc(x / y); }
static double modulo(double x, double y) { return y == 0 ? 0 : std::fmod(x, y); }

/// The function of a binary op on numbers; null for another op. Unsigned ops mean what signed ones do: positions are
/// not negative.
static BinaryFunction getBinary(Operation &op) {
  return llvm::TypeSwitch<Operation *, BinaryFunction>(&op)
      .Case<arith::AddIOp, arith::AddFOp>([](auto) { return +[](double x, double y) { return x + y; }; })
      .Case<arith::SubIOp, arith::SubFOp>([](auto) { return +[](double x, double y) { return x - y; }; })
      .Case<arith::MulIOp, arith::MulFOp>([](auto) { return +[](double x, double y) { return x * y; }; })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>([](auto) { return &floorDiv; })
      .Case<arith::DivSIOp>([](auto) { return &truncDiv; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [](auto) { return +[](double x, double y) { return -floorDiv(-x, y); }; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return &modulo; })
      .Case<arith::DivFOp>([](auto) { return +[](double x, double y) { return x / y; }; })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MinimumFOp, arith::MinNumFOp>(
          [](auto) { return +[](double x, double y) { return std::fmin(x, y); }; })
      .Case<arith::MaxSIOp, arith::MaxUIOp, arith::MaximumFOp, arith::MaxNumFOp>(
          [](auto) { return +[](double x, double y) { return std::fmax(x, y); }; })
      .Case<arith::AndIOp>([](auto) { return +[](double x, double y) { return double(int64_t(x) & int64_t(y)); }; })
      .Case<arith::OrIOp>([](auto) { return +[](double x, double y) { return double(int64_t(x) | int64_t(y)); }; })
      .Case<arith::XOrIOp>([](auto) { return +[](double x, double y) { return double(int64_t(x) ^ int64_t(y)); }; })
      .Case<arith::ShLIOp>([](auto) { return +[](double x, double y) { return std::ldexp(x, int(y)); }; })
      .Case<arith::ShRUIOp, arith::ShRSIOp>(
          [](auto) { return +[](double x, double y) { return std::floor(std::ldexp(x, -int(y))); }; })
      .Default([](Operation *) { return BinaryFunction(); });
}

/// No number of a mask is a NaN: ordered and unordered mean the same.
static BinaryFunction getFloatComparison(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ:
  case P::UEQ:
    return [](double x, double y) { return double(x == y); };
  case P::ONE:
  case P::UNE:
    return [](double x, double y) { return double(x != y); };
  case P::OLT:
  case P::ULT:
    return [](double x, double y) { return double(x < y); };
  case P::OLE:
  case P::ULE:
    return [](double x, double y) { return double(x <= y); };
  case P::OGT:
  case P::UGT:
    return [](double x, double y) { return double(x > y); };
  case P::OGE:
  case P::UGE:
    return [](double x, double y) { return double(x >= y); };
  default:
    return {};
  }
}

static BinaryFunction getComparison(Operation &op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return getFloatComparison(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    switch (compare.getPredicate()) {
    case P::eq:
      return [](double x, double y) { return double(x == y); };
    case P::ne:
      return [](double x, double y) { return double(x != y); };
    case P::slt:
      return [](double x, double y) { return double(x < y); };
    case P::sle:
      return [](double x, double y) { return double(x <= y); };
    case P::sgt:
      return [](double x, double y) { return double(x > y); };
    case P::sge:
      return [](double x, double y) { return double(x >= y); };
    // A negative number is a large one.
    case P::ult:
      return [](double x, double y) { return double(y < 0 ? x >= 0 || x < y : x >= 0 && x < y); };
    case P::ule:
      return [](double x, double y) { return double(y < 0 ? x >= 0 || x <= y : x >= 0 && x <= y); };
    case P::ugt:
      return [](double x, double y) { return double(y < 0 ? x < 0 && x > y : x < 0 || x > y); };
    case P::uge:
      return [](double x, double y) { return double(y < 0 ? x < 0 && x >= y : x < 0 || x >= y); };
    }
  }
  return {};
}

static bool isUnary(Operation &op) {
  return isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::ExtFOp, arith::TruncFOp, arith::FPToSIOp, arith::ExtSIOp, arith::NegFOp,
             math::AbsIOp, math::AbsFOp>(op);
}

static double applyUnary(Operation &op, double value) {
  if (isa<arith::FPToSIOp>(op))
    return std::trunc(value);
  if (isa<arith::NegFOp>(op) || (isa<arith::ExtSIOp>(op) && op.getOperand(0).getType().isInteger(1)))
    return -value;
  return isa<math::AbsIOp, math::AbsFOp>(op) ? std::fabs(value) : value;
}

FailureOr<Lanes> PairEvaluator::lookup(Operation &user, Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  auto all = [&](double number) { return Lanes(numLanes, number); };
  if (auto scalar = environment.scalars.find(value); scalar != environment.scalars.end())
    return all(scalar->second);
  APInt integer;
  APFloat real(0.0f);
  if (matchPattern(value, m_ConstantInt(&integer)))
    return all(value.getType().isInteger(1) ? integer.getZExtValue() : integer.getSExtValue());
  if (matchPattern(value, m_ConstantFloat(&real)))
    return all(real.convertToDouble());
  return user.emitError() << "'" << user.getName() << "' uses a value that is not known; give it with --arg";
}

LogicalResult PairEvaluator::visit(Operation &op) {
  if (isa<arith::ConstantOp>(op))
    return success();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  if (isa<tensor::ExtractOp, memref::LoadOp>(op))
    return visitLoad(op);
  if (isa<tensor::DimOp, memref::DimOp>(op))
    return visitDim(op);
  BinaryFunction binary = getBinary(op), comparison = getComparison(op);
  if (!binary && !comparison && !isUnary(op) && !isa<arith::SelectOp>(op))
    return op.emitError() << "'" << op.getName()
                          << "' cannot be evaluated here; use arith, math.absi, scf.if and loads";
  SmallVector<Lanes, 3> operands;
  for (Value operand : op.getOperands()) {
    FailureOr<Lanes> lanes = lookup(op, operand);
    if (failed(lanes))
      return failure();
    operands.push_back(std::move(*lanes));
  }
  Lanes result(numLanes);
  for (size_t i = 0; i < numLanes; ++i) {
    if (binary || comparison)
      result[i] = (binary ? binary : comparison)(operands[0][i], operands[1][i]);
    else
      result[i] = isa<arith::SelectOp>(op) ? operands[operands[0][i] != 0 ? 1 : 2][i] : applyUnary(op, operands[0][i]);
  }
  values[op.getResult(0)] = std::move(result);
  return success();
}

/// Both branches are evaluated; a load of a branch that is not taken may be out of bounds, and gives 0.
LogicalResult PairEvaluator::visitIf(scf::IfOp branch) {
  if (branch->getNumResults() == 0)
    return success();
  FailureOr<Lanes> condition = lookup(*branch, branch.getCondition());
  if (failed(condition) || failed(visitBlock(*branch.thenBlock())) || failed(visitBlock(*branch.elseBlock())))
    return failure();
  for (auto [result, onTrue, onFalse] :
       llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(), branch.elseYield().getOperands())) {
    FailureOr<Lanes> lhs = lookup(*branch, onTrue), rhs = lookup(*branch, onFalse);
    if (failed(lhs) || failed(rhs))
      return failure();
    for (size_t i = 0; i < numLanes; ++i)
      if ((*condition)[i] == 0)
        (*lhs)[i] = (*rhs)[i];
    values[result] = std::move(*lhs);
  }
  return success();
}

LogicalResult PairEvaluator::visitLoad(Operation &op) {
  auto array = environment.arrays.find(op.getOperand(0));
  if (array == environment.arrays.end())
    return op.emitError() << "reads a tensor that is not known; give it with --arg";
  std::vector<int64_t> offsets(numLanes, 0);
  for (auto [dim, index] : llvm::enumerate(op.getOperands().drop_front())) {
    FailureOr<Lanes> lanes = lookup(op, index);
    if (failed(lanes))
      return failure();
    int64_t size = array->second.dims[dim];
    for (size_t i = 0; i < numLanes; ++i) {
      auto at = static_cast<int64_t>((*lanes)[i]);
      bool isInside = at >= 0 && at < size && offsets[i] >= 0;
      offsets[i] = isInside ? offsets[i] * size + at : -1;
    }
  }
  Lanes result(numLanes, 0);
  for (size_t i = 0; i < numLanes; ++i)
    if (offsets[i] >= 0)
      result[i] = array->second.values[offsets[i]];
  values[op.getResult(0)] = std::move(result);
  return success();
}

LogicalResult PairEvaluator::visitDim(Operation &op) {
  auto array = environment.arrays.find(op.getOperand(0));
  FailureOr<Lanes> dim = lookup(op, op.getOperand(1));
  if (failed(dim))
    return failure();
  auto position = static_cast<size_t>(dim->front());
  if (array == environment.arrays.end() || position >= array->second.dims.size())
    return op.emitError() << "asks for the size of a tensor that is not known; give it with --arg";
  values[op.getResult(0)] = Lanes(numLanes, array->second.dims[position]);
  return success();
}

LogicalResult PairEvaluator::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(op)))
      return failure();
  return success();
}

FailureOr<Lanes> PairEvaluator::evaluate(Region &region, ArrayRef<Lanes> arguments) {
  for (auto [argument, lanes] : llvm::zip_equal(region.getArguments(), arguments))
    values[argument] = lanes;
  if (failed(visitBlock(region.front())))
    return failure();
  Operation *yield = region.front().getTerminator();
  return lookup(*yield, yield->getOperand(0));
}
