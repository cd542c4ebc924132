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

/// Prints registers, spills, shared memory, threads and occupancy of every kernel of the GPU targets of `options`. One
/// error where there is no GPU target, or no ptxas.
mlir::LogicalResult printReport(mlir::ModuleOp module, const CompileOptions &options, llvm::raw_ostream &os);

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_COMPILE_REPORT_H
