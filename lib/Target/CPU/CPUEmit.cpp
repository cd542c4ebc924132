//===- CPUEmit.cpp - From the LLVM dialect to CPU code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/CPU/CPUEmit.h"
#include "Builtins.h"
#include "TargetSetup.h"
#include "fovea/Target/KernelModules.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

namespace {
/// Largest stack frame of a function, in bytes: a launch may run in a thread with a stack of 64 KiB.
constexpr StringLiteral kMaxFrameBytes = "32768";

/// Compiles one module.
class Emitter {
public:
  Emitter(ModuleOp module, const EmitOptions &options) : module(module), options(options) {}
  FailureOr<std::string> run(CodeKind kind);

private:
  LogicalResult translate();
  void createTargetMachine();
  void prepareFunctions();
  void optimize();
  FailureOr<std::string> generate(llvm::CodeGenFileType fileType);
  LogicalResult generateObject(std::string &object, SmallVector<std::string> &undefined);
  FailureOr<std::string> generateClosedObject();
  LogicalResult listUndefinedSymbols(StringRef object, SmallVector<std::string> &undefined);
  void reportDiagnostic(const llvm::DiagnosticInfo *info);
  InFlightDiagnostic emitAt(StringRef symbol);
  bool isAllowedSymbol(StringRef name) const;

  ModuleOp module;
  const EmitOptions &options;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule;
  std::unique_ptr<llvm::TargetMachine> machine;
  bool hadError = false;
};
} // namespace

FailureOr<std::string> Emitter::run(CodeKind kind) {
  if (kind == CodeKind::PTX || kind == CodeKind::Cubin)
    return mlir::emitError(module.getLoc(), "the CPU has no PTX or cubin; name a GPU, as in --target=sm_80");
  createTargetMachine();
  if (failed(translate()))
    return failure();
  prepareFunctions();
  optimize();
  if (kind == CodeKind::LLVMIR) {
    std::string text;
    llvm::raw_string_ostream(text) << *llvmModule;
    return text;
  }
  if (kind == CodeKind::Assembly)
    return generate(llvm::CodeGenFileType::AssemblyFile);
  FailureOr<std::string> object = generateClosedObject();
  if (failed(object) || kind == CodeKind::Object)
    return object;
  return linkSharedObject({*object}, [&] { return mlir::emitError(module.getLoc()); });
}

void Emitter::createTargetMachine() {
  llvm::TargetOptions targetOptions;
  // Only what says `fma` is one. A score less the row's maximum must be 0 for the largest: of s * c - m, with m the
  // rounded product, fusion would leave what the rounding took away, and large scores would weigh more than 1, or
  // infinity.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  // From 1 on: what LLVM selects without optimisation keeps no tile register over a branch, and ends the program.
  auto level = *llvm::CodeGenOpt::getLevel(std::clamp(options.optLevel, 1, 3));
  machine.reset(getNativeTarget().createTargetMachine(getTriple(), options.cpu.name, options.cpu.features,
                                                      targetOptions, llvm::Reloc::PIC_, std::nullopt, level));
}

LogicalResult Emitter::translate() {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *self) { static_cast<Emitter *>(self)->reportDiagnostic(info); }, this);
  llvmModule = translateModuleToLLVMIR(module, context, "fovea");
  if (!llvmModule)
    return failure(); // The translation has said why.
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setTargetTriple(getTriple());
  return success();
}

/// A function's linkage follows its visibility in MLIR. Lowered memrefs promise that no stride times index wraps
/// around as an unsigned number, which is false for the negative strides that a caller may pass: drop that promise.
void Emitter::prepareFunctions() {
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    if (auto op = dyn_cast_or_null<LLVM::LLVMFuncOp>(module.lookupSymbol(function.getName())); op && op.isPrivate())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("warn-stack-size", kMaxFrameBytes);
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (auto *gep = dyn_cast<llvm::GetElementPtrInst>(&instruction))
        gep->setNoWrapFlags(gep->getNoWrapFlags().withoutNoUnsignedWrap());
      else if (isa<llvm::OverflowingBinaryOperator>(instruction))
        instruction.setHasNoUnsignedWrap(false);
    }
  }
}

/// What code of vectors and register tiles still needs: addresses simplified, moved out of loops and shared, loops
/// unrolled. LLVM's own pipeline finds nothing more in it and takes five times as long.
static llvm::FunctionPassManager buildVectorCodePipeline(int level) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(level)));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

void Emitter::optimize() {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  static const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                   llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::clamp(options.optLevel, 0, 3)];
  llvm::ModulePassManager passes;
  if (level == llvm::OptimizationLevel::O0)
    passes = builder.buildO0DefaultPipeline(level);
  else if (options.isVectorCode)
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(buildVectorCodePipeline(level.getSpeedupLevel())));
  else
    passes = builder.buildPerModuleDefaultPipeline(level);
  passes.run(*llvmModule, modules);
}

FailureOr<std::string> Emitter::generate(llvm::CodeGenFileType fileType) {
  SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, fileType))
    return mlir::emitError(module.getLoc(), "the CPU target cannot emit this kind of code");
  passes.run(*llvmModule);
  if (hadError)
    return failure();
  return std::string(code.begin(), code.end());
}

