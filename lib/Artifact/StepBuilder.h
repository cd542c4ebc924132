//===- StepBuilder.h - Kernels of one attention op in an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_ARTIFACT_STEPBUILDER_H
#define FOVEA_LIB_ARTIFACT_STEPBUILDER_H

#include "HostFunction.h"
#include "mlir/IR/BuiltinOps.h"

namespace fovea {

/// Builds what an artifact says of one attention op: its kernels with their bindings, variants, and the whole step.
class StepBuilder {
public:
  /// `lowered` holds the kernels after lowering: their `attn.launch` has the final numbers.
  StepBuilder(attn::AttentionOp op, HostStorage &storage, mlir::Operation *lowered, ProblemExprs problem)
      : op(op), storage(storage), lowered(lowered), problem(std::move(problem)) {}

  /// The step of the op's plan; `kernels` is the planned module.
  mlir::FailureOr<std::unique_ptr<abi::StepT>> buildStep(mlir::ModuleOp kernels);

  /// A kernel as planned, its arguments bound by their `attn.source`.
  mlir::FailureOr<std::unique_ptr<abi::KernelT>> buildKernel(mlir::func::FuncOp kernel);

  /// A buffer whose dimensions are a map of the problem symbols.
  std::unique_ptr<abi::BufferT> buildBuffer(abi::ElementType type, mlir::AffineMap dims) const;

private:
  mlir::FailureOr<std::unique_ptr<abi::BindingT>> bind(attn::SourceAttr source, mlir::Type type);
  mlir::FailureOr<std::unique_ptr<abi::VariantT>> buildVariant(attn::VariantAttr variant, mlir::ModuleOp kernels);
  mlir::LogicalResult bindAlignedOperands(abi::StepT &step);

  attn::AttentionOp op;
  HostStorage &storage;
  mlir::Operation *lowered;
  ProblemExprs problem;
};

} // namespace fovea

#endif // FOVEA_LIB_ARTIFACT_STEPBUILDER_H
