//===- Pipelines.h - Fovea's pipelines as library functions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PIPELINES_PIPELINES_H
#define FOVEA_PIPELINES_PIPELINES_H

#include "fovea/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace fovea {

/// How a target's choice of kernels is overridden.
struct PlanOptions {
  /// An `#attn.strategy` that runs every op where it can; empty: the target chooses.
  std::string strategy;
  /// A file of tuned strategies in place of those that the target comes with; empty: these.
  std::string tuning;
};

/// Options of a compilation; each field has a default that suits most users.
struct CompileOptions {
  /// Target names (`cpu`, `cpu:NAME`, a chip), in order of preference; the artifact serves all of them.
  std::vector<std::string> targets = {"cpu"};
  /// Adds the float64 judge of every function, as code for `referenceTarget`, a CPU.
  bool withReference = false;
  std::string referenceTarget = "cpu";
  /// Adds machine code beside the portable code of a target that has both (cubin beside PTX).
  bool withMachineCode = false;
  PlanOptions plan;
  TargetOptions target;
};

/// Host module -> host module with plans and kernel functions: canonicalisation, then `attn-plan`.
void buildPlanPipeline(mlir::OpPassManager &pm, llvm::StringRef target, const PlanOptions &options = {});

/// Kernel functions -> the tile level: `attn-to-tile` and clean-up.
void buildTilePipeline(mlir::OpPassManager &pm);

/// Registers the pipelines above for `--pass-pipeline` and command lines: `attn-plan-pipeline`, `attn-tile-pipeline`.
void registerPipelines();

/// A module planned for one target, and its kernels in a module of their own.
struct PlannedModule {
  /// The name by which the target was asked for.
  std::string targetName;
  attn::TargetAttr target;
  const Target *backend = nullptr;
  /// Host functions with plans, and the kernel functions as planned.
  mlir::OwningOpRef<mlir::ModuleOp> planned;
  /// Copies of the kernel functions; lowered in place by `lowerToTiles` and `lowerKernels`.
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
};

/// Plans a copy of `module` for the target named `target`; `options.tuning` is for targets that have tables, others
/// ignore it. A strategy for other ops or other targets is an error at the op.
mlir::FailureOr<PlannedModule> planModule(mlir::ModuleOp module, llvm::StringRef target, const PlanOptions &options);

/// Lowers the kernels to the tile level. As `lowerKernels` it works on several kernels at a time where the context has
/// threads; results and diagnostics do not depend on that.
mlir::LogicalResult lowerToTiles(PlannedModule &module);

/// Lowers kernels at the tile level to the LLVM dialect by the target's pipeline.
mlir::LogicalResult lowerKernels(PlannedModule &module, const TargetOptions &options);

/// Runs the passes that `build` adds, under MLIR's command-line options for pass managers and timing where the program
/// registered those.
mlir::LogicalResult runPasses(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> build);

/// Runs the passes that `build` adds on each kernel of a module in a module of its own, several at a time on the
/// threads of the context, and puts these together again.
mlir::LogicalResult runPassesOnKernels(mlir::ModuleOp kernels, llvm::function_ref<void(mlir::OpPassManager &)> build);

/// The functions of a module that become functions of an artifact: those that have a body and are no kernels.
llvm::SmallVector<mlir::func::FuncOp> getHostFunctions(mlir::ModuleOp module);

/// Emits one error at `module` for an invalid value, or one without effect on any target: machine code, a PTX version
/// or a table of strategies where all targets are CPUs. `compileToArtifact` checks its options itself.
mlir::LogicalResult checkOptions(mlir::ModuleOp module, const CompileOptions &options);

/// Compiles the functions of `module`, which stays as it is, to the bytes of an artifact. Errors are diagnostics.
mlir::FailureOr<std::string> compileToArtifact(mlir::ModuleOp module, const CompileOptions &options);

/// Compiles the kernels of `module` for the one target of the options to one kind of code, without the launch contract;
/// what the options say of artifacts alone has no effect.
mlir::FailureOr<std::string> compileToCode(mlir::ModuleOp module, CodeKind kind, const CompileOptions &options);

} // namespace fovea

#endif // FOVEA_PIPELINES_PIPELINES_H
