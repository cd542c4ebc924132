//===- NVPTXTarget.cpp - The NVPTX code generator -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/NVPTX/NVPTXTarget.h"
#include "Chips.h"
#include "Emit.h"
#include "Strategy.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
class NVPTXTarget : public Target {
public:
  StringRef getBackend() const override { return "nvptx"; }

  attn::TargetAttr parse(MLIRContext *context, StringRef name) const override {
    if (!lookupChip(name))
      return {};
    return attn::TargetAttr::get(context, getBackend(), name, DictionaryAttr());
  }

  SmallVector<std::string> getKnownNames() const override {
    return llvm::map_to_vector(getChips(), [](const Chip &chip) { return chip.name.str(); });
  }

  FailureOr<SmallVector<PlannedVariant>> plan(attn::AttentionOp op, attn::TargetAttr target) const override {
    const Chip *chip = lookupChip(target.getArch());
    if (!chip)
      return op.emitError() << "unknown chip '" << target.getArch() << "'; known are "
                            << llvm::join(getKnownNames(), ", ");
    DictionaryAttr options = target.getOptions();
    auto tuning = options ? options.getAs<StringAttr>(kTuningOptionName) : StringAttr();
    return planAttention(op, *chip, tuning ? tuning.getValue() : StringRef());
  }

  FailureOr<attn::StrategyAttr> planCombine(attn::CombineOp op, attn::TargetAttr target) const override {
    return nvptx::planCombine(op, *lookupChip(target.getArch()));
  }

  LogicalResult verifyStrategy(attn::AttentionOp op, attn::TargetAttr target) const override {
    return nvptx::verifyStrategy(op, *lookupChip(target.getArch()));
  }

  void buildPipeline(OpPassManager &pm, attn::TargetAttr target, const TargetOptions &options) const override {
    nvptx::buildPipeline(pm, target.getArch());
  }

  bool hasTuning(attn::TargetAttr target) const override { return lookupChip(target.getArch())->warpgroups; }

  SmallVector<CodeKind> getArtifactCode(bool withMachineCode) const override {
    if (withMachineCode)
      return {CodeKind::Cubin, CodeKind::PTX};
    return {CodeKind::PTX};
  }

  FailureOr<std::string> emit(ModuleOp module, CodeKind kind, attn::TargetAttr target,
                              const TargetOptions &options) const override {
    return emitCode(module, kind, target.getArch(), options);
  }

  FailureOr<std::vector<std::vector<CodeImage>>> emitImages(ModuleOp module, ArrayRef<CodeKind> kinds,
                                                            attn::TargetAttr target,
                                                            const TargetOptions &options) const override {
    return emitKernelImages(module, kinds, target.getArch(), options);
  }
};
} // namespace

void nvptx::buildPipeline(OpPassManager &pm, StringRef chipName) {
  const Chip *chip = lookupChip(chipName);
  pm.addPass(createAssignLayouts());
  StageMemoryOptions staging;
  staging.chip = chipName.str();
  if (chip)
    staging.sharedLimit = chip->sharedBytes;
  SpecializeWarpsOptions roles;
  roles.chip = staging.chip;
  roles.sharedLimit = staging.sharedLimit;
  pm.addPass(createSpecializeWarps(roles));
  pm.addPass(createScheduleDots());
  pm.addPass(createVerifyAsync());
  pm.addPass(createStageMemory(staging));
  pm.addPass(createTileToNVVM());
  pm.addPass(createMathToNVVM());
  pm.addPass(createCSEPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // One conversion for all other dialects: each walks and legalizes the whole module.
  ConvertToLLVMPassOptions conversion;
  conversion.allowPatternRollback = false;
  pm.addPass(createConvertToLLVMPass(conversion));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createMarkKernels());
}

void fovea::registerNVPTXTarget(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registry.addExtension(+[](MLIRContext *context, attn::AttnDialect *) {
    getTargetRegistry(context).addTarget(std::make_unique<NVPTXTarget>());
  });
}

void fovea::registerNVPTXPasses() {
  nvptx::registerNVPTXPasses();
  PassPipelineRegistration<>("attn-tile-to-nvptx", "From kernels at the tile level to the LLVM dialect, for sm_80",
                             [](OpPassManager &pm) { nvptx::buildPipeline(pm, "sm_80"); });
}
