//===- Places.cpp - Where attention can become launches -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fovea;

/// Whether a loop is mapped to blocks or threads of a GPU (`scf.forall`, `scf.parallel`).
static bool isMappedToDevice(Operation *op) {
  auto mapping = op->getAttrOfType<ArrayAttr>("mapping");
  return mapping && llvm::any_of(mapping, [](Attribute attr) {
           auto loop = dyn_cast<gpu::ParallelLoopDimMappingAttr>(attr);
           return loop ? loop.getProcessor() != gpu::Processor::Sequential : isa<gpu::GPUDialect>(attr.getDialect());
         });
}

/// Whether the regions of an op run on a device. Dialects that the compiler does not know otherwise go by name.
static bool runsOnDevice(Operation *op) {
  static constexpr StringLiteral names[] = {"acc.kernels", "acc.parallel", "acc.serial", "omp.target", "spirv.func"};
  return isa<gpu::LaunchOp, gpu::GPUFuncOp>(op) || op->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) ||
         op->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) || isMappedToDevice(op) ||
         llvm::is_contained(names, op->getName().getStringRef());
}

std::optional<Obstacle> fovea::findObstacle(Operation *op) {
  for (Operation *around = op->getParentOp(); around && !isa<ModuleOp>(around); around = around->getParentOp()) {
    std::string name = ("'" + around->getName().getStringRef() + "'").str();
    if (runsOnDevice(around))
      return Obstacle{around, name + " runs it on a device, which launches no kernels; move it out"};
    if (!around->isRegistered())
      return Obstacle{around, name + " around it is not registered, so what its regions mean is not known; load its "
                                     "dialect, or move it out"};
    if (around->hasTrait<OpTrait::SymbolTable>())
      return Obstacle{around, name + " around it has symbols of its own, which no kernel can join; move it out"};
  }
  return std::nullopt;
}
