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
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace fovea;
using Lanes = PairEvaluator::Lanes;
using BinaryFunction = double (*)(double, double);

/// Quotients of numbers that are integers; a divisor of 0 counts as 1.
static double floorDiv(double x, double y) { return std::floor(x / (y == 0 ? 1 : y)); }
static double truncDiv(double x, double y) { return std::trunc(x / (y == 0 ? 1 : y)); }
static double modulo(double x, double y) { return y == 0 ? 0 : std::fmod(x, y); }

static double minimum(double x, double y) { return std::isunordered(x, y) ? NAN : std::fmin(x, y); }
static double maximum(double x, double y) { return std::isunordered(x, y) ? NAN : std::fmax(x, y); }

/// The function of a binary op on numbers; null for another op. Operands of unsigned ops are not negative.
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
      .Case<arith::MinimumFOp>([](auto) { return &minimum; })
      .Case<arith::MaximumFOp>([](auto) { return &maximum; })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MinNumFOp>(
          [](auto) { return +[](double x, double y) { return std::fmin(x, y); }; })
      .Case<arith::MaxSIOp, arith::MaxUIOp, arith::MaxNumFOp>(
          [](auto) { return +[](double x, double y) { return std::fmax(x, y); }; })
      .Case<arith::AndIOp>([](auto) { return +[](double x, double y) { return double(int64_t(x) & int64_t(y)); }; })
      .Case<arith::OrIOp>([](auto) { return +[](double x, double y) { return double(int64_t(x) | int64_t(y)); }; })
      .Case<arith::XOrIOp>([](auto) { return +[](double x, double y) { return double(int64_t(x) ^ int64_t(y)); }; })
      .Case<arith::ShLIOp>([](auto) { return +[](double x, double y) { return std::ldexp(x, int(y)); }; })
      .Case<arith::ShRUIOp, arith::ShRSIOp>(
          [](auto) { return +[](double x, double y) { return std::floor(std::ldexp(x, -int(y))); }; })
      .Default([](Operation *) { return BinaryFunction(); });
}

/// Unordered predicates hold where a number is a NaN.
static BinaryFunction getFloatComparison(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return [](double, double) { return 0.0; };
  case P::AlwaysTrue:
    return [](double, double) { return 1.0; };
  case P::ORD:
    return [](double x, double y) { return double(!std::isunordered(x, y)); };
  case P::UNO:
    return [](double x, double y) { return double(std::isunordered(x, y)); };
  case P::OEQ:
    return [](double x, double y) { return double(x == y); };
  case P::UEQ:
    return [](double x, double y) { return double(!std::islessgreater(x, y)); };
  case P::ONE:
    return [](double x, double y) { return double(std::islessgreater(x, y)); };
  case P::UNE:
    return [](double x, double y) { return double(x != y); };
  case P::OLT:
    return [](double x, double y) { return double(x < y); };
  case P::ULT:
    return [](double x, double y) { return double(!(x >= y)); };
  case P::OLE:
    return [](double x, double y) { return double(x <= y); };
  case P::ULE:
    return [](double x, double y) { return double(!(x > y)); };
  case P::OGT:
    return [](double x, double y) { return double(x > y); };
  case P::UGT:
    return [](double x, double y) { return double(!(x <= y)); };
  case P::OGE:
    return [](double x, double y) { return double(x >= y); };
  case P::UGE:
    return [](double x, double y) { return double(!(x < y)); };
  }
  return {};
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

/// Ops that read the bits of their operands as numbers that are not negative.
static bool isUnsigned(Operation &op) {
  return isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, arith::MinUIOp, arith::MaxUIOp, arith::ShRUIOp,
             arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(op);
}

/// Bits of an integer; an index has 64.
static unsigned getWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

/// An integer as it is after a wrap to its width, an i1 as 0 or 1.
static double wrap(double value, unsigned width) {
  double modulus = std::ldexp(1.0, static_cast<int>(width));
  value -= std::floor(value / modulus) * modulus;
  return width > 1 && value >= modulus / 2 ? value - modulus : value;
}

