//===- UseChecker.h - Other uses of what a match computes -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_USECHECKER_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_USECHECKER_H

#include "AttentionMatcher.h"

namespace fovea::conversion {

/// Finds out whether what a match computes on the way is used elsewhere too: the product and all that depends on it.
class UseChecker {
public:
  UseChecker(const Expressions &expressions, const AttentionMatch &match);

  /// An operation whose result is used elsewhere, or null.
  mlir::Operation *findOtherUse();

private:
  bool isBehindProduct(mlir::Operation *op);
  bool dies(mlir::Operation *op);

  const llvm::SetVector<mlir::Operation *> &visited;
  mlir::Operation *product, *root, *lse;
  llvm::DenseMap<mlir::Operation *, bool> behindProduct, dying;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_USECHECKER_H
