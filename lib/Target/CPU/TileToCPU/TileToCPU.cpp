//===- TileToCPU.cpp - Pass from tiles to loops of vector code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_TILETOCPU
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea::cpu;

namespace {
struct TileToCPUPass : fovea::cpu::impl::TileToCPUBase<TileToCPUPass> {
  using TileToCPUBase::TileToCPUBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    if (vectorWidth < 1 || !llvm::isPowerOf2_64(vectorWidth) || numRegisters < 16) {
      getOperation().emitError() << "needs a power of two as vector-width and at least 16 registers, but got "
                                 << vectorWidth << " and " << numRegisters;
      return signalPassFailure();
    }
    Machine machine;
    machine.vectorWidth = vectorWidth;
    machine.numRegisters = numRegisters;
    machine.hasFMA = hasFMA;
    if (hasBF16Vectors)
      machine.pairDots = hasBF16Tiles ? PairDots::Tiles : PairDots::Vectors;
    if (failed(TileLowering(getOperation(), machine).run()))
      signalPassFailure();
  }
};
} // namespace
