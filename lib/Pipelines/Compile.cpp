//===- Compile.cpp - From a module to an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"
#include "fovea/Artifact/ArtifactBuilder.h"
#include "fovea/Pipelines/Pipelines.h"
#include "fovea/Target/CPU/CPUEmit.h"
#include "fovea/Target/CPU/Judge.h"
#include "fovea/Target/CPU/Passes.h"
#include "fovea/Target/KernelModules.h"
#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace fovea;

SmallVector<func::FuncOp> fovea::getHostFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> hosts;
  for (auto function : module.getOps<func::FuncOp>())
    if (!isKernel(function) && !function.isExternal())
      hosts.push_back(function);
  return hosts;
}

/// PTX version times ten of a PTX text: its `.version` line.
static int parsePtxVersion(StringRef ptx) {
  StringRef rest = ptx.substr(ptx.find(".version ") + strlen(".version "));
  int major = 0, minor = 0;
  if (rest.consumeInteger(10, major) || !rest.consume_front(".") || rest.consumeInteger(10, minor))
    return 0;
  return major * 10 + minor;
}

static abi::CodeKind getAbiKind(CodeKind kind) {
  switch (kind) {
  case CodeKind::PTX:
    return abi::CodeKind::PTX;
  case CodeKind::Cubin:
    return abi::CodeKind::Cubin;
  default:
    return abi::CodeKind::SharedObject;
  }
}

/// A code object of a lowered module, without its bytes.
static CodeObject makeCode(PlannedModule &module, CodeKind kind) {
  CodeRequirements requirements = module.backend->getRequirements(module.target, *module.kernels);
  CodeObject code;
  code.kind = getAbiKind(kind);
  code.backend = module.target.getBackend().str();
  code.arch = requirements.arch;
  code.features = requirements.features;
  return code;
}

/// Code that is loaded as a whole.
static FailureOr<CodeObject> makeWholeCode(PlannedModule &module, CodeKind kind, const TargetOptions &options) {
  FailureOr<std::string> bytes = module.backend->emit(*module.kernels, kind, module.target, options);
  if (failed(bytes))
    return failure();
  CodeObject code = makeCode(module, kind);
  code.bytes = std::move(*bytes);
  return code;
}

/// Code that is loaded in parts.
static CodeObject makeCodeOfImages(PlannedModule &module, CodeKind kind, MutableArrayRef<CodeImage> images) {
  CodeObject code = makeCode(module, kind);
  // All have the same version.
  code.ptxVersion = kind == CodeKind::PTX && !images.empty() ? parsePtxVersion(images.front().bytes) : 0;
  for (CodeImage &image : images) {
    // The driver reads PTX as a C string.
    if (kind == CodeKind::PTX)
      image.bytes.push_back('\0');
    code.addImage(image.bytes, image.kernels);
  }
  return code;
}

namespace {
/// A module planned for one target, and its code.
struct TargetCode {
  PlannedModule module;
  std::vector<CodeObject> codes;

  LogicalResult generate(const CompileOptions &options) {
    if (failed(lowerToTiles(module)) || failed(lowerKernels(module, options.target)))
      return failure();
    SmallVector<CodeKind> kinds = module.backend->getArtifactCode(options.withMachineCode);
    FailureOr<std::vector<std::vector<CodeImage>>> images =
        module.backend->emitImages(*module.kernels, kinds, module.target, options.target);
    if (failed(images))
      return failure();
    for (auto [kind, ofKind] : llvm::zip(kinds, *images))
      codes.push_back(makeCodeOfImages(module, kind, ofKind));
    for (CodeKind kind : images->empty() ? ArrayRef<CodeKind>(kinds) : ArrayRef<CodeKind>()) {
      FailureOr<CodeObject> code = makeWholeCode(module, kind, options.target);
      if (failed(code))
        return failure();
      codes.push_back(std::move(*code));
    }
    return success();
  }
};
} // namespace

/// Loads the dialects that lowering makes use of: threads of the context must not.
static void loadDialects(ArrayRef<TargetCode> targets, const TargetOptions &options) {
  MLIRContext *context = targets.front().module.target.getContext();
  DialectRegistry registry;
  for (const TargetCode &target : targets) {
    OpPassManager pm(ModuleOp::getOperationName());
    buildTilePipeline(pm);
    target.module.backend->buildPipeline(pm, target.module.target, options);
    pm.getDependentDialects(registry);
  }
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    (void)context->getOrLoadDialect(name);
}

/// Generates the code of all targets, several at a time on the threads of the context.
static LogicalResult generate(MutableArrayRef<TargetCode> targets, const CompileOptions &options) {
  if (targets.size() == 1)
    return targets.front().generate(options);
  loadDialects(targets, options.target);
  return failableParallelForEach(targets.front().module.target.getContext(), targets,
                                 [&](TargetCode &target) { return target.generate(options); });
}

