//===- Report.cpp - What was made of a module -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "fovea/Target/NVPTX/Report.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fovea;

static void printHeader(StringRef chip, llvm::raw_ostream &os) {
  os << "kernels for " << chip << ":\n";
  os << llvm::formatv("{0,9} {1,13} {2,12} {3,12} {4,7} {5,6} {6,9}  {7}\n", "registers", "spill stores", "spill loads",
                      "shared bytes", "threads", "blocks", "occupancy", "kernel");
}

static void printKernel(const KernelReport &report, llvm::raw_ostream &os) {
  std::string occupancy = llvm::formatv("{0}/{1}", report.warps, report.maxWarps).str(), name = report.name;
  if (report.scorePart != 0)
    name += llvm::formatv(", scores in parts of {0}", report.scorePart).str();
  os << llvm::formatv("{0,9} {1,13} {2,12} {3,12} {4,7} {5,6} {6,9}  {7}\n", report.registers, report.spillStores,
                      report.spillLoads, report.sharedBytes, report.threads, report.blocks, occupancy, name);
}

static LogicalResult printTarget(PlannedModule &planned, const CompileOptions &options, llvm::raw_ostream &os) {
  if (failed(lowerToTiles(planned)) || failed(lowerKernels(planned, options.target)))
    return failure();
  StringRef chip = planned.target.getArch();
  FailureOr<SmallVector<KernelReport>> reports = reportKernels(*planned.kernels, chip, options.target);
  if (failed(reports))
    return failure();
  printHeader(chip, os);
  for (const KernelReport &report : *reports)
    printKernel(report, os);
  return success();
}

LogicalResult fovea::printReport(ModuleOp module, const CompileOptions &options, llvm::raw_ostream &os) {
  for (const std::string &target : options.targets) {
    FailureOr<PlannedModule> planned = planModule(module, target, options.plan);
    if (failed(planned))
      return failure();
    printMasks(module, *planned, os);
    if (planned->target.getBackend() == "nvptx" && failed(printTarget(*planned, options, os)))
      return failure();
  }
  return success();
}
