//===- Expressions.h - IR and affine expressions as artifact expressions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_ARTIFACT_EXPRESSIONS_H
#define FOVEA_ARTIFACT_EXPRESSIONS_H

#include "fovea/ABI/Artifact_generated.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

namespace fovea {

/// A postfix expression over the arguments of a host function.
using Expr = std::vector<abi::ExprNode>;

/// Values of the seven problem symbols of an op.
using ProblemExprs = std::array<Expr, attn::kNumProblemSymbols>;

Expr getConstantExpr(int64_t value);
Expr getBinaryExpr(abi::ExprOp op, Expr lhs, const Expr &rhs);
std::unique_ptr<abi::ExprT> toTable(Expr expr);

/// Substitutes the problem symbols of an affine expression. A symbolic divisor of 0 counts as 1: it stands for
/// `Hkv = 0`, where the problem is empty.
Expr convertAffineExpr(mlir::AffineExpr expr, const ProblemExprs &symbols);

/// One expression per constraint of `set`, non-zero where it holds.
std::vector<std::unique_ptr<abi::ExprT>> convertIntegerSet(mlir::IntegerSet set, const ProblemExprs &symbols);

/// The expression of an index or integer value of a host function: constants, sizes of arguments and of the ops'
/// destinations, integer arguments, and arithmetic on those. Emits an error at the op that has no such form.
mlir::FailureOr<Expr> convertIndexValue(mlir::Value value);

/// Size of dimension `dim` of a shaped value of a host function.
mlir::FailureOr<Expr> convertDim(mlir::Value shaped, int64_t dim);

} // namespace fovea

#endif // FOVEA_ARTIFACT_EXPRESSIONS_H
