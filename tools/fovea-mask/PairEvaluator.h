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

/// An integer of the IR as a number: an i1 is 0 or 1, others have a sign.
double toNumber(const llvm::APInt &integer);

/// Evaluates regions for many pairs at once, as the semantics say: exactly once for each pair, in the types of the IR.
/// Numbers are kept as f64, which has integers up to 2^53; what needs larger ones is an error. So is what is undefined
/// for a pair: a read outside of an array, a shift by more than the width.
class PairEvaluator {
public:
  using Lanes = std::vector<double>;

  /// Values from outside of the region come from `environment`.
  PairEvaluator(const Environment &environment, size_t numLanes)
      : environment(environment), numLanes(numLanes), active(numLanes, true) {}

  /// What `region` yields for batch entry, head, query and key of each lane. Emits one error at an op that has no
  /// meaning here. Lanes that are not `active` are no pairs of the op; nothing is an error there.
  mlir::FailureOr<Lanes> evaluate(mlir::Region &region, mlir::ArrayRef<Lanes> arguments, std::vector<char> active);
  /// Evaluates one op whose operands are known.
  mlir::LogicalResult visit(mlir::Operation &op);
  mlir::FailureOr<Lanes> lookup(mlir::Operation &user, mlir::Value value);
  /// Whether an error was one of the numbers, not of what is unknown.
  bool hasFault() const { return isFault; }

private:
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visitIf(mlir::scf::IfOp branch);
  mlir::LogicalResult visitLoad(mlir::Operation &op);
  mlir::LogicalResult visitDim(mlir::Operation &op);
  /// Gives `result` the type of the op's result.
  mlir::LogicalResult convert(mlir::Operation &op, Lanes &result);
  /// Refuses operands for which the op has no result.
  mlir::LogicalResult checkOperands(mlir::Operation &op, mlir::ArrayRef<Lanes> operands);
  /// An error of a lane, which the text goes on with: begins with the op's name.
  mlir::InFlightDiagnostic fault(mlir::Operation &op);
  /// " for query 1 and key 2 of batch entry 0 and head 0"; nothing outside of a region.
  std::string describe(size_t lane) const;

  const Environment &environment;
  size_t numLanes;
  std::vector<char> active;
  std::vector<Lanes> positions;
  bool isFault = false;
  llvm::DenseMap<mlir::Value, Lanes> values;
};

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_MASK_PAIREVALUATOR_H
