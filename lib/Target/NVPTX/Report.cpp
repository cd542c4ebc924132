//===- Report.cpp - What kernels need of a GPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/NVPTX/Report.h"
#include "Chips.h"
#include "Emit.h"
#include "Layouts.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Registers and thread blocks of a multiprocessor, and what registers and shared memory are given out in.
static constexpr int64_t kRegisters = 65536, kMaxBlocks = 32, kRegisterUnit = 256;

/// The number before `unit` in a line such as "16 bytes stack frame, 8 bytes spill stores", or 0.
static int64_t getNumberBefore(StringRef line, StringRef unit) {
  StringRef before = line.take_front(line.find(unit)).rtrim();
  if (before.size() == line.rtrim().size())
    return 0;
  int64_t value = 0;
  before.substr(before.find_last_not_of("0123456789") + 1).getAsInteger(10, value);
  return value;
}

/// Fills in what lines of `ptxas -v` say of the kernel `report`.
static void readLine(StringRef line, KernelReport &report) {
  if (line.contains("bytes spill stores")) {
    report.spillStores = getNumberBefore(line, " bytes spill stores");
    report.spillLoads = getNumberBefore(line, " bytes spill loads");
  }
  if (line.contains("Used ")) {
    report.registers = getNumberBefore(line, " registers");
    report.sharedBytes += getNumberBefore(line, " bytes smem");
  }
}

/// How many blocks of the kernel fit a multiprocessor: by registers, shared memory, warps and blocks.
static void countBlocks(KernelReport &report, const Chip &chip) {
  int64_t warps = llvm::divideCeil(report.threads, kLanes);
  int64_t warpRegisters = roundUp(report.registers * kLanes, kRegisterUnit);
  report.maxWarps = chip.maxWarps;
  report.blocks = std::min(kMaxBlocks, chip.maxWarps / std::max<int64_t>(warps, 1));
  if (warpRegisters > 0)
    report.blocks = std::min(report.blocks, kRegisters / warpRegisters / std::max<int64_t>(warps, 1));
  report.blocks =
      std::min(report.blocks, (chip.sharedBytes + kReservedShared) / (report.sharedBytes + kReservedShared));
  report.warps = report.blocks * warps;
}

/// The kernel that a line speaks of, by the name in quotes at its end, or null.
static LLVM::LLVMFuncOp findKernel(ModuleOp module, StringRef line) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (line.contains(("'" + function.getName() + "'").str()))
      return function;
  return {};
}

/// Performance remarks and warnings of the assembler: the text behind "ptxas info : (C7510)".
static void warn(ModuleOp module, StringRef line) {
  LLVM::LLVMFuncOp kernel = findKernel(module, line);
  emitWarning(kernel ? kernel.getLoc() : module.getLoc()) << line.trim();
}

static bool isPerformanceWarning(StringRef line) {
  return line.contains("(C75") || line.contains("Potential Performance Loss") || line.contains("setmaxnreg") ||
         line.contains("ptxas warning");
}

/// Kernels in the order of the module, with what their launch says.
static SmallVector<KernelReport> getKernels(ModuleOp module) {
  SmallVector<KernelReport> reports;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto launch = function->getAttrOfType<attn::LaunchAttr>(attn::AttnDialect::getLaunchAttrName())) {
      KernelReport &report = reports.emplace_back();
      report.name = function.getName().str();
      report.threads = launch.getBlock();
      report.sharedBytes = launch.getSharedBytes();
      if (auto strategy = function->getAttrOfType<attn::StrategyAttr>(attn::kStrategyAttrName))
        report.scorePart = strategy.getScorePart();
    }
  return reports;
}

FailureOr<SmallVector<KernelReport>> fovea::reportKernels(ModuleOp module, StringRef chipName,
                                                          const TargetOptions &options) {
  const Chip *chip = lookupChip(chipName);
  if (!chip)
    return emitError(module.getLoc()) << "unknown chip '" << chipName << "'";
  FailureOr<std::string> ptxas = findAssembler(module.getLoc(), chipName);
  if (failed(ptxas))
    return failure();
  FailureOr<std::string> ptx = emitCode(module, CodeKind::PTX, chipName, options);
  std::string log;
  if (failed(ptx) || failed(assemble(module.getLoc(), *ptxas, *ptx, chipName, options.optLevel, &log)))
    return failure();
  SmallVector<KernelReport> reports = getKernels(module);
  KernelReport other, *current = &other;
  for (StringRef line : llvm::split(log, "\n")) {
    if (isPerformanceWarning(line))
      warn(module, line);
    if (line.contains("Compiling entry function '")) {
      StringRef name = line.split('\'').second.split('\'').first;
      auto *found = llvm::find_if(reports, [&](KernelReport &report) { return report.name == name; });
      current = found == reports.end() ? &other : &*found;
    }
    readLine(line, *current);
  }
  for (KernelReport &report : reports)
    countBlocks(report, *chip);
  return reports;
}
