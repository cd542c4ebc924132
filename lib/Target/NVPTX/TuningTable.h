//===- TuningTable.h - A table of strategies as a file has it -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_TUNINGTABLE_H
#define FOVEA_LIB_TARGET_NVPTX_TUNINGTABLE_H

#include "Tuning.h"

namespace fovea::nvptx {

/// Problems of one kind and their kernels.
struct TuningEntry {
  std::string type, mask, feature;
  int64_t depth;
  /// Keys of the widest window that it is for; none: it is for all that no other entry is for.
  std::optional<int64_t> window;
  llvm::SmallVector<TunedKernel> kernels;
};

struct TuningTable {
  std::string target;
  std::vector<TuningEntry> entries;
};

/// Reads the text of a table, in the form that docs/tuning.md describes and no other: unknown keys and values, repeated
/// entries and strategies that the table's target has no kernels for are errors, of which the first is emitted by
/// `emitError` as one line that says where in the text it is and what is allowed there.
mlir::FailureOr<TuningTable> readTuningTable(llvm::StringRef text, mlir::MLIRContext *context,
                                             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_TUNINGTABLE_H
