//===- Limits.h - What a runtime reads of an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime has limits, so that a launch needs a fixed stack; it is built without the compiler and says them again
// (runtime/lib/Model.h). What is beyond them is an error of the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_ARTIFACT_LIMITS_H
#define FOVEA_LIB_ARTIFACT_LIMITS_H

#include "fovea/Artifact/Expressions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea {

/// Nodes of an expression, and values that wait for each other while it is evaluated.
constexpr size_t kMaxExprNodes = 4096, kMaxExprDepth = 32;

/// Arguments of a function, and its results.
constexpr size_t kMaxValues = 64;
/// Attention ops of a function.
constexpr size_t kMaxSteps = 32;
/// Results of ops of a function that it does not return.
constexpr size_t kMaxTemporaries = 32;
/// Words of 8 bytes of the parameters of a kernel.
constexpr size_t kMaxWords = 512;

/// Values that wait for each other while an expression is evaluated.
size_t getDepth(llvm::ArrayRef<abi::ExprNode> nodes);

/// Refuses a part of the artifact of `host` with an expression that is too large.
template <typename Part> mlir::LogicalResult checkExpressions(mlir::func::FuncOp host, const Part &part);

} // namespace fovea

#endif // FOVEA_LIB_ARTIFACT_LIMITS_H
