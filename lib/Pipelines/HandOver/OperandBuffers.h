//===- OperandBuffers.h - The values of an op in memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_HANDOVER_OPERANDBUFFERS_H
#define FOVEA_LIB_PIPELINES_HANDOVER_OPERANDBUFFERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace fovea {

/// What an attention or combine op reads and writes, as memrefs and scalars. A tensor is read through
/// `bufferization.to_buffer`; a result that is a tensor is written to a new buffer, for its destination may be another
/// op's too, and what kernels write is hidden from bufferization.
class OperandBuffers {
public:
  OperandBuffers(mlir::ImplicitLocOpBuilder &b, mlir::DestinationStyleOpInterface op);

  /// Replaces the results by what was written, and erases the op.
  void replaceOp(mlir::ImplicitLocOpBuilder &b);

  /// By operand number, and `attn::getKernelCaptures` of an attention op.
  llvm::SmallVector<mlir::Value> operands, captures;

private:
  mlir::DestinationStyleOpInterface op;
};

/// The bits of a scalar, or an index, as i64.
mlir::Value toWord(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// The aligned pointer of a memref, without its offset.
mlir::Value getPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_HANDOVER_OPERANDBUFFERS_H
