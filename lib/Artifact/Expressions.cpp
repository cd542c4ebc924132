//===- Expressions.cpp - IR and affine expressions as artifact expressions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Artifact/Expressions.h"
#include "Limits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fovea;

Expr fovea::getConstantExpr(int64_t value) { return {abi::ExprNode(abi::ExprOp::Const, /*b=*/0, value)}; }

Expr fovea::getBinaryExpr(abi::ExprOp op, Expr lhs, const Expr &rhs) {
  lhs.insert(lhs.end(), rhs.begin(), rhs.end());
  lhs.emplace_back(op, 0, 0);
  return lhs;
}

std::unique_ptr<abi::ExprT> fovea::toTable(Expr expr) {
  auto table = std::make_unique<abi::ExprT>();
  table->nodes = std::move(expr);
  return table;
}

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

static abi::ExprOp getExprOp(AffineExprKind kind) {
  switch (kind) {
  case AffineExprKind::Add:
    return abi::ExprOp::Add;
  case AffineExprKind::Mul:
    return abi::ExprOp::Mul;
  case AffineExprKind::Mod:
    return abi::ExprOp::Mod;
  case AffineExprKind::FloorDiv:
    return abi::ExprOp::FloorDiv;
  case AffineExprKind::CeilDiv:
    return abi::ExprOp::CeilDiv;
  default:
    llvm_unreachable("not a binary affine expression");
  }
}

Expr fovea::convertAffineExpr(AffineExpr expr, const ProblemExprs &symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getConstantExpr(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr lhs = convertAffineExpr(binary.getLHS(), symbols), rhs = convertAffineExpr(binary.getRHS(), symbols);
  abi::ExprOp op = getExprOp(expr.getKind());
  bool isDivision = op != abi::ExprOp::Add && op != abi::ExprOp::Mul;
  if (isDivision && !isa<AffineConstantExpr>(binary.getRHS()))
    rhs = getBinaryExpr(abi::ExprOp::Max, std::move(rhs), getConstantExpr(1));
  return getBinaryExpr(op, std::move(lhs), rhs);
}

std::vector<std::unique_ptr<abi::ExprT>> fovea::convertIntegerSet(IntegerSet set, const ProblemExprs &symbols) {
  std::vector<std::unique_ptr<abi::ExprT>> conditions;
  for (auto [constraint, isEquality] : llvm::zip_equal(set.getConstraints(), set.getEqFlags()))
    conditions.push_back(toTable(getBinaryExpr(isEquality ? abi::ExprOp::Eq : abi::ExprOp::Ge,
                                               convertAffineExpr(constraint, symbols), getConstantExpr(0))));
  return conditions;
}

//===----------------------------------------------------------------------===//
// Values of a host function
//===----------------------------------------------------------------------===//

/// Nodes of one value, and values that wait for each other while it is evaluated: expressions have other ones around
/// these.
static constexpr size_t kMaxNodes = 2048, kMaxDepth = 24;

/// What is shared counts wherever it is used.
static LogicalResult checkSize(const Expr &expr, Operation *op) {
  if (expr.size() > kMaxNodes)
    return op->emitError() << "is made of more than " << kMaxNodes << " operations, constants, sizes and arguments "
                           << "(shared ones count once for each use), which an artifact cannot hold; "
                           << "pass it as an argument";
  if (getDepth(expr) > kMaxDepth)
    return op->emitError() << "nests more than " << kMaxDepth << " right operands, which an artifact cannot hold; "
                           << "pass it as an argument, or make sums of the left operand";
  return success();
}

/// Bits of the runtime's numbers, and of an index.
static constexpr unsigned kMaxWidth = 64;

static unsigned getWidth(Type type) { return type.isIndex() ? kMaxWidth : type.getIntOrFloatBitWidth(); }

/// A number of the runtime's 64 bits as one of `type`, which wraps around: half of its values are negative, of i1 too.
static Expr wrapAround(Expr expr, Type type) {
  unsigned width = getWidth(type);
  if (width >= kMaxWidth)
    return expr;
  Expr half = getConstantExpr(int64_t(1) << (width - 1)), all = getConstantExpr(int64_t(1) << width);
  Expr shifted = getBinaryExpr(abi::ExprOp::Mod, getBinaryExpr(abi::ExprOp::Add, std::move(expr), half), all);
  return getBinaryExpr(abi::ExprOp::Sub, std::move(shifted), half);
}

/// Whether a result may be out of the range of the operands' type.
static bool mayWrapAround(abi::ExprOp op) {
  return op == abi::ExprOp::Add || op == abi::ExprOp::Sub || op == abi::ExprOp::Mul;
}

static FailureOr<Expr> convertBinary(abi::ExprOp op, Operation *operation) {
  FailureOr<Expr> lhs = convertIndexValue(operation->getOperand(0));
  if (failed(lhs))
    return failure();
  FailureOr<Expr> rhs = convertIndexValue(operation->getOperand(1));
  if (failed(rhs))
    return failure();
  Expr expr = getBinaryExpr(op, std::move(*lhs), *rhs);
  if (mayWrapAround(op))
    expr = wrapAround(std::move(expr), operation->getResult(0).getType());
  if (failed(checkSize(expr, operation)))
    return failure();
  return expr;
}

static std::optional<abi::ExprOp> getBinaryOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<abi::ExprOp>>(op)
      .Case<arith::AddIOp>([](auto) { return abi::ExprOp::Add; })
      .Case<arith::SubIOp>([](auto) { return abi::ExprOp::Sub; })
      .Case<arith::MulIOp>([](auto) { return abi::ExprOp::Mul; })
      .Case<arith::MinSIOp>([](auto) { return abi::ExprOp::Min; })
      .Case<arith::MaxSIOp>([](auto) { return abi::ExprOp::Max; })
      .Case<arith::CeilDivSIOp>([](auto) { return abi::ExprOp::CeilDiv; })
      .Case<arith::FloorDivSIOp>([](auto) { return abi::ExprOp::FloorDiv; })
      .Default(std::nullopt);
}

