//===- Captures.cpp - What the values of a function are -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Captures.h"
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

/// Reads one argument.
static LogicalResult addArgument(BlockArgument argument, StringRef text, Environment &environment) {
  Operation *function = argument.getOwner()->getParentOp();
  auto shaped = dyn_cast<ShapedType>(argument.getType());
  if (!shaped) {
    if (text.getAsDouble(environment.scalars[argument]))
      return function->emitError() << "argument " << argument.getArgNumber() << " is a number, but got '" << text
                                   << "'";
    return success();
  }
  Array &array = environment.arrays[argument];
  std::string message = readNpyFile(text.str(), getTypeName(shaped.getElementType()), array);
  if (!message.empty())
    return function->emitError() << "argument " << argument.getArgNumber() << ": " << message;
  if (static_cast<int64_t>(array.dims.size()) != shaped.getRank())
    return function->emitError() << "argument " << argument.getArgNumber() << " has rank " << shaped.getRank()
                                 << ", but '" << text << "' has rank " << array.dims.size();
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
  bool isQuery = source == op.getQuery() || source == op.getOutput();
  if (which == 3 || (!isQuery && source != op.getKey() && source != op.getValue()))
    return cast<ShapedType>(source.getType()).isDynamicDim(which)
               ? std::nullopt
               : std::optional(cast<ShapedType>(source.getType()).getDimSize(which));
  return ArrayRef<int64_t>{sizes.batch, sizes.heads, isQuery ? sizes.queries : sizes.keys}[which];
}

/// Evaluates the ops of the function that come before the attention op, as far as they are known.
static void evaluateBody(attn::AttentionOp op, const Sizes &sizes, Environment &environment) {
  ScopedDiagnosticHandler silence(op.getContext(), [](Diagnostic &) { return success(); });
  for (Operation &other : *op->getBlock()) {
    if (&other == op)
      return;
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
          array.values.push_back(value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue());
    } else if (other.getNumResults() == 1 && other.getNumRegions() == 0 &&
               other.getResult(0).getType().isIntOrIndexOrFloat()) {
      PairEvaluator evaluator(environment, 1);
      FailureOr<PairEvaluator::Lanes> result;
      if (succeeded(evaluator.visit(other)) && succeeded(result = evaluator.lookup(other, other.getResult(0))))
        environment.scalars[other.getResult(0)] = result->front();
    }
  }
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
  evaluateBody(op, sizes, environment);
  return environment;
}
