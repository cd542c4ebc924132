//===- Captures.cpp - What the values of a function are -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Captures.h"
#include "../common/Numbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;

static std::string getTypeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// Reads a number of the type of an argument; integers are those that a double has exactly.
static LogicalResult readScalar(BlockArgument argument, StringRef text, double &value) {
  Operation *function = argument.getOwner()->getParentOp();
  Type type = argument.getType();
  auto error = [&] {
    return function->emitError() << "argument " << argument.getArgNumber() << " is a number of type " << type << ", ";
  };
  if (type.isInteger(1) && (text == "true" || text == "false")) {
    value = text == "true";
    return success();
  }
  int64_t integer = 0;
  bool isReal = isa<FloatType>(type);
  NumberFault fault = isReal ? parseReal(text.str(), value) : parseInteger(text.str(), integer);
  if (fault == NumberFault::Malformed)
    return error() << "but got '" << text << "'";
  if (isReal)
    return fault == NumberFault::None ? success() : error() << "for which '" << text << "' is too large";
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  int64_t most = width == 1 ? 1 : (int64_t(1) << std::min(width - 1, 53u)) - 1, least = width == 1 ? 0 : -most - 1;
  if (fault != NumberFault::None || integer < least || integer > most)
    return error() << "but '" << text << "' is not in [" << least << ", " << most << "]";
  value = static_cast<double>(integer);
  return success();
}

/// Reads one argument.
static LogicalResult addArgument(BlockArgument argument, StringRef text, Environment &environment) {
  Operation *function = argument.getOwner()->getParentOp();
  auto shaped = dyn_cast<ShapedType>(argument.getType());
  if (!shaped)
    return readScalar(argument, text, environment.scalars[argument]);
  auto error = [&] { return function->emitError() << "argument " << argument.getArgNumber(); };
  double number;
  if (parseReal(text.str(), number) != NumberFault::Malformed)
    return error() << " has type " << shaped << ": name an npy file with it, not the number " << text;
  Array &array = environment.arrays[argument];
  std::string message = readNpyFile(text.str(), getTypeName(shaped.getElementType()), array);
  if (!message.empty())
    return error() << ": " << message;
  if (static_cast<int64_t>(array.dims.size()) != shaped.getRank())
    return error() << " has rank " << shaped.getRank() << ", but '" << text << "' has rank " << array.dims.size();
  for (auto [dim, declared, size] : llvm::enumerate(shaped.getShape(), array.dims))
    if (!ShapedType::isDynamic(declared) && declared != size)
      return error() << " has " << declared << " in dimension " << dim << ", but '" << text << "' has " << size;
  return success();
}

/// The size of a dimension of Q or K, or of a captured array.
static std::optional<int64_t> getSize(attn::AttentionOp op, const Sizes &sizes, const Environment &environment,
                                      Value source, Value dim) {
  APInt number;
  if (!matchPattern(dim, m_ConstantInt(&number)))
    return std::nullopt;
  uint64_t which = number.getZExtValue();
  if (auto array = environment.arrays.find(source); array != environment.arrays.end())
    return which < array->second.dims.size() ? std::optional(array->second.dims[which]) : std::nullopt;
  auto shaped = cast<ShapedType>(source.getType());
  if (!shaped.hasRank() || which >= static_cast<uint64_t>(shaped.getRank()))
    return std::nullopt;
  if (!shaped.isDynamicDim(which))
    return shaped.getDimSize(which);
  bool isQuery = source == op.getQuery() || source == op.getOutput();
  // A picture is of one batch entry and head: how many there are is not known.
  if (which != 2 || (!isQuery && source != op.getKey() && source != op.getValue()))
    return std::nullopt;
  return isQuery ? sizes.queries : sizes.keys;
}

/// Evaluates an op with one number as its result, as far as it is known. What is undefined is an error.
static LogicalResult evaluateScalar(Operation &op, Environment &environment) {
  PairEvaluator evaluator(environment, 1);
  FailureOr<PairEvaluator::Lanes> result = failure();
  {
    ScopedDiagnosticHandler silence(op.getContext(), [](Diagnostic &) { return success(); });
    if (succeeded(evaluator.visit(op)))
      result = evaluator.lookup(op, op.getResult(0));
  }
  // Once more, to be heard.
  if (evaluator.hasFault())
    return evaluator.visit(op);
  if (succeeded(result))
    environment.scalars[op.getResult(0)] = result->front();
  return success();
}

/// Evaluates the ops of the function that come before the attention op, as far as they are known.
static LogicalResult evaluateBody(attn::AttentionOp op, const Sizes &sizes, Environment &environment) {
  for (Operation &other : *op->getBlock()) {
    if (&other == op)
      return success();
    DenseElementsAttr constant;
    if (isa<tensor::DimOp, memref::DimOp>(other)) {
      if (auto size = getSize(op, sizes, environment, other.getOperand(0), other.getOperand(1)))
        environment.scalars[other.getResult(0)] = *size;
    } else if (other.getNumResults() == 1 && matchPattern(other.getResult(0), m_Constant(&constant))) {
      Array &array = environment.arrays[other.getResult(0)];
      array.dims.assign(constant.getType().getShape().begin(), constant.getType().getShape().end());
      if (isa<FloatType>(constant.getElementType()))
        for (APFloat value : constant.getValues<APFloat>())
          array.values.push_back(value.convertToDouble());
      else
        for (APInt value : constant.getValues<APInt>())
          array.values.push_back(toNumber(value));
    } else if (other.getNumResults() == 1 && other.getNumRegions() == 0 &&
               other.getResult(0).getType().isIntOrIndexOrFloat()) {
      if (failed(evaluateScalar(other, environment)))
        return failure();
    }
  }
  return success();
}

FailureOr<Environment> fovea::evaluateFunction(attn::AttentionOp op, const Sizes &sizes,
                                               ArrayRef<std::string> arguments) {
  Environment environment;
  auto function = op->getParentOfType<func::FuncOp>();
  if (!function)
    return op.emitError() << "is in no function";
  SmallVector<BlockArgument> open;
  for (BlockArgument argument : function.getArguments())
    if (argument != op.getQuery() && argument != op.getKey() && argument != op.getValue() && argument != op.getOutput())
      open.push_back(argument);
  if (arguments.size() > open.size())
    return function.emitError() << "has " << open.size() << " arguments beside Q, K, V and O, but got "
                                << arguments.size();
  for (auto [argument, text] : llvm::zip(open, arguments))
    if (!text.empty() && failed(addArgument(argument, text, environment)))
      return failure();
  if (failed(evaluateBody(op, sizes, environment)))
    return failure();
  return environment;
}