/// Adds the codes of a target with the implementations that use them.
static LogicalResult addTarget(ArtifactBuilder &artifact, TargetCode &target) {
  for (CodeObject &object : target.codes) {
    int code = artifact.addCode(std::move(object));
    for (func::FuncOp host : getHostFunctions(*target.module.planned))
      if (failed(artifact.addImplementation(host, *target.module.planned, *target.module.kernels, code)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The judge
//===----------------------------------------------------------------------===//

namespace {
/// A judge kernel and what it judges.
struct Judge {
  func::FuncOp host;
  attn::AttentionOp op;
  func::FuncOp kernel;
};
} // namespace

/// Builds the judges of all attention ops that read arguments alone into `judges`.
static FailureOr<SmallVector<Judge>> buildJudges(ModuleOp planned, ModuleOp judges) {
  SmallVector<Judge> result;
  OpBuilder builder(judges.getContext());
  for (func::FuncOp host : getHostFunctions(planned)) {
    for (auto [number, op] : llvm::enumerate(getAttentionOps(host))) {
      std::string name = (host.getName() + "_judge" + Twine(number)).str();
      if (std::optional<std::string> obstacle = getJudgeObstacle(op)) {
        op.emitRemark() << "has no reference in the artifact: " << *obstacle;
        continue;
      }
      builder.setInsertionPointToEnd(judges.getBody());
      FailureOr<func::FuncOp> kernel = cpu::buildJudge(builder, op, name);
      if (failed(kernel))
        return failure();
      result.push_back({host, op, *kernel});
    }
  }
  return result;
}

static FailureOr<std::string> emitJudges(ModuleOp judges, const cpu::CPU &cpu) {
  if (failed(runPassesOnKernels(judges, cpu::buildKernelToLLVMPipeline)))
    return failure();
  cpu::EmitOptions options;
  options.cpu = cpu;
  options.allowLibm = true;
  return cpu::emitCode(judges, CodeKind::SharedObject, options);
}

/// Adds the judges of a planned module as code for the CPU named by `target`.
static LogicalResult addReferences(ArtifactBuilder &artifact, ModuleOp planned, StringRef target) {
  StringRef name = target;
  name.consume_front("cpu");
  name.consume_front(":");
  FailureOr<cpu::CPU> cpu = cpu::lookupCPU(name, [&] { return planned.emitError(); });
  OwningOpRef<ModuleOp> judges = ModuleOp::create(planned.getLoc());
  FailureOr<SmallVector<Judge>> built = buildJudges(planned, *judges);
  if (failed(cpu) || failed(built))
    return failure();
  OwningOpRef<ModuleOp> lowered = judges->clone();
  FailureOr<std::string> bytes = emitJudges(*lowered, *cpu);
  if (failed(bytes))
    return failure();
  CodeObject object;
  object.kind = abi::CodeKind::SharedObject;
  object.backend = "cpu";
  object.arch = cpu->name;
  object.features = cpu::getRequiredFeatures(*cpu);
  object.bytes = std::move(*bytes);
  int code = artifact.addCode(std::move(object));
  for (Judge &judge : *built)
    if (failed(artifact.addReference(judge.host, judge.op, judge.kernel, *lowered, code)))
      return failure();
  return success();
}

FailureOr<std::string> fovea::compileToArtifact(ModuleOp module, const CompileOptions &options) {
  if (failed(checkOptions(module, options)))
    return failure();
  ArtifactBuilder artifact("fovea " FOVEA_VERSION);
  std::vector<TargetCode> targets;
  for (const std::string &name : options.targets) {
    FailureOr<PlannedModule> planned = planModule(module, name, options.plan);
    if (failed(planned))
      return failure();
    SmallVector<func::FuncOp> hosts = getHostFunctions(*planned->planned);
    if (hosts.empty())
      return emitError(module.getLoc()) << "the module has no function to compile";
    if (targets.empty() && llvm::any_of(hosts, [&](func::FuncOp host) { return failed(artifact.addFunction(host)); }))
      return failure();
    targets.push_back({std::move(*planned), {}});
  }
  if (targets.empty())
    return artifact.serialize();
  if (failed(generate(targets, options)))
    return failure();
  for (TargetCode &target : targets)
    if (failed(addTarget(artifact, target)))
      return failure();
  if (options.withReference && failed(addReferences(artifact, *targets.back().module.planned, options.referenceTarget)))
    return failure();
  return artifact.serialize();
}

FailureOr<std::string> fovea::compileToCode(ModuleOp module, CodeKind kind, const CompileOptions &options) {
  if (options.targets.size() != 1)
    return emitError(module.getLoc()) << "code is made for one target, not " << options.targets.size();
  if (failed(checkOptimisationLevel(module, options.target)))
    return failure();
  FailureOr<PlannedModule> planned = planModule(module, options.targets.front(), options.plan);
  if (failed(planned) || failed(lowerToTiles(*planned)) || failed(lowerKernels(*planned, options.target)))
    return failure();
  return planned->backend->emit(*planned->kernels, kind, planned->target, options.target);
}
