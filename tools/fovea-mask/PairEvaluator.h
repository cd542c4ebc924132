//===- PairEvaluator.h - A mask region on concrete pairs -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_MASK_PAIREVALUATOR_H
#define FOVEA_TOOLS_FOVEA_MASK_PAIREVALUATOR_H

#include "NpyFile.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fovea {

/// Scalars and arrays that the values of a function have.
struct Environment {
  llvm::DenseMap<mlir::Value, double> scalars;
  llvm::DenseMap<mlir::Value, Array> arrays;
};

/// Evaluates regions for many pairs at once. Numbers are kept as f64, which is exact for the integers of a mask.
class PairEvaluator {
public:
  using Lanes = std::vector<double>;

  /// Values from outside of the region come from `environment`.
  PairEvaluator(const Environment &environment, size_t numLanes) : environment(environment), numLanes(numLanes) {}

  /// What `region` yields for arguments with one number a lane. Emits one error at an op that has no meaning here.
  mlir::FailureOr<Lanes> evaluate(mlir::Region &region, mlir::ArrayRef<Lanes> arguments);
  /// Evaluates one op whose operands are known.
  mlir::LogicalResult visit(mlir::Operation &op);
  mlir::FailureOr<Lanes> lookup(mlir::Operation &user, mlir::Value value);

private:
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visitIf(mlir::scf::IfOp branch);
  mlir::LogicalResult visitLoad(mlir::Operation &op);
  mlir::LogicalResult visitDim(mlir::Operation &op);

  const Environment &environment;
  size_t numLanes;
  llvm::DenseMap<mlir::Value, Lanes> values;
};

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_MASK_PAIREVALUATOR_H
