//===- CheckOptions.cpp - Whether options have a meaning -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"
#include "AheadOfTime/CNames.h"
#include "HandOver/FunctionKernels.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace fovea;

/// What the runtime takes (`fovea_device.threads`).
static constexpr int64_t kMaxThreads = 65536;

static const Target &getBackend(attn::TargetAttr target) {
  return *getTargetRegistry(target.getContext()).lookup(target.getBackend());
}

FailureOr<SmallVector<attn::TargetAttr>> fovea::parseTargets(ModuleOp module, ArrayRef<std::string> names) {
  if (names.empty())
    return emitError(module.getLoc()) << "no target is named; name cpu or a chip";
  SmallVector<attn::TargetAttr> targets;
  for (auto [index, name] : llvm::enumerate(names)) {
    attn::TargetAttr target =
        getTargetRegistry(module.getContext()).parse(name, [&] { return emitError(module.getLoc()); });
    if (!target)
      return failure();
    if (auto *it = llvm::find(targets, target); it != targets.end())
      return emitError(module.getLoc()) << "the targets '" << names[it - targets.begin()] << "' and '" << name
                                        << "' are the same; name it once";
    targets.push_back(target);
  }
  return targets;
}

static bool hasMachineCode(attn::TargetAttr target) {
  const Target &backend = getBackend(target);
  return backend.getArtifactCode(/*withMachineCode=*/true).size() > backend.getArtifactCode(false).size();
}

static bool hasPtx(attn::TargetAttr target) {
  return llvm::is_contained(getBackend(target).getArtifactCode(/*withMachineCode=*/false), CodeKind::PTX);
}

LogicalResult fovea::checkOptimisationLevel(ModuleOp module, const TargetOptions &options) {
  if (options.optLevel < 0 || options.optLevel > 3)
    return emitError(module.getLoc()) << "the optimisation level is " << options.optLevel << ", must be 0 to 3";
  return success();
}

static LogicalResult checkTargetOptions(ModuleOp module, const TargetOptions &options,
                                        ArrayRef<attn::TargetAttr> targets) {
  if (failed(checkOptimisationLevel(module, options)))
    return failure();
  if (options.ptxVersion && llvm::none_of(targets, hasPtx))
    return emitError(module.getLoc()) << "a PTX version is given, but no target has PTX; leave it out, or name a GPU";
  return success();
}

/// The file is read for each op that may use it; where none does nobody else would miss it.
static LogicalResult checkTuning(ModuleOp module, StringRef file, ArrayRef<attn::TargetAttr> targets) {
  if (file.empty())
    return success();
  if (llvm::none_of(targets, [](attn::TargetAttr target) { return getBackend(target).hasTuning(target); }))
    return emitError(module.getLoc())
           << "a table of strategies is given, but no target has tuned strategies; leave it out";
  std::error_code fault =
      file == "none" ? std::error_code() : llvm::sys::fs::access(file, llvm::sys::fs::AccessMode::Exist);
  if (fault)
    return emitError(module.getLoc()) << "cannot read the table of strategies '" << file << "': " << fault.message();
  return success();
}

LogicalResult fovea::checkOptions(ModuleOp module, const CompileOptions &options) {
  FailureOr<SmallVector<attn::TargetAttr>> targets = parseTargets(module, options.targets);
  if (failed(targets) || failed(checkTargetOptions(module, options.target, *targets)))
    return failure();
  if (options.withMachineCode && llvm::none_of(*targets, hasMachineCode))
    return emitError(module.getLoc())
           << "machine code beside PTX is asked for, but no target has PTX; leave it out, or name a GPU";
  return checkTuning(module, options.plan.tuning, *targets);
}

static LogicalResult checkThreads(ModuleOp module, const HandOverOptions &options, bool isHost) {
  if (options.threads < 1 || options.threads > kMaxThreads)
    return emitError(module.getLoc()) << "threads is " << options.threads << ", must be 1 to " << kMaxThreads;
  if (options.threads > 1 && options.viaRuntime && !isHost)
    return emitError(module.getLoc())
           << "threads is " << options.threads
           << ", but with via-runtime a GPU's multiprocessors are counted when it runs; leave it out";
  return success();
}

static LogicalResult checkRuntimeCall(ModuleOp module, const HandOverOptions &options) {
  if (!isCIdentifier(options.runtimeCall))
    return emitError(module.getLoc()) << "runtime-call is '" << options.runtimeCall
                                      << "', must be the name of a C function, as fovea_embedded_run_or_abort";
  if (!options.viaRuntime && options.runtimeCall != HandOverOptions().runtimeCall)
    return emitError(module.getLoc())
           << "runtime-call is '" << options.runtimeCall
           << "', but only with via-runtime is there a call; add via-runtime or leave it out";
  return success();
}

LogicalResult fovea::checkOptions(ModuleOp module, const HandOverOptions &options) {
  FailureOr<SmallVector<attn::TargetAttr>> targets = parseTargets(module, options.targets);
  if (failed(targets) || failed(checkTargetOptions(module, options.targetOptions, *targets)))
    return failure();
  if (targets->size() > 1 && !options.viaRuntime)
    return emitError(module.getLoc()) << "got " << targets->size()
                                      << " targets; kernels in IR are for one, and via-runtime takes several";
  for (auto [name, target] : llvm::zip_equal(options.targets, *targets))
    if (target.getBackend() != targets->front().getBackend())
      return emitError(module.getLoc()) << "targets '" << options.targets.front() << "' and '" << name
                                        << "' have different memory; hand over for one of them";
  if (options.withMachineCode && !hasMachineCode(targets->front()))
    return emitError(module.getLoc()) << "machine-code stands for cubin instead of PTX, but the target '"
                                      << options.targets.front() << "' has none; leave it out, or name a GPU";
  return success(succeeded(checkThreads(module, options, isHostTarget(getBackend(targets->front())))) &&
                 succeeded(checkRuntimeCall(module, options)));
}
