//===- HandOver.cpp - Kernels in a module with other code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Pipelines/HandOver.h"
#include "LaunchBuilder.h"
#include "fovea/Dialect/Attn/Transforms/Plan.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Pipelines/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Threading.h"

namespace fovea::pipelines {
#define GEN_PASS_DEF_ATTNHANDOVER
#include "fovea/Pipelines/Passes.h.inc"
} // namespace fovea::pipelines

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

KernelLauncher::~KernelLauncher() = default;

namespace {
/// Hands over the attention ops of one function.
class FunctionHandOver {
public:
  FunctionHandOver(Operation *function, ArrayRef<AttentionOp> ops, SymbolTable &symbols, attn::TargetAttr target,
                   const Target &backend, const HandOverOptions &options)
      : function(function), ops(ops), symbols(symbols), options(options) {
    module.targetName = options.target;
    module.target = target;
    module.backend = &backend;
  }

  LogicalResult run();

private:
  std::string getStem();
  LogicalResult plan();
  void moveKernels();
  void moveConstants();
  LogicalResult lower();

  Operation *function;
  ArrayRef<AttentionOp> ops;
  SymbolTable &symbols;
  const HandOverOptions &options;
  PlannedModule module;
  llvm::StringMap<Kernel> kernels;
  /// Constants that the user's module had.
  llvm::DenseSet<Operation *> knownConstants;
};
} // namespace

/// The name of the function, or `attn` where it has none.
std::string FunctionHandOver::getStem() {
  StringAttr name = function->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return name ? name.str() : "attn";
}

/// Warpgroup kernels take tensor maps, which no plain launch can make.
static bool needsTensorMaps(const PlannedVariant &variant) {
  return variant.strategy.getUnit() == attn::DotUnit::Warpgroup;
}

/// Plans all ops; their kernels stand in the module afterwards, also where one op fails.
LogicalResult FunctionHandOver::plan() {
  for (auto [number, op] : llvm::enumerate(ops)) {
    FailureOr<SmallVector<PlannedVariant>> variants = module.backend->plan(op, module.target);
    if (failed(variants))
      return failure();
    llvm::erase_if(*variants, needsTensorMaps);
    FailureOr<ArrayAttr> plan =
        attn::outlineVariants(op, *variants, symbols, getStem() + "_attn" + std::to_string(number));
    if (failed(plan))
      return failure();
    op->setAttr(attn::AttnDialect::getPlanAttrName(), *plan);
  }
  return success();
}

static Kernel describeKernel(func::FuncOp function) {
  Kernel kernel;
  kernel.name = function.getName().str();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    kernel.memrefs.push_back(dyn_cast<MemRefType>(type));
    kernel.sources.push_back(
        function.getArgAttrOfType<attn::SourceAttr>(index, attn::AttnDialect::getSourceAttrName()));
  }
  return kernel;
}

/// Moves the kernels of the plans from the user's module to one of their own.
void FunctionHandOver::moveKernels() {
  module.kernels = ModuleOp::create(function->getLoc());
  for (AttentionOp op : ops) {
    auto plan = op->getAttrOfType<ArrayAttr>(attn::AttnDialect::getPlanAttrName());
    if (!plan)
      continue;
    for (auto variant : plan.getAsRange<attn::VariantAttr>())
      for (auto symbol : variant.getKernels().getAsRange<FlatSymbolRefAttr>()) {
        // Variants that merge in the same way share a kernel.
        if (kernels.contains(symbol.getValue()))
          continue;
        auto kernel = symbols.lookup<func::FuncOp>(symbol.getValue());
        kernels[symbol.getValue()] = describeKernel(kernel);
        symbols.remove(kernel);
        kernel->moveBefore(module.kernels->getBody(), module.kernels->getBody()->end());
      }
  }
}

/// Copies the constants that kernels read to the kernels' module and takes back those that planning added to the
/// user's.
void FunctionHandOver::moveConstants() {
  SymbolTable inner(*module.kernels);
  auto outer = cast<ModuleOp>(symbols.getOp());
  module.kernels->walk([&](memref::GetGlobalOp read) {
    if (!inner.lookup(read.getName()))
      inner.insert(outer.lookupSymbol(read.getName())->clone(), module.kernels->getBody()->begin());
  });
  for (auto global : llvm::make_early_inc_range(outer.getOps<memref::GlobalOp>()))
    if (!knownConstants.contains(global))
      global.erase();
}

