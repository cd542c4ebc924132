//===- Predicates.h - Predicates of integer comparisons -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_UTILS_PREDICATES_H
#define FOVEA_DIALECT_ATTN_UTILS_PREDICATES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fovea::attn {

/// The signed form of a predicate, which says the same of numbers of which none is negative.
inline mlir::arith::CmpIPredicate getSignedPredicate(mlir::arith::CmpIPredicate predicate) {
  using P = mlir::arith::CmpIPredicate;
  switch (predicate) {
  case P::ult:
    return P::slt;
  case P::ule:
    return P::sle;
  case P::ugt:
    return P::sgt;
  case P::uge:
    return P::sge;
  default:
    return predicate;
  }
}

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_UTILS_PREDICATES_H
