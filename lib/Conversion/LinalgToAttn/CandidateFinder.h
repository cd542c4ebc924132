//===- CandidateFinder.h - Second products after a softmax -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_CANDIDATEFINDER_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_CANDIDATEFINDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fovea::conversion {

/// Second products in one pass over the operations: sums of products of something behind which an exponential of a
/// product lies that is also summed.
class CandidateFinder {
public:
  llvm::SmallVector<mlir::linalg::LinalgOp> find(mlir::Operation *root);

private:
  unsigned visitStructured(mlir::linalg::LinalgOp op, unsigned behind);
  bool isSummed(mlir::Value weights);

  llvm::DenseMap<mlir::Value, unsigned> state;
  llvm::SmallVector<mlir::linalg::LinalgOp> candidates;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_CANDIDATEFINDER_H