LogicalResult FunctionHandOver::lower() {
  if (failed(lowerToTiles(module)) || failed(lowerKernels(module, options.targetOptions)))
    return failure();
  module.kernels->walk([&](Operation *op) {
    auto launch = op->getAttrOfType<attn::LaunchAttr>(attn::AttnDialect::getLaunchAttrName());
    if (launch)
      kernels[SymbolTable::getSymbolName(op).getValue()].launch = launch;
  });
  return success();
}

static std::unique_ptr<KernelLauncher> createLauncher(const Target &backend, const HandOverOptions &options) {
  bool isShared = backend.getArtifactCode(/*withMachineCode=*/false).front() == CodeKind::SharedObject;
  return isShared ? createCPULauncher(options) : createGPULauncher(options);
}

LogicalResult FunctionHandOver::run() {
  for (auto global : cast<ModuleOp>(symbols.getOp()).getOps<memref::GlobalOp>())
    knownConstants.insert(global);
  LogicalResult planned = plan();
  moveKernels();
  moveConstants();
  std::unique_ptr<KernelLauncher> launcher = createLauncher(*module.backend, options);
  if (failed(planned) || failed(lower()) || failed(launcher->addKernels(module, getStem(), symbols))) {
    for (AttentionOp op : ops)
      op->removeAttr(attn::AttnDialect::getPlanAttrName());
    return failure();
  }
  for (AttentionOp op : ops)
    LaunchBuilder(op, kernels, *launcher, options.threads).run();
  return success();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

using FunctionOps = llvm::MapVector<Operation *, SmallVector<AttentionOp>>;

/// The attention ops of the module by the op of its body that holds them; ops of inner symbol tables and of kernels are
/// not the module's.
static FunctionOps collectFunctions(ModuleOp module) {
  FunctionOps functions;
  module.walk([&](AttentionOp op) {
    if (SymbolTable::getNearestSymbolTable(op->getParentOp()) != module)
      return;
    Operation *function = module.getBody()->findAncestorOpInBlock(*op);
    if (!function->hasAttr(attn::AttnDialect::getLaunchAttrName()))
      functions[function].push_back(op);
  });
  return functions;
}

/// The first error of a function as the warning or error about it.
static void report(Operation *function, const Diagnostic *error, bool isStrict) {
  Location loc = error ? error->getLocation() : function->getLoc();
  InFlightDiagnostic diagnostic = isStrict ? emitError(loc) : emitWarning(loc);
  if (auto name = function->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    diagnostic << "function '" << name.getValue() << "' keeps its attention: ";
  else
    diagnostic << "attention stays as it is: ";
  diagnostic << (error ? error->str() : "it cannot be compiled");
}

/// Runs `body` and reports its first error alone. Other threads may work on other modules.
static LogicalResult runAndReport(Operation *function, bool isStrict, llvm::function_ref<LogicalResult()> body) {
  std::optional<Diagnostic> first;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(function->getContext(), [&, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
      if (llvm::get_threadid() != thread || diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      if (!first)
        first.emplace(std::move(diagnostic));
      return success();
    });
    result = body();
  }
  if (failed(result))
    report(function, first ? &*first : nullptr, isStrict);
  return result;
}

LogicalResult fovea::handOver(ModuleOp module, const HandOverOptions &options) {
  TargetRegistry &registry = getTargetRegistry(module.getContext());
  attn::TargetAttr target = registry.parse(options.target, [&] { return module.emitError(); });
  if (!target)
    return failure();
  if (options.threads < 1)
    return module.emitError() << "threads is " << options.threads << ", must be at least 1";
  SymbolTable symbols(module);
  bool allHandedOver = true;
  for (auto &[function, ops] : collectFunctions(module)) {
    FunctionHandOver work(function, ops, symbols, target, *registry.lookup(target.getBackend()), options);
    allHandedOver &= succeeded(runAndReport(function, options.strict, [&] { return work.run(); }));
  }
  return success(allHandedOver || !options.strict);
}

namespace {
struct AttnHandOver : pipelines::impl::AttnHandOverBase<AttnHandOver> {
  using AttnHandOverBase::AttnHandOverBase;

  /// Those of the pipelines that lower kernels, which the pass runs on modules of its own.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                    cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect, linalg::LinalgDialect,
                    LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                    tensor::TensorDialect, ub::UBDialect, vector::VectorDialect, tile::TileDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    HandOverOptions options;
    options.target = target;
    options.threads = threads;
    options.withMachineCode = withMachineCode;
    options.strict = strict;
    if (failed(handOver(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
