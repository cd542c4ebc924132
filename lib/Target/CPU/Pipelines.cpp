//===- Pipelines.cpp - Pipelines of the CPU target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// From kernel functions to scf, memref, vector, arith and math with an entry.
static void addKernelPasses(OpPassManager &pm) {
  pm.addPass(fovea::attn::createAttnKeepTruncations());
  pm.addPass(fovea::cpu::createCPUVerifyLowered());
  // Constant tensors that a region reads become globals.
  bufferization::OneShotBufferizePassOptions bufferization;
  bufferization.allowUnknownOps = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferization));
  pm.addPass(fovea::cpu::createCPUExpandOps());
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(fovea::cpu::createCPUKernelEntry());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Conversions to the LLVM dialect. bf16 conversions are expanded: not every CPU has an instruction for them.
static void addConversions(OpPassManager &pm) {
  pm.addPass(createSCFToControlFlowPass());
  arith::ArithExpandOpsPassOptions arithOptions;
  arithOptions.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(arithOptions));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  ConvertVectorToLLVMPassOptions vectorOptions;
  vectorOptions.force32BitVectorIndices = false;
  vectorOptions.amx = vectorOptions.x86Vector = true;
  pm.addPass(createConvertVectorToLLVMPass(vectorOptions));
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void fovea::cpu::buildKernelToLLVMPipeline(OpPassManager &pm) {
  addKernelPasses(pm);
  addConversions(pm);
}

void fovea::cpu::registerCPUPipelines() {
  PassPipelineRegistration<>("attn-cpu-to-llvm", "From kernel functions in upstream dialects to the LLVM dialect",
                             buildKernelToLLVMPipeline);
}
