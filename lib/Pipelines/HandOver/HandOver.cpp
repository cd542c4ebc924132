//===- HandOver.cpp - Kernels in a module with other code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Pipelines/HandOver.h"
#include "../CheckOptions.h"
#include "FunctionKernels.h"
#include "Places.h"
#include "RuntimeCalls.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
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

KernelLauncher::~KernelLauncher() = default;

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

using FunctionOps = llvm::MapVector<Operation *, SmallVector<Operation *>>;

/// Says once for each op around attention that what is in it stays.
static LogicalResult reportObstacles(ArrayRef<std::pair<Operation *, Obstacle>> obstacles, bool isStrict) {
  llvm::SmallPtrSet<Operation *, 4> reported;
  for (const auto &[op, obstacle] : obstacles) {
    if (!reported.insert(obstacle.around).second)
      continue;
    InFlightDiagnostic diagnostic = isStrict ? emitError(op->getLoc()) : emitWarning(op->getLoc());
    diagnostic << "attention stays as it is: " << obstacle.reason;
  }
  return failure(isStrict && !obstacles.empty());
}

/// The attention and combine ops of the module by the op of its body that holds them; ops of inner modules and of
/// kernels are not the module's. Where an op cannot become launches it stays, with a warning or error.
static LogicalResult collectFunctions(ModuleOp module, bool isStrict, FunctionOps &functions) {
  SmallVector<std::pair<Operation *, Obstacle>> obstacles;
  module.walk([&](Operation *op) {
    if (!isa<attn::AttentionOp, attn::CombineOp>(op) || op->getParentOfType<ModuleOp>() != module)
      return;
    Operation *function = module.getBody()->findAncestorOpInBlock(*op);
    if (function->hasAttr(attn::AttnDialect::getLaunchAttrName()))
      return;
    if (std::optional<Obstacle> obstacle = findObstacle(op))
      obstacles.emplace_back(op, std::move(*obstacle));
    else
      functions[function].push_back(op);
  });
  return reportObstacles(obstacles, isStrict);
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

namespace {
/// Hands over the functions of one module.
class ModuleHandOver {
public:
  ModuleHandOver(ModuleOp module, attn::TargetAttr target, const HandOverOptions &options)
      : symbols(module), target(target), options(options),
        calls(symbols, options, isHostTarget(*getTargetRegistry(module.getContext()).lookup(target.getBackend()))) {}

  LogicalResult run(Operation *function, ArrayRef<Operation *> ops) {
    // The runtime has no form for attn.combine, whose kernels every launch can run.
    SmallVector<Operation *> called, launched;
    for (Operation *op : ops)
      (options.viaRuntime && isa<attn::AttentionOp>(op) ? called : launched).push_back(op);
    for (auto [number, op] : llvm::enumerate(called))
      if (failed(calls.compile(cast<attn::AttentionOp>(op), getStem(function) + "_attn" + std::to_string(number))))
        return failure();
    FunctionKernels kernels(function, launched, symbols, options.targets.front(), target, options);
    if (!launched.empty() && failed(kernels.compile()))
      return failure();
    for (Operation *op : called)
      calls.replaceOp(cast<attn::AttentionOp>(op));
    kernels.replaceOps();
    return success();
  }

private:
  SymbolTable symbols;
  attn::TargetAttr target;
  const HandOverOptions &options;
  RuntimeCalls calls;
};
} // namespace

LogicalResult fovea::handOver(ModuleOp module, const HandOverOptions &options) {
  if (failed(checkOptions(module, options)))
    return failure();
  FailureOr<SmallVector<attn::TargetAttr>> targets = parseTargets(module, options.targets);
  ModuleHandOver work(module, targets->front(), options);
  FunctionOps functions;
  bool allHandedOver = succeeded(collectFunctions(module, options.strict, functions));
  for (const auto &entry : functions)
    allHandedOver &=
        succeeded(runAndReport(entry.first, options.strict, [&] { return work.run(entry.first, entry.second); }));
  return success(allHandedOver || !options.strict);
}

namespace {
struct AttnHandOver : pipelines::impl::AttnHandOverBase<AttnHandOver> {
  using AttnHandOverBase::AttnHandOverBase;

  /// `target` is a list.
  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(checkGivenOnce({&threads, &withMachineCode, &strict, &viaRuntime, &runtimeCall}, report)));
  }

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
    options.targets.assign(targets.begin(), targets.end());
    options.threads = threads;
    options.withMachineCode = withMachineCode;
    options.strict = strict;
    options.viaRuntime = viaRuntime;
    options.runtimeCall = runtimeCall;
    if (failed(handOver(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
