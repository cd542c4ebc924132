//===- ProblemValues.h - The problem symbols of an op as values -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_HANDOVER_PROBLEMVALUES_H
#define FOVEA_LIB_PIPELINES_HANDOVER_PROBLEMVALUES_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea {

/// Evaluates the maps and conditions of a plan at the builder's position, with values where a size is known at run time
/// only.
class ProblemValues {
public:
  /// `buffers` are the operands of `op`, an attention or combine op, as memrefs, by operand number.
  ProblemValues(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, llvm::ArrayRef<mlir::Value> buffers,
                int64_t threads);

  mlir::OpFoldResult evaluate(mlir::AffineExpr expr);
  /// The least of the results of a map.
  mlir::OpFoldResult evaluateLeast(mlir::AffineMap map);
  /// Whether all constraints of a set hold, as i1.
  mlir::OpFoldResult evaluate(mlir::IntegerSet set);
  /// Whether the op has a row to compute, as i1.
  mlir::OpFoldResult isNonEmpty();

private:
  mlir::OpFoldResult get(attn::ProblemSymbol symbol);
  mlir::Value computeAlignment();
  void collectAlignment(mlir::Value buffer, int64_t &constantBits, mlir::Value &bits);
  mlir::OpFoldResult combine(mlir::OpFoldResult lhs, mlir::Value rhs);

  mlir::ImplicitLocOpBuilder &b;
  /// Those whose alignment counts.
  llvm::SmallVector<mlir::Value> aligned;
  /// Memrefs with the sizes of the problem; `keys` is null for a combine op, whose expressions have none of its sizes.
  mlir::Value queries, keys;
  int64_t threads;
  llvm::SmallVector<mlir::OpFoldResult> symbols;
};

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_HANDOVER_PROBLEMVALUES_H
