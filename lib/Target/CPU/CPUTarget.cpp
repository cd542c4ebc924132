//===- CPUTarget.cpp - The CPU as a target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/CPU/CPUTarget.h"
#include "Strategy.h"
#include "TargetSetup.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

static constexpr llvm::StringLiteral kBackend = "cpu";

/// The processor of a target attribute; `parse` has checked its name.
static CPU getCPU(attn::TargetAttr target) {
  FailureOr<CPU> cpu = lookupCPU(target.getArch(), [&] { return emitError(UnknownLoc::get(target.getContext())); });
  return succeeded(cpu) ? *cpu : getHostCPU();
}

/// The products of pairs that are faster than widened ones. From Sapphire Rapids on Intel's cores start one `vdpbf16ps`
/// of 512 bits in two cycles, half the rate of `vfmadd`; tiles are sixteen times as fast as that.
static PairDots getPairDots(const CPU &cpu, bool hasTiles) {
  if (hasTiles && getTriple().isOSLinux())
    return PairDots::Tiles;
  return llvm::StringRef(cpu.name).contains("rapids") ? PairDots::None : PairDots::Vectors;
}

ProcessorTraits cpu::getTraits(const CPU &cpu) {
  llvm::SmallVector<llvm::StringRef> features;
  std::string list = getRequiredFeatures(cpu);
  llvm::StringRef(list).split(features, ',');
  auto has = [&](llvm::StringRef name) { return llvm::is_contained(features, name); };
  ProcessorTraits traits;
  bool hasAVX512 = has("+avx512f") && has("+avx512dq") && has("+avx512bw") && has("+avx512vl");
  traits.machine.vectorWidth = hasAVX512 ? 16 : has("+avx") ? 8 : 4;
  traits.machine.numRegisters = hasAVX512 ? 32 : 16;
  traits.machine.hasFMA = has("+fma");
  if (hasAVX512 && has("+fma") && has("+avx512bf16"))
    traits.machine.pairDots = getPairDots(cpu, has("+amx-tile") && has("+amx-bf16"));
  traits.hasF16C = has("+f16c");
  return traits;
}

/// Whether a lowered module has products of tile registers.
static bool usesTiles(ModuleOp kernels) {
  return kernels
      .walk([](LLVM::CallIntrinsicOp call) {
        return call.getIntrin().starts_with("llvm.x86.tile") ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class CPUTarget : public Target {
public:
  llvm::StringRef getBackend() const override { return kBackend; }

  attn::TargetAttr parse(MLIRContext *context, llvm::StringRef name) const override {
    llvm::StringRef arch = name;
    if (!arch.consume_front(kBackend) || (!arch.empty() && (!arch.consume_front(":") || arch.empty())))
      return {};
    if (!arch.empty() && arch != "host" && !llvm::is_contained(getKnownCPUNames(), arch))
      return {};
    return attn::TargetAttr::get(context, kBackend, arch.empty() ? "host" : arch, DictionaryAttr());
  }

  llvm::SmallVector<std::string> getKnownNames() const override { return {"cpu", "cpu:NAME"}; }

  FailureOr<llvm::SmallVector<PlannedVariant>> plan(attn::AttentionOp op, attn::TargetAttr target) const override {
    return planAttention(op, getTraits(getCPU(target)).machine);
  }

  LogicalResult verifyStrategy(attn::AttentionOp op, attn::TargetAttr) const override {
    return cpu::verifyStrategy(op);
  }

  void buildPipeline(OpPassManager &pm, attn::TargetAttr target, const TargetOptions &) const override {
    ProcessorTraits traits = getTraits(getCPU(target));
    TileToCPUOptions tiles;
    tiles.vectorWidth = traits.machine.vectorWidth;
    tiles.numRegisters = traits.machine.numRegisters;
    tiles.hasFMA = traits.machine.hasFMA;
    tiles.hasBF16Vectors = traits.machine.pairDots != PairDots::None;
    tiles.hasBF16Tiles = traits.machine.pairDots == PairDots::Tiles;
    pm.addNestedPass<func::FuncOp>(createTileToCPU(tiles));
    CPUExpandMathOptions math;
    math.hasF16C = traits.hasF16C;
    math.hasFMA = traits.machine.hasFMA;
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createCPUExpandMath(math));
    buildKernelToLLVMPipeline(pm);
  }

  CodeRequirements getRequirements(attn::TargetAttr target, ModuleOp kernels) const override {
    CPU cpu = getCPU(target);
    // LLVM makes no use of tile registers by itself.
    if (!usesTiles(kernels))
      cpu.features += (cpu.features.empty() ? "" : ",") + std::string("-amx-bf16,-amx-tile");
    return {cpu.name, getRequiredFeatures(cpu)};
  }

  FailureOr<std::string> emit(ModuleOp module, CodeKind kind, attn::TargetAttr target,
                              const TargetOptions &options) const override {
    EmitOptions emitOptions;
    emitOptions.cpu = getCPU(target);
    emitOptions.optLevel = options.optLevel;
    emitOptions.isVectorCode = true;
    return emitCode(module, kind, emitOptions);
  }
};
} // namespace

void cpu::registerCPUTarget(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, attn::AttnDialect *) {
    getTargetRegistry(context).addTarget(std::make_unique<CPUTarget>());
  });
}
