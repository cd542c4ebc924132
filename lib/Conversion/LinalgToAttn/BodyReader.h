//===- BodyReader.h - Bodies of structured operations as terms -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_BODYREADER_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_BODYREADER_H

#include "Expressions.h"

namespace mlir::tensor {
class ExtractOp;
} // namespace mlir::tensor

namespace fovea::conversion {

/// Reads the body of a structured operation as terms, for given positions of its loops.
class BodyReader {
public:
  BodyReader(Expressions &expressions, mlir::linalg::LinalgOp op, Positions loops)
      : expressions(expressions), op(op), loops(std::move(loops)) {}

  /// The term of a value of the body, null where it is none.
  Expr read(mlir::Value value);
  /// The operand that a map reads, null where it does so at other places than positions of loops.
  Expr readOperand(mlir::OpOperand &operand);

private:
  Expr readUncached(mlir::Value value);
  Expr readExtract(mlir::tensor::ExtractOp extract);

  Expressions &expressions;
  mlir::linalg::LinalgOp op;
  Positions loops;
  llvm::DenseMap<mlir::Value, Expr> known;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_BODYREADER_H
