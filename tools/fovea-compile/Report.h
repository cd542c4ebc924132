//===- Report.h - What GPU kernels need -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_COMPILE_REPORT_H
#define FOVEA_TOOLS_FOVEA_COMPILE_REPORT_H

#include "fovea/Pipelines/Pipelines.h"

namespace fovea {

/// Prints for each target of `options` what was recognised of masks, and for a GPU registers, spills, shared memory,
/// threads and occupancy of every kernel; one error where that needs ptxas and there is none.
mlir::LogicalResult printReport(mlir::ModuleOp module, const CompileOptions &options, llvm::raw_ostream &os);

/// Prints what of each op's masks was recognised, what leaves out blocks, and what keeps it from doing so: from the
/// module as it was written and as it was planned.
void printMasks(mlir::ModuleOp module, PlannedModule &planned, llvm::raw_ostream &os);

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_COMPILE_REPORT_H
