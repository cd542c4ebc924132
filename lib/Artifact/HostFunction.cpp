//===- HostFunction.cpp - Data flow of a host function -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunction.h"
#include "Limits.h"
#include "fovea/Artifact/ArtifactBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

std::optional<abi::ElementType> fovea::lookupElementType(Type type) {
  using abi::ElementType;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF64())
    return ElementType::F64;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (type.isIndex())
    return ElementType::Index;
  if (type.isInteger(1))
    return ElementType::I1;
  if (type.isInteger(8))
    return ElementType::I8;
  if (type.isInteger(16))
    return ElementType::I16;
  if (type.isInteger(32))
    return ElementType::I32;
  if (type.isInteger(64))
    return ElementType::I64;
  return std::nullopt;
}

FailureOr<abi::ElementType> fovea::getElementType(Location loc, Type type) {
  if (std::optional<abi::ElementType> element = lookupElementType(type))
    return *element;
  return emitError(loc) << "values of type " << type
                        << " cannot cross the boundary of an artifact; use f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i1, "
                           "i8, i16, i32, i64 or index";
}

SmallVector<AttentionOp> fovea::getAttentionOps(func::FuncOp host) {
  SmallVector<AttentionOp> ops;
  host.walk([&](AttentionOp op) { ops.push_back(op); });
  return ops;
}

/// What the runtime has room for.
static LogicalResult checkCounts(func::FuncOp host) {
  struct Count {
    size_t count, most;
    StringLiteral what, instead;
  };
  const Count counts[] = {{host.getNumArguments(), kMaxValues, "arguments", "pass several numbers as a tensor"},
                          {host.getNumResults(), kMaxValues, "results", "make several functions of it"},
                          {getAttentionOps(host).size(), kMaxSteps, "attention ops", "make several functions of it"}};
  for (const Count &count : counts)
    if (count.count > count.most)
      return host.emitError() << "has " << count.count << " " << count.what
                              << ", but a function of an artifact has up to " << count.most << "; " << count.instead;
  return success();
}

LogicalResult fovea::verifyHostFunction(func::FuncOp host) {
  if (!host.getBody().hasOneBlock())
    return host.emitError() << "has control flow, which an artifact cannot hold";
  if (getAttentionOps(host).empty())
    return host.emitError() << "holds no attention op, so there is nothing to compile";
  if (failed(checkCounts(host)))
    return failure();
  for (Operation &op : host.getBody().front()) {
    bool isShapeOp = isa_and_nonnull<arith::ArithDialect>(op.getDialect()) &&
                     llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
    bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
    if (!isa<AttentionOp, tensor::EmptyOp, tensor::DimOp, memref::DimOp, tensor::CastOp, func::ReturnOp>(op) &&
        !isShapeOp && !isConstant)
      return op.emitError() << "'" << op.getName()
                            << "' cannot become part of an artifact; a function may hold attn.attention, "
                               "tensor.empty, tensor.dim, memref.dim and index arithmetic";
  }
  return success();
}

FailureOr<ProblemExprs> fovea::getProblemExprs(AttentionOp op) {
  struct Size {
    attn::ProblemSymbol symbol;
    Value value;
    int64_t dim;
  };
  using attn::ProblemSymbol;
  const Size sizes[] = {{ProblemSymbol::Batch, op.getQuery(), 0},
                        {ProblemSymbol::QueryHeads, op.getQuery(), 1},
                        {ProblemSymbol::KVHeads, op.getKey(), 1},
                        {ProblemSymbol::QueryLength, op.getQuery(), 2},
                        {ProblemSymbol::KVLength, op.getKey(), 2}};
  ProblemExprs exprs;
  for (const Size &size : sizes) {
    FailureOr<Expr> expr = convertDim(size.value, size.dim);
    if (failed(expr))
      return failure();
    exprs[static_cast<unsigned>(size.symbol)] = std::move(*expr);
  }
  exprs[static_cast<unsigned>(ProblemSymbol::Threads)] = {abi::ExprNode(abi::ExprOp::Threads, 0, 0)};
  exprs[static_cast<unsigned>(ProblemSymbol::Alignment)] = {abi::ExprNode(abi::ExprOp::Alignment, 0, 0)};
  return exprs;
}

