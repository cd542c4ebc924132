//===- Target.h - What a code generator must provide -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_TARGET_H
#define FOVEA_TARGET_TARGET_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/Pass/PassManager.h"

namespace fovea {

/// One way to run an attention op on a target.
struct PlannedVariant {
  std::string name;
  /// Condition on the problem symbols; null: always.
  mlir::IntegerSet when;
  attn::StrategyAttr strategy;
  /// Number of split-KV parts as an expression of the problem symbols; used where the kernel leaves partial results.
  mlir::AffineExpr splits;
  /// How the block map is computed by which the kernel skips blocks without a kept pair; null: it visits all.
  attn::StrategyAttr blockMap;
  /// With partial results: how `attn.combine` merges the parts. A task has `block_m` rows and `block_n` columns and
  /// loads `stages` parts at a time. Null: one row of all columns a task, one part at a time.
  attn::StrategyAttr combine;
};

/// Key among the options of `#attn.target` of a file of tuned strategies (`none`: rules alone) that replaces the
/// target's own.
constexpr llvm::StringLiteral kTuningOptionName = "tuning";

/// Options of code generation. Every field has a default that suits most users.
struct TargetOptions {
  /// PTX version times ten (`--ptx-version=8.3` is 83); 0: the lowest that the instructions need.
  int ptxVersion = 0;
  /// Optimisation level of LLVM, 0 to 3.
  int optLevel = 3;
};

/// What a piece of code needs to run; recorded in the artifact and checked by the runtime.
struct CodeRequirements {
  /// CPU name or chip.
  std::string arch;
  /// CPU features as `+avx2,+fma`; empty on a GPU.
  std::string features;
};

/// The kinds of code a target can be asked for.
enum class CodeKind { LLVMIR, Assembly, Object, SharedObject, PTX, Cubin };

/// Code that is loaded by itself, and the names of the kernels in it.
struct CodeImage {
  std::vector<std::string> kernels;
  std::string bytes;
};

/// A code generator. Targets are registered per context (`addTarget`), never in a global table.
class Target {
public:
  virtual ~Target();

  /// Name of the backend in `#attn.target`: "cpu", "nvptx".
  virtual llvm::StringRef getBackend() const = 0;

  /// The target attribute of a name a user types (`cpu`, `sm_80`), or null if this backend does not know the name.
  virtual attn::TargetAttr parse(mlir::MLIRContext *context, llvm::StringRef name) const = 0;

  /// Names that `parse` takes, for error messages.
  virtual llvm::SmallVector<std::string> getKnownNames() const = 0;

  /// The variants by which this target runs `op`, the last one unconditional; or one located error that names what is
  /// not supported and what would work.
  virtual mlir::FailureOr<llvm::SmallVector<PlannedVariant>> plan(attn::AttentionOp op,
                                                                  attn::TargetAttr target) const = 0;

  /// Whether `plan` for `target` reads a file of tuned strategies.
  virtual bool hasTuning(attn::TargetAttr /*target*/) const { return false; }

  /// How this target runs `op` of a host function, as `PlannedVariant::combine`; or one located error.
  virtual mlir::FailureOr<attn::StrategyAttr> planCombine(attn::CombineOp /*op*/, attn::TargetAttr /*target*/) const {
    return attn::StrategyAttr();
  }

  /// Emits one error at `op`, the op of a kernel, if this target has no kernel for its strategy, or one that ignores
  /// a parameter of it.
  virtual mlir::LogicalResult verifyStrategy(attn::AttentionOp /*op*/, attn::TargetAttr /*target*/) const {
    return mlir::success();
  }

  /// Appends the passes from kernel functions at the tile level (after `attn-to-tile`) to the LLVM dialect. They work
  /// on a module that holds kernel functions alone and update `scratch_bytes` and `shared_bytes` of each `attn.launch`.
  virtual void buildPipeline(mlir::OpPassManager &pm, attn::TargetAttr target, const TargetOptions &options) const = 0;

  /// What code needs that is generated for `target` from `kernels`, a module that `buildPipeline` lowered.
  virtual CodeRequirements getRequirements(attn::TargetAttr target, mlir::ModuleOp /*kernels*/) const {
    return {target.getArch().str(), std::string()};
  }

  /// The kinds of code an artifact holds for this target, in order of preference; `withMachineCode` adds the kind that
  /// fits one architecture alone.
  virtual llvm::SmallVector<CodeKind> getArtifactCode(bool /*withMachineCode*/) const {
    return {CodeKind::SharedObject};
  }

  /// Generates code from the result of the pipeline. Errors are diagnostics.
  virtual mlir::FailureOr<std::string> emit(mlir::ModuleOp module, CodeKind kind, attn::TargetAttr target,
                                            const TargetOptions &options) const = 0;

  /// Generates the kinds of `getArtifactCode` in the parts that a launch loads, so that it loads no more than it runs:
  /// for each kind its images. Empty: the target's code is loaded as a whole, and `emit` makes it.
  virtual mlir::FailureOr<std::vector<std::vector<CodeImage>>> emitImages(mlir::ModuleOp /*module*/,
                                                                          llvm::ArrayRef<CodeKind> /*kinds*/,
                                                                          attn::TargetAttr /*target*/,
                                                                          const TargetOptions & /*options*/) const {
    return std::vector<std::vector<CodeImage>>();
  }
};

/// The targets registered in a context, owned by the attn dialect.
class TargetRegistry : public mlir::DialectInterface::Base<TargetRegistry> {
public:
  explicit TargetRegistry(mlir::Dialect *dialect) : Base(dialect) {}
  void addTarget(std::unique_ptr<Target> target) { targets.push_back(std::move(target)); }
  const Target *lookup(llvm::StringRef backend) const;
  /// Parses a target name of any backend; emits the list of known names otherwise.
  attn::TargetAttr parse(llvm::StringRef name, llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const;

private:
  llvm::SmallVector<std::unique_ptr<Target>> targets;
};

/// The registry of a context; loads the attn dialect.
TargetRegistry &getTargetRegistry(mlir::MLIRContext *context);

} // namespace fovea

#endif // FOVEA_TARGET_TARGET_H
