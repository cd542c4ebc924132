//===- MarkKernels.cpp - Marks functions as kernels -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_MARKKERNELS
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
struct MarkKernelsPass : nvptx::impl::MarkKernelsBase<MarkKernelsPass> {
  void runOnOperation() override {
    Builder b(&getContext());
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      attn::LaunchAttr launch = getLaunch(function);
      if (!launch)
        continue;
      // What arguments are bound to is the host's business.
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, attn::AttnDialect::getSourceAttrName());
      function.setLinkage(LLVM::Linkage::External);
      function.setVisibility(SymbolTable::Visibility::Public);
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
      // Tensor maps are read where they lie among the parameters.
      if (auto maps = function->getAttrOfType<ArrayAttr>(attn::AttnDialect::getTensorMapsAttrName()))
        for (unsigned i = function.getNumArguments() - maps.size(); i < function.getNumArguments(); ++i)
          function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
      attn::StrategyAttr strategy = getStrategy(function);
      if (strategy && strategy.getCluster() > 1)
        function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                          b.getDenseI32ArrayAttr({static_cast<int32_t>(strategy.getCluster()), 1, 1}));
      int32_t block = static_cast<int32_t>(launch.getBlock());
      if (!isWarpgroupKernel(function)) {
        function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), b.getDenseI32ArrayAttr({block}));
        continue;
      }
      // With both of these the assembler knows the registers at the start, without which roles can't exchange them.
      function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(), b.getDenseI32ArrayAttr({block}));
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        b.getI32IntegerAttr(static_cast<int32_t>(strategy.getMinBlocks())));
    }
  }
};
} // namespace
