//===- Emit.cpp - From the LLVM dialect to PTX -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Chips.h"
#include "KernelInfo.h"
#include "LimitPasses.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "fovea/Target/KernelModules.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

static std::string formatVersion(int version) { return llvm::formatv("{0}.{1}", version / 10, version % 10).str(); }

FailureOr<int> nvptx::selectPtxVersion(Location loc, StringRef chipName, int requested) {
  const Chip *chip = lookupChip(chipName);
  if (!chip)
    return emitError(loc) << "unknown chip '" << chipName << "'";
  int lowest = std::max(chip->minPtxVersion, kMinPtxVersion);
  if (requested == 0)
    return lowest;
  if (requested < lowest)
    return emitError(loc) << "PTX version " << formatVersion(requested) << " is too low for " << chipName
                          << ", which needs at least " << formatVersion(lowest);
  if (!llvm::is_contained(getPtxVersions(), requested))
    return emitError(loc) << "unknown PTX version " << formatVersion(requested) << "; the newest known is "
                          << formatVersion(getPtxVersions().back());
  return requested;
}

/// Registers the code generator with LLVM, once in a process.
static const llvm::Target *lookupLLVMTarget(std::string &error) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
}

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(Location loc, StringRef chip, int ptxVersion,
                                                                int optLevel) {
  std::string error;
  const llvm::Target *target = lookupLLVMTarget(error);
  if (!target) {
    emitError(loc) << "this LLVM has no NVPTX code generator: " << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  // 32-bit pointers to shared memory: half of the address arithmetic of the loop.
  options.MCOptions.ABIName = "shortptr";
  auto level = static_cast<llvm::CodeGenOptLevel>(optLevel);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(llvm::Triple(kTriple), chip,
                                                                          "+ptx" + std::to_string(ptxVersion), options,
                                                                          llvm::Reloc::PIC_, std::nullopt, level));
}

/// Scalarizes the vectors that threads hold and cleans up. Loops are left as they are: ptxas schedules them.
static LogicalResult optimize(Location loc, llvm::Module &module, llvm::TargetMachine &machine, int optLevel) {
  llvm::LoopAnalysisManager loopAnalyses;
  llvm::FunctionAnalysisManager functionAnalyses;
  llvm::CGSCCAnalysisManager cgsccAnalyses;
  llvm::ModuleAnalysisManager moduleAnalyses;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(cgsccAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses, cgsccAnalyses, moduleAnalyses);
  StringRef pipeline = "function(scalarizer,early-cse)";
  if (optLevel > 0)
    pipeline = "function(early-cse,instcombine<no-verify-fixpoint>,scalarizer,early-cse<memssa>,"
               "instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,"
               "simplifycfg,adce)";
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
    return emitError(loc) << "cannot build LLVM's pipeline: " << llvm::toString(std::move(error));
  passes.run(module, moduleAnalyses);
  if (optLevel > 0)
    sinkToUses(module);
  return success();
}

/// LLVM ends the program at a name that PTX does not take.
static LogicalResult checkNames(ModuleOp module) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (StringRef name = function.getName();
        !function.isExternal() && (llvm::isDigit(name.front()) || !llvm::all_of(name, isPart)))
      return function.emitError() << "'" << name << "' cannot be the name of a kernel in PTX: letters, digits, '_' and "
                                  << "'$' make one, and no digit at the front; rename it";
  return success();
}

/// LLVM ends the program at an instruction that a chip does not have, as kernels written for another one may hold.
static LogicalResult checkInstructions(ModuleOp module, StringRef chip) {
  auto version = NVVM::NVVMCheckSMVersion::getTargetSMVersionFromStr(chip);
  WalkResult result = module.walk([&](NVVM::RequiresSMInterface op) -> WalkResult {
    if (op.getRequiredMinSMVersion().isCompatibleWith(version))
      return WalkResult::advance();
    return op->emitError() << "becomes '" << op->getName() << "', which " << chip
                           << " does not have; compile for a chip that has it";
  });
  return failure(result.wasInterrupted());
}

static FailureOr<std::string> generatePtx(Location loc, llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc) << "this LLVM cannot write PTX";
  passes.run(module);
  return std::string(text);
}