template <typename DimOp> static FailureOr<Expr> convertDimOp(DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!dim)
    return op.emitError() << "needs a constant dimension to become part of an artifact";
  return convertDim(op.getSource(), *dim);
}

/// A cast with a sign; to a narrower type it keeps the low bits.
static FailureOr<Expr> convertCast(Value source, Type type) {
  FailureOr<Expr> expr = convertIndexValue(source);
  if (failed(expr) || getWidth(type) >= getWidth(source.getType()))
    return expr;
  return wrapAround(std::move(*expr), type);
}

FailureOr<Expr> fovea::convertIndexValue(Value value) {
  if (getWidth(value.getType()) > kMaxWidth)
    return emitError(value.getLoc()) << "is of type " << value.getType()
                                     << ", but an artifact computes sizes and scalars in " << kMaxWidth << " bits";
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return getConstantExpr(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Expr expr{abi::ExprNode(abi::ExprOp::ArgScalar, 0, argument.getArgNumber())};
    // The runtime reads 0 or 1.
    return argument.getType().isInteger(1) ? wrapAround(std::move(expr), argument.getType()) : expr;
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return convertDimOp(dim);
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return convertDimOp(dim);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return convertCast(op->getOperand(0), op->getResult(0).getType());
  if (std::optional<abi::ExprOp> binary = getBinaryOp(op))
    return convertBinary(*binary, op);
  return op->emitError() << "'" << op->getName()
                         << "' cannot become part of an artifact; sizes and scalars may be constants, arguments, "
                            "dimensions, and sums, differences, products, quotients, minima and maxima of those";
}

FailureOr<Expr> fovea::convertDim(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (dim < 0 || dim >= type.getRank())
    return emitError(shaped.getLoc()) << "has no dimension " << dim << " (rank " << type.getRank() << ")";
  if (!type.isDynamicDim(dim))
    return getConstantExpr(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(shaped))
    return Expr{abi::ExprNode(abi::ExprOp::ArgDim, static_cast<int32_t>(dim), argument.getArgNumber())};
  Operation *op = shaped.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return convertIndexValue(empty.getDynamicSize(dim));
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return convertDim(cast.getSource(), dim);
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    return convertDim(destinationStyle.getTiedOpOperand(mlir::cast<OpResult>(shaped))->get(), dim);
  return op->emitError() << "'" << op->getName() << "' cannot become part of an artifact";
}