static double roundTo(double value, FloatType type) {
  if (type.isF64() || type.isF32())
    return type.isF64() ? value : static_cast<double>(static_cast<float>(value));
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

static double applyUnary(Operation &op, double value) {
  if (isa<arith::FPToSIOp>(op))
    return std::trunc(value);
  if (isa<arith::NegFOp>(op) || (isa<arith::ExtSIOp>(op) && op.getOperand(0).getType().isInteger(1)))
    return -value;
  return isa<math::AbsIOp, math::AbsFOp>(op) ? std::fabs(value) : value;
}

/// A number as another one that the message shows in full.
static std::string print(double value) { return llvm::formatv("{0}", static_cast<int64_t>(value)).str(); }

InFlightDiagnostic PairEvaluator::fault(Operation &op) {
  isFault = true;
  return op.emitError() << "'" << op.getName() << "' ";
}

std::string PairEvaluator::describe(size_t lane) const {
  if (positions.empty())
    return "";
  return " for query " + print(positions[2][lane]) + " and key " + print(positions[3][lane]) + " of batch entry " +
         print(positions[0][lane]) + " and head " + print(positions[1][lane]);
}

LogicalResult PairEvaluator::checkOperands(Operation &op, ArrayRef<Lanes> operands) {
  bool isShift = isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op);
  if (!isShift && !isUnsigned(op))
    return success();
  for (size_t i = 0; i < numLanes; ++i) {
    if (!active[i])
      continue;
    if (isShift && !(operands[1][i] >= 0 && operands[1][i] < getWidth(op.getResult(0).getType())))
      return fault(op) << "shifts by " << print(operands[1][i]) << describe(i);
    for (const Lanes &lanes : operands)
      if (isUnsigned(op) && lanes[i] < 0)
        return fault(op) << "reads " << print(lanes[i]) << " as a number of 64 bits without a sign" << describe(i);
  }
  return success();
}

LogicalResult PairEvaluator::convert(Operation &op, Lanes &result) {
  constexpr double kExact = 0x1p53;
  Type type = op.getResult(0).getType();
  if (auto real = dyn_cast<FloatType>(type)) {
    for (double &value : result)
      value = roundTo(value, real);
    return success();
  }
  unsigned width = getWidth(type);
  double high = width == 1 ? 2 : std::ldexp(1.0, static_cast<int>(width) - 1), low = width == 1 ? 0 : -high;
  for (size_t i = 0; i < numLanes; ++i) {
    if (!(std::fabs(result[i]) <= kExact)) {
      if (active[i])
        return fault(op) << "gives a number beyond 2^53, which is not exact here," << describe(i);
      result[i] = 0;
    } else if (result[i] < low || result[i] >= high) {
      result[i] = wrap(result[i], width);
    }
  }
  return success();
}

double fovea::toNumber(const APInt &integer) {
  if (integer.getBitWidth() == 1)
    return integer.isZero() ? 0 : 1;
  return static_cast<double>(integer.getSExtValue());
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
    return all(toNumber(integer));
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
    // An i1 is 0 or 1 already.
    unsigned width = isUnsigned(op) ? getWidth(operand.getType()) : 0;
    for (double &value : *lanes)
      if (width > 1 && width < 64 && value < 0)
        value += std::ldexp(1.0, static_cast<int>(width));
    operands.push_back(std::move(*lanes));
  }
  if (failed(checkOperands(op, operands)))
    return failure();
  Lanes result(numLanes);
  for (size_t i = 0; i < numLanes; ++i) {
    if (binary || comparison)
      result[i] = (binary ? binary : comparison)(operands[0][i], operands[1][i]);
    else
      result[i] = isa<arith::SelectOp>(op) ? operands[operands[0][i] != 0 ? 1 : 2][i] : applyUnary(op, operands[0][i]);
  }
  if (failed(convert(op, result)))
    return failure();
  values[op.getResult(0)] = std::move(result);
  return success();
}

/// Both branches are evaluated, each for the lanes that take it.
LogicalResult PairEvaluator::visitIf(scf::IfOp branch) {
  if (branch->getNumResults() == 0)
    return success();
  FailureOr<Lanes> condition = lookup(*branch, branch.getCondition());
  if (failed(condition))
    return failure();
  std::vector<char> outer = active;
  for (bool taken : {true, false}) {
    for (size_t i = 0; i < numLanes; ++i)
      active[i] = outer[i] && ((*condition)[i] != 0) == taken;
    if (failed(visitBlock(taken ? *branch.thenBlock() : *branch.elseBlock())))
      return failure();
  }
  active = std::move(outer);
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

/// "argument 3", as the --arg of a user counts them, or "a constant".
static std::string getArrayName(Value array) {
  auto argument = dyn_cast<BlockArgument>(array);
  return argument ? "argument " + std::to_string(argument.getArgNumber()) : "a constant";
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
      bool isInside = at >= 0 && at < size;
      if (!isInside && active[i])
        return fault(op) << "reads position " << at << " in dimension " << dim << " of " << getArrayName(array->first)
                         << ", whose size there is " << size << "," << describe(i);
      offsets[i] = isInside && offsets[i] >= 0 ? offsets[i] * size + at : -1;
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

FailureOr<Lanes> PairEvaluator::evaluate(Region &region, ArrayRef<Lanes> arguments, std::vector<char> lanes) {
  active = std::move(lanes);
  positions.assign(arguments.begin(), arguments.end());
  for (auto [argument, given] : llvm::zip_equal(region.getArguments(), arguments))
    values[argument] = given;
  if (failed(visitBlock(region.front())))
    return failure();
  Operation *yield = region.front().getTerminator();
  return lookup(*yield, yield->getOperand(0));
}
