//===- KernelOutline.h - Kernel functions from attention ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_KERNELOUTLINE_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_KERNELOUTLINE_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace fovea::attn {

/// The type by which a kernel takes an operand of type `type`: a memref of the same static dims with free strides and
/// offset for a tensor or memref, the type itself for a scalar.
mlir::Type getKernelArgumentType(mlir::Type type);

/// The captured values of `op` that a kernel takes as arguments: `getCaptures()` without constants, which are cloned
/// into the kernel.
llvm::SmallVector<mlir::Value> getKernelCaptures(AttentionOp op);

/// Collects the arguments of a kernel function, each with its `#attn.source`, and builds the function.
class KernelSignature {
public:
  /// Adds operand number `index` of `op`.
  void addOperand(mlir::OpOperand &operand);
  /// Adds the captures of `op`.
  void addCaptures(AttentionOp op);
  /// Adds temporary `index`, a memref of `type` with free strides.
  void addTemporary(int64_t index, mlir::MemRefType type);
  /// Adds an argument without a source.
  void addPlain(mlir::Type type);

  /// Builds the private function, at the builder's position, with an entry block and `launch`; fills `mapping` from
  /// host values to arguments.
  mlir::func::FuncOp build(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, LaunchAttr launch,
                           mlir::IRMapping &mapping);

  /// After `build`: the argument of host operand `operandNumber`, or null if it was not added.
  mlir::Value getOperandArgument(unsigned operandNumber) const { return operandArguments.lookup(operandNumber); }

private:
  void add(mlir::Type type, mlir::Value host, SourceAttr source);

  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> hostValues;
  llvm::SmallVector<SourceAttr> sources;
  llvm::DenseMap<unsigned, mlir::Value> operandArguments;
};

/// Clones regions of `from`, pairs of source and destination, into `to`, whose operands live in a kernel: captured
/// constants are cloned in front of `to`, captured tensors become memrefs (`tensor.extract` -> `memref.load`,
/// `tensor.dim` -> `memref.dim`). Emits one diagnostic at an op that cannot be moved.
mlir::LogicalResult cloneRegionsIntoKernel(AttentionOp from, mlir::Operation *to,
                                           llvm::ArrayRef<std::pair<mlir::Region *, mlir::Region *>> regions,
                                           mlir::IRMapping &mapping);

/// Elements that `kernel` reads of constant tensors become loads from private `memref.global`s of its module, one for
/// each value.
void moveConstantsToMemory(mlir::func::FuncOp kernel);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_KERNELOUTLINE_H
