//===- OpPlanner.h - Outlines the kernels of one attention op -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_OPPLANNER_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_OPPLANNER_H

#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "fovea/Dialect/Attn/Transforms/Plan.h"

namespace fovea::attn {

/// A combine kernel that merges one row of all columns a task, one part at a time.
StrategyAttr getRowCombine(mlir::MLIRContext *context, int64_t depth);

/// The launch of a kernel that its target has still to lower.
LaunchAttr getPlannedLaunch(mlir::MLIRContext *context, llvm::ArrayRef<mlir::AffineExpr> grid);

/// A part of names that every code generator and assembler takes: letters, digits and underscores, not too many.
std::string makeKernelStem(llvm::StringRef stem);

/// Outlines the kernels of one attention op.
class OpPlanner {
public:
  OpPlanner(AttentionOp op, mlir::SymbolTable &symbols, std::string stem)
      : op(op), symbols(symbols), stem(std::move(stem)), builder(op.getContext()) {}

  /// The kernels of a variant, and what the plan says of it.
  mlir::FailureOr<VariantAttr> plan(const PlannedVariant &variant);
  /// Takes back the kernels outlined so far.
  void erase();

private:
  // What every kernel needs (OpPlanner.cpp).
  /// A kernel without a place yet (the symbol table gives it one); the builder goes to its body.
  mlir::func::FuncOp build(KernelSignature &signature, llvm::StringRef name, llvm::ArrayRef<mlir::AffineExpr> grid,
                           mlir::IRMapping &mapping);
  /// Gives the kernel a name that is free in the module and ends its body.
  mlir::func::FuncOp finish(mlir::func::FuncOp kernel);
  /// The kernel's argument for an operand of the op; null where it is absent.
  static mlir::Value getArgument(const KernelSignature &signature, mlir::OpOperand &operand);
  static mlir::Value getArgument(const KernelSignature &signature, mlir::MutableOperandRange operand);

  // The attention kernel, and the one that merges its parts (OutlineAttention.cpp).
  /// The attention kernel of a variant; variants of one strategy share one where its tasks are all that counts.
  mlir::FailureOr<mlir::func::FuncOp> getAttention(const PlannedVariant &variant, llvm::StringRef name);
  mlir::FailureOr<mlir::func::FuncOp> outlineAttention(const PlannedVariant &variant, llvm::StringRef name);
  AttentionOp cloneAttention(const PlannedVariant &variant, const KernelSignature &signature, mlir::Block &body);
  /// The combine kernel of a variant; variants that merge in the same way share one.
  mlir::func::FuncOp getCombine(const PlannedVariant &variant, llvm::StringRef name);
  mlir::func::FuncOp outlineCombine(StrategyAttr strategy, llvm::StringRef name);
  /// With partial results the sink and the destinations are operands of the combine kernel.
  bool belongsToCombine(mlir::OpOperand &operand);
  /// `[parts, B, Hq, Sq, Dv]` (with `depth`) or `[parts, B, Hq, Sq]`, f32.
  mlir::MemRefType getPartType(bool depth);
  llvm::SmallVector<mlir::Attribute> getPartBuffers(mlir::AffineExpr splits);

  // The kernels that find which blocks a mask keeps (OutlineBlockMap.cpp).
  mlir::FailureOr<mlir::func::FuncOp> outlineBlockMap(const PlannedVariant &variant, llvm::StringRef name);
  mlir::func::FuncOp outlineBlockList(const PlannedVariant &variant, llvm::StringRef name);
  mlir::func::FuncOp outlineBlockOrder(const PlannedVariant &variant, llvm::StringRef name);
  /// Gives each of the `tasks` of a kernel of scalar code `lanes` lanes; `computed` is its op.
  void shareTasks(mlir::func::FuncOp kernel, mlir::Operation *computed, StrategyAttr strategy, mlir::AffineExpr tasks,
                  int64_t lanes);
  /// The operands that masks read.
  llvm::SmallVector<mlir::OpOperand *> getMaskOperands();
  /// The states of the blocks (temporary 0), or the lists made of them (temporary 1).
  mlir::MemRefType getTableType(const PlannedVariant &variant);
  llvm::SmallVector<mlir::Attribute> getBlockTables(const PlannedVariant &variant);

  AttentionOp op;
  llvm::DenseMap<StrategyAttr, mlir::func::FuncOp> attentions, combines;
  mlir::SymbolTable &symbols;
  std::string stem;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::func::FuncOp> outlined;
};

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_OPPLANNER_H
