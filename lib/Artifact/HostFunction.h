//===- HostFunction.h - Data flow of a host function -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_ARTIFACT_HOSTFUNCTION_H
#define FOVEA_LIB_ARTIFACT_HOSTFUNCTION_H

#include "fovea/Artifact/Expressions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea {

/// The ABI's name of an element type, or an error at `loc`.
mlir::FailureOr<abi::ElementType> getElementType(mlir::Location loc, mlir::Type type);

/// Checks that every op of `host` has a place in an artifact.
mlir::LogicalResult verifyHostFunction(mlir::func::FuncOp host);

/// The problem symbols of an op.
mlir::FailureOr<ProblemExprs> getProblemExprs(attn::AttentionOp op);

/// 2 * (Dqk + Dv) for each pair of query and key that causal and window leave; every pair where the diagonal is a
/// tensor.
Expr getFlops(attn::AttentionOp op, const ProblemExprs &problem);

/// Where each value of a host function lives at run time.
class HostStorage {
public:
  explicit HostStorage(mlir::func::FuncOp host) : host(host) {}

  /// The binding of a value that an op reads.
  mlir::FailureOr<std::unique_ptr<abi::BindingT>> bind(mlir::Value value);

  /// The binding of destination `operand` of an op: the storage of the tied result (tensors), or the memref itself.
  mlir::FailureOr<std::unique_ptr<abi::BindingT>> bindDestination(mlir::OpOperand &operand);

  /// Buffers for results that the function does not return.
  std::vector<std::unique_ptr<abi::BufferT>> takeTemporaries() { return std::move(temporaries); }

private:
  mlir::FailureOr<std::unique_ptr<abi::BindingT>> bindResult(mlir::OpResult result);

  mlir::func::FuncOp host;
  std::vector<std::unique_ptr<abi::BufferT>> temporaries;
  llvm::DenseMap<mlir::Value, int> temporaryNumbers;
};

/// Dimension and type checks of one op that remain for the launch.
mlir::LogicalResult addConstraints(attn::AttentionOp op, std::vector<std::unique_ptr<abi::ConstraintT>> &constraints);

} // namespace fovea

#endif // FOVEA_LIB_ARTIFACT_HOSTFUNCTION_H