//===----------------------------------------------------------------------===//
// HostStorage
//===----------------------------------------------------------------------===//

/// A binding with the type and rank of `value`.
static FailureOr<std::unique_ptr<abi::BindingT>> makeBinding(Value value, abi::BindingKind kind, int index) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  FailureOr<abi::ElementType> type = getElementType(value.getLoc(), shaped ? shaped.getElementType() : value.getType());
  if (failed(type))
    return failure();
  auto binding = std::make_unique<abi::BindingT>();
  binding->kind = kind;
  binding->index = index;
  binding->type = *type;
  binding->rank = static_cast<int8_t>(shaped ? shaped.getRank() : -1);
  return binding;
}

/// A scalar that is computed on the host: a float constant, or an integer expression.
static FailureOr<std::unique_ptr<abi::BindingT>> bindScalar(Value value) {
  FailureOr<std::unique_ptr<abi::BindingT>> binding = makeBinding(value, abi::BindingKind::Constant, 0);
  if (failed(binding))
    return failure();
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    (*binding)->bits = constant.getValue().bitcastToAPInt().getZExtValue();
    return binding;
  }
  if (!value.getType().isIntOrIndex())
    return emitError(value.getLoc()) << "this " << value.getType()
                                     << " is computed in the function; an artifact takes it as an argument or constant";
  FailureOr<Expr> expr = convertIndexValue(value);
  if (failed(expr))
    return failure();
  (*binding)->kind = abi::BindingKind::Expression;
  (*binding)->expr = toTable(std::move(*expr));
  return binding;
}

FailureOr<std::unique_ptr<abi::BindingT>> HostStorage::bind(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return makeBinding(value, abi::BindingKind::Argument, argument.getArgNumber());
  if (!isa<ShapedType>(value.getType()))
    return bindScalar(value);
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    return bind(cast.getSource());
  if (value.getDefiningOp<AttentionOp>())
    return bindResult(cast<OpResult>(value));
  return emitError(value.getLoc()) << "an attention op reads this value, which is neither an argument nor the result "
                                      "of an attention op";
}

FailureOr<std::unique_ptr<abi::BindingT>> HostStorage::bindDestination(OpOperand &operand) {
  auto op = cast<DestinationStyleOpInterface>(operand.getOwner());
  if (isa<MemRefType>(operand.get().getType()))
    return bind(operand.get());
  return bindResult(op.getTiedOpResult(&operand));
}

/// The position at which the function returns `value`, looking through casts.
static std::optional<int> getReturnPosition(func::FuncOp host, Value value) {
  for (OpOperand &returned : host.getBody().front().getTerminator()->getOpOperands()) {
    Value source = returned.get();
    while (auto cast = source.getDefiningOp<tensor::CastOp>())
      source = cast.getSource();
    if (source == value)
      return static_cast<int>(returned.getOperandNumber());
  }
  return std::nullopt;
}

FailureOr<std::unique_ptr<abi::BindingT>> HostStorage::bindResult(OpResult result) {
  if (std::optional<int> position = getReturnPosition(host, result))
    return makeBinding(result, abi::BindingKind::Result, *position);
  auto [it, inserted] = temporaryNumbers.try_emplace(result, static_cast<int>(temporaries.size()));
  FailureOr<std::unique_ptr<abi::BindingT>> binding = makeBinding(result, abi::BindingKind::Temporary, it->second);
  if (failed(binding) || !inserted)
    return binding;
  auto buffer = std::make_unique<abi::BufferT>();
  buffer->type = (*binding)->type;
  for (int64_t dim = 0; dim < cast<ShapedType>(result.getType()).getRank(); ++dim) {
    FailureOr<Expr> size = convertDim(result, dim);
    if (failed(size))
      return failure();
    buffer->dims.push_back(toTable(std::move(*size)));
  }
  temporaries.push_back(std::move(buffer));
  return binding;
}
