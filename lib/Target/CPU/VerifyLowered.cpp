//===- VerifyLowered.cpp - attn-cpu-verify-lowered -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_CPUVERIFYLOWERED
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

/// What is wrong with `op` and which passes lower it; empty where it may stay.
static StringRef getFault(Operation *op, bool isKernel) {
  if (isa_and_nonnull<tile::TileDialect>(op->getDialect()) && !isa<tile::ProgramIdOp>(op))
    return "is at the tile level; attn-tile-to-cpu comes";
  if (isKernel && isa_and_nonnull<attn::AttnDialect>(op->getDialect()))
    return "is not lowered in a kernel; attn-to-tile and attn-tile-to-cpu come";
  return "";
}

/// One error at the first op that is not lowered.
static LogicalResult verifyFunction(func::FuncOp function) {
  bool isKernel = function->hasAttr(attn::AttnDialect::getLaunchAttrName());
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    StringRef fault = getFault(op, isKernel);
    if (fault.empty())
      return WalkResult::advance();
    return op->emitOpError() << fault << " before attn-cpu-to-llvm";
  });
  return failure(result.wasInterrupted());
}

namespace {
struct CPUVerifyLowered : cpu::impl::CPUVerifyLoweredBase<CPUVerifyLowered> {
  void runOnOperation() override {
    bool isLowered = true;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      isLowered &= succeeded(verifyFunction(function));
    if (!isLowered)
      signalPassFailure();
  }
};
} // namespace
