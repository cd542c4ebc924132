//===- Plan.h - Plans attention ops for a target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_PLAN_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_PLAN_H

#include "fovea/Target/Target.h"
#include "mlir/IR/SymbolTable.h"

namespace fovea::attn {

/// Outlines the kernel functions of `variants` into the module of `symbols`, with names that start with `stem` (what
/// assemblers do not take of it is replaced), and returns the plan: a list of `#attn.variant`. Emits one diagnostic,
/// and leaves no kernel behind, where the op has something that cannot be moved.
mlir::FailureOr<mlir::ArrayAttr> outlineVariants(AttentionOp op, llvm::ArrayRef<PlannedVariant> variants,
                                                 mlir::SymbolTable &symbols, llvm::StringRef stem);

/// The same for an `attn.combine` of a host function: one variant with one kernel, which `target` has.
mlir::FailureOr<mlir::ArrayAttr> outlineVariants(CombineOp op, const Target &backend, TargetAttr target,
                                                 mlir::SymbolTable &symbols, llvm::StringRef stem);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_PLAN_H
