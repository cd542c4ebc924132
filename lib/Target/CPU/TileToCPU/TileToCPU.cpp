//===- TileToCPU.cpp - Pass from tiles to loops of vector code -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
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

/// Registers of 2048 bits, and more of them than a processor has: beyond these code grows and nothing else.
static constexpr int64_t kMaxVectorWidth = 64, kMinRegisters = 16, kMaxRegisters = 256;

namespace {
struct TileToCPUPass : fovea::cpu::impl::TileToCPUBase<TileToCPUPass> {
  using TileToCPUBase::TileToCPUBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(fovea::checkGivenOnce(
                       {&vectorWidth, &numRegisters, &hasFMA, &hasBF16Vectors, &hasBF16Tiles}, report)));
  }

  /// The options are those of no function: one error for all.
  LogicalResult initialize(MLIRContext *context) override {
    int64_t width = vectorWidth, registers = numRegisters;
    if (width < 1 || width > kMaxVectorWidth || !llvm::isPowerOf2_64(width))
      return emitError(UnknownLoc::get(context))
             << "attn-tile-to-cpu: vector-width is " << width << ", must be a power of two up to " << kMaxVectorWidth;
    if (registers < kMinRegisters || registers > kMaxRegisters)
      return emitError(UnknownLoc::get(context)) << "attn-tile-to-cpu: num-registers is " << registers << ", must be "
                                                 << kMinRegisters << " to " << kMaxRegisters;
    return success();
  }

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
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
