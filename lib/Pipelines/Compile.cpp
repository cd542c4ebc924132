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

using namespace mlir;
using namespace fovea;

SmallVector<func::FuncOp> fovea::getHostFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> hosts;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function->hasAttr(attn::AttnDialect::getLaunchAttrName()) && !function.isExternal())
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

/// Generates the bytes of one kind of code for a lowered module: as a whole, or one image for each kernel.
static LogicalResult emitCode(PlannedModule &module, CodeKind kind, const TargetOptions &options, CodeObject &code) {
  FailureOr<std::vector<CodeImage>> images = module.backend->emitImages(*module.kernels, kind, module.target, options);
  if (failed(images))
    return failure();
  for (CodeImage &image : *images) {
    // The driver reads PTX as a C string.
    if (kind == CodeKind::PTX)
      image.bytes.push_back('\0');
    code.addImage(image.bytes, image.kernels);
  }
  if (!images->empty())
    return success();
  FailureOr<std::string> bytes = module.backend->emit(*module.kernels, kind, module.target, options);
  if (failed(bytes))
    return failure();
  code.bytes = std::move(*bytes);
  return success();
}

/// Generates one kind of code for a lowered module and adds it with the implementations that use it.
static LogicalResult addCode(ArtifactBuilder &artifact, PlannedModule &module, CodeKind kind,
                             const TargetOptions &options) {
  CodeRequirements requirements = module.backend->getRequirements(module.target, *module.kernels);
  CodeObject object;
  object.kind = getAbiKind(kind);
  object.backend = module.target.getBackend().str();
  object.arch = requirements.arch;
  object.features = requirements.features;
  if (failed(emitCode(module, kind, options, object)))
    return failure();
  // All images have the same.
  object.ptxVersion = kind == CodeKind::PTX ? parsePtxVersion(object.bytes) : 0;
  int code = artifact.addCode(std::move(object));
  for (func::FuncOp host : getHostFunctions(*module.planned))
    if (failed(artifact.addImplementation(host, *module.planned, *module.kernels, code)))
      return failure();
  return success();
}

static LogicalResult addTarget(ArtifactBuilder &artifact, PlannedModule &module, const CompileOptions &options) {
  if (failed(lowerToTiles(module)) || failed(lowerKernels(module, options.target)))
    return failure();
  for (CodeKind kind : module.backend->getArtifactCode(options.withMachineCode))
    if (failed(addCode(artifact, module, kind, options.target)))
      return failure();
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
      if (!isJudgeable(op)) {
        op.emitRemark() << "has no reference in the artifact: it reads or feeds another op of the function";
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
  if (failed(runPasses(judges, cpu::buildKernelToLLVMPipeline)))
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
  bool first = true;
  for (const std::string &target : options.targets) {
    FailureOr<PlannedModule> planned = planModule(module, target, options.plan);
    if (failed(planned))
      return failure();
    SmallVector<func::FuncOp> hosts = getHostFunctions(*planned->planned);
    if (hosts.empty())
      return module.emitError() << "the module has no function to compile";
    if (first && llvm::any_of(hosts, [&](func::FuncOp host) { return failed(artifact.addFunction(host)); }))
      return failure();
    first = false;
    if (failed(addTarget(artifact, *planned, options)))
      return failure();
    if (options.withReference && target == options.targets.back() &&
        failed(addReferences(artifact, *planned->planned, options.referenceTarget)))
      return failure();
  }
  return artifact.serialize();
}

FailureOr<std::string> fovea::compileToCode(ModuleOp module, CodeKind kind, const CompileOptions &options) {
  if (options.targets.size() != 1)
    return module.emitError() << "code is made for one target, not " << options.targets.size();
  if (options.withReference || options.withMachineCode)
    return module.emitError() << "a reference and machine code beside PTX are parts of an artifact, not of code alone";
  if (failed(checkOptions(module, options)))
    return failure();
  FailureOr<PlannedModule> planned = planModule(module, options.targets.front(), options.plan);
  if (failed(planned) || failed(lowerToTiles(*planned)) || failed(lowerKernels(*planned, options.target)))
    return failure();
  return planned->backend->emit(*planned->kernels, kind, planned->target, options.target);
}
