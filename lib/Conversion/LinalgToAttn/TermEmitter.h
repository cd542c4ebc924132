//===- TermEmitter.h - Scalar expressions as operations -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_TERMEMITTER_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_TERMEMITTER_H

#include "Expressions.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::conversion {

/// Builds the operations of a term. Floats are f32 whatever the source computes in; but what does not depend on a bound
/// term, a mask or a scale for one, is rounded where the source rounds it.
class TermEmitter {
public:
  /// `outer` builds sizes, outside of regions; `b` builds the rest.
  TermEmitter(mlir::ImplicitLocOpBuilder &outer, mlir::ImplicitLocOpBuilder &b, Expressions &expressions)
      : outer(outer), b(b), expressions(expressions) {}

  /// Says what stands for the loops of `position`.
  void bind(llvm::ArrayRef<LoopId> position, mlir::Value index);
  /// Says what stands for a term.
  void bind(Expr term, mlir::Value value) {
    known[term] = value;
    bound = term;
  }

  mlir::Value emit(Expr term);

private:
  mlir::Value emitUncached(Expr term);
  mlir::Value emitElement(Expr term);
  mlir::Value emitScalar(Expr term);
  mlir::Value emitApply(Expr term);
  mlir::Value emitOperand(Expr term, bool keepsType);
  mlir::Value round(mlir::Value value, Expr term);
  mlir::Value emitIndex(llvm::ArrayRef<LoopId> position);
  mlir::Value emitInteger(Expr term);
  mlir::Value emitIntegerUncached(Expr term);
  bool isInteger(Expr term);
  bool isReduction(Expr term) const;
  mlir::Value getSize(LoopId loop);
  mlir::Value toF32(mlir::Value value);

  mlir::ImplicitLocOpBuilder &outer, &b;
  Expressions &expressions;
  llvm::DenseMap<Expr, mlir::Value> known, knownIntegers;
  llvm::DenseMap<Expr, bool> integers;
  Expr bound = nullptr;
  llvm::DenseMap<LoopId, mlir::Value> indices;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_TERMEMITTER_H