static std::string print(llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// Generates LLVM IR or PTX for one module.
static FailureOr<std::string> emitModule(ModuleOp module, CodeKind kind, StringRef chip, int ptxVersion,
                                         const TargetOptions &options) {
  Location loc = module.getLoc();
  if (failed(checkNames(module)) || failed(checkInstructions(module, chip)))
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(loc, chip, ptxVersion, options.optLevel);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  // Names cost a table look-up for each value; only LLVM IR that is shown needs them.
  context.setDiscardValueNames(kind != CodeKind::LLVMIR);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context);
  if (!llvmModule)
    return failure();
  llvmModule->setTargetTriple(llvm::Triple(kTriple));
  llvmModule->setDataLayout(machine->createDataLayout());
  if (failed(optimize(loc, *llvmModule, *machine, options.optLevel)))
    return failure();
  // Other kernels have all registers in use: conditions that wait for each other would be spilled.
  if (options.optLevel > 0)
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
      if (kernel->hasAttr(attn::kMaskRegionAttrName) && isWarpgroupKernel(kernel))
        joinConditions(*llvmModule->getFunction(kernel.getName()));
  if (kind == CodeKind::LLVMIR)
    return print(*llvmModule);
  PassLimits limits(*llvmModule);
  context.setOptPassGate(limits);
  return generatePtx(loc, *llvmModule, *machine);
}

FailureOr<std::vector<std::vector<CodeImage>>> nvptx::emitKernelImages(ModuleOp module, ArrayRef<CodeKind> kinds,
                                                                       StringRef chip, const TargetOptions &options) {
  Location loc = module.getLoc();
  FailureOr<int> version = selectPtxVersion(loc, chip, options.ptxVersion);
  FailureOr<std::string> ptxas = std::string();
  if (llvm::is_contained(kinds, CodeKind::Cubin))
    ptxas = findAssembler(loc, chip);
  if (failed(version) || failed(ptxas))
    return failure();
  SmallVector<Operation *> kernels = getKernels(module);
  // A module without kernels is one image, too: code is never empty.
  size_t count = std::max<size_t>(kernels.size(), 1);
  std::vector<std::vector<CodeImage>> images(kinds.size(), std::vector<CodeImage>(count));
  auto emitOne = [&](size_t i) -> LogicalResult {
    OwningOpRef<ModuleOp> own =
        kernels.empty() ? OwningOpRef<ModuleOp>(module.clone()) : cloneKernelModule(module, kernels[i]);
    FailureOr<std::string> ptx = emitModule(*own, CodeKind::PTX, chip, *version, options);
    if (failed(ptx))
      return failure();
    for (auto [kind, ofKind] : llvm::zip(kinds, images)) {
      FailureOr<std::string> code = kind == CodeKind::Cubin ? assemble(loc, *ptxas, *ptx, chip, options.optLevel) : ptx;
      if (failed(code))
        return failure();
      if (!kernels.empty())
        ofKind[i].kernels.push_back(SymbolTable::getSymbolName(kernels[i]).str());
      ofKind[i].bytes = std::move(*code);
    }
    return success();
  };
  if (failed(failableParallelForEachN(module.getContext(), 0, count, emitOne)))
    return failure();
  return images;
}

/// Whether a module defines nothing but kernels and data, so that its kernels' PTX can be joined.
static bool holdsKernelsAlone(ModuleOp module) {
  return llvm::all_of(module.getOps<LLVM::LLVMFuncOp>(),
                      [](LLVM::LLVMFuncOp function) { return function.isExternal() || getLaunch(function); }) &&
         !getKernels(module).empty();
}

FailureOr<std::string> nvptx::emitCode(ModuleOp module, CodeKind kind, StringRef chip, const TargetOptions &options) {
  Location loc = module.getLoc();
  if (kind == CodeKind::SharedObject || kind == CodeKind::Assembly || kind == CodeKind::Object)
    return emitError(loc) << "assembly and objects are those of a CPU; for " << chip << " there are PTX and cubin";
  FailureOr<int> version = selectPtxVersion(loc, chip, options.ptxVersion);
  if (failed(version))
    return failure();
  if (kind == CodeKind::LLVMIR)
    return emitModule(module, kind, chip, *version, options);
  FailureOr<std::string> ptx;
  if (holdsKernelsAlone(module)) {
    FailureOr<std::vector<std::vector<CodeImage>>> kernels = emitKernelImages(module, CodeKind::PTX, chip, options);
    if (failed(kernels))
      return failure();
    ptx = joinPtx(kernels->front());
  } else {
    ptx = emitModule(module, CodeKind::PTX, chip, *version, options);
  }
  if (failed(ptx) || kind == CodeKind::PTX)
    return ptx;
  FailureOr<std::string> ptxas = findAssembler(loc, chip);
  if (failed(ptxas))
    return failure();
  return assemble(loc, *ptxas, *ptx, chip, options.optLevel);
}
