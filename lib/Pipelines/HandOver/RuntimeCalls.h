//===- RuntimeCalls.h - Attention as calls of the runtime -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_HANDOVER_RUNTIMECALLS_H
#define FOVEA_LIB_PIPELINES_HANDOVER_RUNTIMECALLS_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Pipelines/HandOver.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace fovea {

/// Hands over attention ops of one module as calls of the runtime: each kernel is an artifact in a global, which the
/// runtime loads at its first launch, and a function that packs the arguments. Ops that compile to the same share both.
class RuntimeCalls {
public:
  RuntimeCalls(mlir::SymbolTable &symbols, const HandOverOptions &options, bool isHost);
  ~RuntimeCalls();

  /// Compiles the artifact of an op; `stem` begins the names of new symbols. Errors are diagnostics; the module is not
  /// changed.
  mlir::LogicalResult compile(attn::AttentionOp op, llvm::StringRef stem);
  /// Replaces an op that `compile` has compiled.
  void replaceOp(attn::AttentionOp op);

private:
  struct Callee;

  mlir::LogicalResult checkRuntimeCall(mlir::Operation *op);
  void build(Callee &callee, mlir::Location loc);

  mlir::SymbolTable &symbols;
  const HandOverOptions &options;
  bool isHost;
  llvm::SmallVector<std::unique_ptr<Callee>> callees;
  llvm::DenseMap<mlir::Operation *, Callee *> calleeOf;
};

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_HANDOVER_RUNTIMECALLS_H
