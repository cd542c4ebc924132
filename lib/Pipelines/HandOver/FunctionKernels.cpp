//===- FunctionKernels.cpp - The kernels of a function's ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionKernels.h"
#include "LaunchBuilder.h"
#include "fovea/Dialect/Attn/Transforms/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fovea;

std::string fovea::getStem(Operation *function) {
  StringAttr name = function->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return name ? name.str() : "attn";
}

bool fovea::isHostTarget(const Target &backend) {
  return backend.getArtifactCode(/*withMachineCode=*/false).front() == CodeKind::SharedObject;
}

FunctionKernels::FunctionKernels(Operation *function, ArrayRef<Operation *> ops, SymbolTable &symbols,
                                 StringRef targetName, attn::TargetAttr target, const HandOverOptions &options)
    : function(function), ops(ops), symbols(symbols), options(options) {
  module.targetName = targetName.str();
  module.target = target;
  module.backend = getTargetRegistry(target.getContext()).lookup(target.getBackend());
}

/// Warpgroup kernels take tensor maps, which no plain launch can make.
static bool needsTensorMaps(const PlannedVariant &variant) {
  return variant.strategy.getUnit() == attn::DotUnit::Warpgroup;
}

/// Whether a memref is memory of one thread block or thread of a GPU (NVVM's spaces 3 and 5).
static bool isInsideOfLaunch(Attribute space) {
  if (auto address = dyn_cast_or_null<gpu::AddressSpaceAttr>(space))
    return address.getValue() == gpu::AddressSpace::Workgroup || address.getValue() == gpu::AddressSpace::Private;
  auto number = dyn_cast_or_null<IntegerAttr>(space);
  return number && (number.getInt() == 3 || number.getInt() == 5);
}

/// A launch takes memory that all of the device sees.
static LogicalResult checkMemory(Operation *op) {
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (auto memref = dyn_cast<MemRefType>(type); memref && isInsideOfLaunch(memref.getMemorySpace()))
      return op->emitError() << "operand #" << index << " is in memory space " << memref.getMemorySpace()
                             << ", which exists inside of a launch alone; copy it to memory of the device";
  return success();
}

FailureOr<ArrayAttr> FunctionKernels::planOp(Operation *op, StringRef stem) {
  if (!isHostTarget(*module.backend) && failed(checkMemory(op)))
    return failure();
  if (auto combine = dyn_cast<attn::CombineOp>(op))
    return attn::outlineVariants(combine, *module.backend, module.target, symbols, stem);
  auto attention = cast<attn::AttentionOp>(op);
  FailureOr<SmallVector<PlannedVariant>> variants = module.backend->plan(attention, module.target);
  if (failed(variants))
    return failure();
  llvm::erase_if(*variants, needsTensorMaps);
  return attn::outlineVariants(attention, *variants, symbols, stem);
}

/// Plans all ops; their kernels stand in the module afterwards, also where one op fails.
LogicalResult FunctionKernels::plan() {
  for (auto [number, op] : llvm::enumerate(ops)) {
    FailureOr<ArrayAttr> plan = planOp(op, getStem(function) + "_attn" + std::to_string(number));
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
void FunctionKernels::moveKernels() {
  module.kernels = ModuleOp::create(function->getLoc());
  for (Operation *op : ops) {
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
void FunctionKernels::moveConstants() {
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

LogicalResult FunctionKernels::lower() {
  if (failed(lowerToTiles(module)) || failed(lowerKernels(module, options.targetOptions)))
    return failure();
  module.kernels->walk([&](Operation *op) {
    auto launch = op->getAttrOfType<attn::LaunchAttr>(attn::AttnDialect::getLaunchAttrName());
    if (launch)
      kernels[SymbolTable::getSymbolName(op).getValue()].launch = launch;
  });
  return success();
}

LogicalResult FunctionKernels::compile() {
  for (auto global : cast<ModuleOp>(symbols.getOp()).getOps<memref::GlobalOp>())
    knownConstants.insert(global);
  LogicalResult planned = plan();
  moveKernels();
  moveConstants();
  launcher = isHostTarget(*module.backend) ? createCPULauncher(options) : createGPULauncher(options);
  if (succeeded(planned) && succeeded(lower()) && succeeded(launcher->addKernels(module, getStem(function), symbols)))
    return success();
  for (Operation *op : ops)
    op->removeAttr(attn::AttnDialect::getPlanAttrName());
  return failure();
}

void FunctionKernels::replaceOps() {
  for (Operation *op : ops)
    LaunchBuilder(cast<DestinationStyleOpInterface>(op), kernels, *launcher, options.threads).run();
}