/// Generates an object and lists the symbols that it leaves undefined.
LogicalResult Emitter::generateObject(std::string &object, SmallVector<std::string> &undefined) {
  FailureOr<std::string> code = generate(llvm::CodeGenFileType::ObjectFile);
  if (failed(code))
    return failure();
  object = std::move(*code);
  return listUndefinedSymbols(object, undefined);
}

/// An object that calls nothing but what is allowed: a missing symbol would only show when the code is loaded, or
/// later. What LLVM calls shows after code generation alone, so an object that needs builtins is made twice.
FailureOr<std::string> Emitter::generateClosedObject() {
  std::unique_ptr<llvm::Module> original = llvm::CloneModule(*llvmModule);
  std::string object;
  SmallVector<std::string> undefined;
  if (failed(generateObject(object, undefined)))
    return failure();
  if (addBuiltins(*original, undefined)) {
    llvmModule = std::move(original);
    if (failed(generateObject(object, undefined)))
      return failure();
  }
  for (const std::string &name : undefined)
    if (!isAllowedSymbol(name))
      return emitAt(name) << "kernels call '" << name << "', which CPU code must not depend on";
  return object;
}

/// LLVM's warnings about stack frames and its errors are errors of the kernel.
void Emitter::reportDiagnostic(const llvm::DiagnosticInfo *info) {
  if (info->getSeverity() != llvm::DS_Error && !isa<llvm::DiagnosticInfoStackSize>(info))
    return;
  hadError = true;
  auto *frame = dyn_cast<llvm::DiagnosticInfoStackSize>(info);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  InFlightDiagnostic diagnostic = emitAt(frame ? frame->getFunction().getName() : "") << text;
  if (frame)
    diagnostic << "; a launch runs on a stack of 64 KiB, use smaller tiles";
}

/// An error at the function `symbol`, or at the module where there is none.
InFlightDiagnostic Emitter::emitAt(StringRef symbol) {
  Operation *function = module.lookupSymbol(symbol);
  return mlir::emitError(function ? function->getLoc() : module.getLoc());
}

/// Whether `name` is a function of libm that an op of the math dialect may call, for f64 or f32.
static bool isLibmFunction(StringRef name) {
  static constexpr StringLiteral functions[] = {
      "acos",  "acosh",     "asin", "asinh",  "atan",  "atan2", "atanh", "cbrt",      "ceil",  "copysign",
      "cos",   "cosh",      "erf",  "erfc",   "exp",   "exp2",  "expm1", "fabs",      "floor", "fma",
      "fmax",  "fmin",      "fmod", "log",    "log10", "log1p", "log2",  "nearbyint", "pow",   "rint",
      "round", "roundeven", "sin",  "sincos", "sinh",  "sqrt",  "tan",   "tanh",      "trunc"};
  return llvm::is_contained(functions, name) ||
         llvm::is_contained(functions, name.ends_with("f") ? name.drop_back() : "");
}

bool Emitter::isAllowedSymbol(StringRef name) const {
  static constexpr StringLiteral always[] = {
      "memcpy", "memmove", "memset", "memcmp", "bcmp", "malloc", "calloc", "free", "_GLOBAL_OFFSET_TABLE_"};
  return llvm::is_contained(always, name) || (options.allowLibm && isLibmFunction(name)) ||
         llvm::is_contained(options.allowedCalls, name);
}

LogicalResult Emitter::listUndefinedSymbols(StringRef object, SmallVector<std::string> &undefined) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernels"));
  if (!file)
    return mlir::emitError(module.getLoc()) << "unreadable object: " << llvm::toString(file.takeError());
  undefined.clear();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return mlir::emitError(module.getLoc())
             << "unreadable symbol table: " << llvm::toString(joinErrors(flags.takeError(), name.takeError()));
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      undefined.push_back(name->str());
  }
  return success();
}

/// Whether a module exports nothing but kernels, two or more: then each can be an object of its own.
static bool exportsKernelsAlone(ModuleOp module) {
  return getKernels(module).size() > 1 &&
         llvm::all_of(module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
           return function.isExternal() || function.isPrivate() || function.getLinkage() == LLVM::Linkage::Internal ||
                  isKernel(function);
         });
}

/// Makes a shared object of an object for each kernel.
static FailureOr<std::string> linkKernels(ModuleOp module, const EmitOptions &options) {
  SmallVector<Operation *> kernels = getKernels(module);
  std::vector<std::string> objects(kernels.size());
  auto emitOne = [&](size_t i) -> LogicalResult {
    OwningOpRef<ModuleOp> own = cloneKernelModule(module, kernels[i]);
    FailureOr<std::string> object = Emitter(*own, options).run(CodeKind::Object);
    if (succeeded(object))
      objects[i] = std::move(*object);
    return success(succeeded(object));
  };
  if (failed(failableParallelForEachN(module.getContext(), 0, kernels.size(), emitOne)))
    return failure();
  return linkSharedObject(objects, [&] { return mlir::emitError(module.getLoc()); });
}

FailureOr<std::string> cpu::emitCode(ModuleOp module, CodeKind kind, const EmitOptions &options) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  if (kind == CodeKind::SharedObject && exportsKernelsAlone(module))
    return linkKernels(module, options);
  return Emitter(module, options).run(kind);
}
