//===- AssignLayouts.cpp - Gives every tile of a kernel its layout -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"
#include "Layouts.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Whether dots alone read `load`, straight from shared memory.
static bool isOperand(tile::LoadOp load) {
  return !load->use_empty() && llvm::all_of(load->getUsers(), [](Operation *user) { return isa<tile::DotOp>(user); });
}

/// The layout of `value`, a tile.
static Attribute getLayout(Value value, int64_t warps) {
  auto type = cast<RankedTensorType>(value.getType());
  MLIRContext *context = value.getContext();
  if (auto load = value.getDefiningOp<tile::LoadOp>(); load && type.getRank() == 2 && isOperand(load))
    return tile::MmaOperandAttr::get(context);
  if (type.getRank() == 1)
    return tile::MmaRowsAttr::get(context, warps);
  return tile::MmaAccAttr::get(context, warps);
}

/// Retypes a tile; the value of a constant follows.
static void assignLayout(Value value, int64_t warps) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getEncoding())
    return;
  auto newType = RankedTensorType::get(type.getShape(), type.getElementType(), getLayout(value, warps));
  value.setType(newType);
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    constant.setValueAttr(DenseElementsAttr::get(newType, splat.getSplatValue<Attribute>()));
}

/// Emits an error if a tile cannot have a layout.
static LogicalResult verifyTile(Operation *op, RankedTensorType type, int64_t warps) {
  if (type.getRank() > 2)
    return op->emitError() << "a GPU tile has rank 1 or 2, but this one is " << type;
  if (type.getDimSize(0) % (kMmaRows * warps) != 0)
    return emitUnevenRows(op, type.getDimSize(0), warps);
  return success();
}

/// A dot's right operand is loaded for it alone; its left operand is loaded or computed.
static LogicalResult verifyDot(tile::DotOp dot) {
  auto load = dot.getRhs().getDefiningOp<tile::LoadOp>();
  if (!load || !isOperand(load))
    return dot.emitError() << "the right operand of a GPU dot must be an attn_tile.load that only dots use";
  Type lhs = getElementTypeOrSelf(dot.getLhs()), rhs = getElementTypeOrSelf(dot.getRhs());
  if (lhs != rhs)
    return dot.emitError() << "a GPU dot needs operands of one type, but got " << lhs << " and " << rhs
                           << "; the strategy's round_p rounds P to V's type";
  if (int64_t rows = cast<RankedTensorType>(dot.getRhs().getType()).getDimSize(0); rows % 16 != 0)
    return dot.emitError() << "the right operand of a GPU dot has " << rows << " rows; a multiple of 16 works";
  if (!lhs.isF16() && !lhs.isBF16() && !lhs.isF32())
    return dot.emitError() << "no matrix instruction multiplies " << lhs << "; f16, bf16 and f32 work";
  return success();
}

/// Columns of ones have a panel of their own, which products of warpgroups read behind full ones.
static LogicalResult verifyOnes(tile::LoadOp load) {
  if (load.getOnes() == 0)
    return success();
  if (!isOperand(load) || !isWarpgroupKernel(load->getParentOfType<func::FuncOp>()))
    return load.emitError() << "columns of ones need a load that only dots of unit = warpgroup use";
  int64_t columns = cast<RankedTensorType>(load.getTile().getType()).getDimSize(1) - load.getOnes();
  if (columns % SwizzledLayout::kPanelCols != 0 || load.getOnes() != kMmaCols)
    return load.emitError() << "has " << load.getOnes() << " columns of ones behind " << columns << "; " << kMmaCols
                            << " behind a multiple of " << SwizzledLayout::kPanelCols << " work";
  return success();
}

static LogicalResult verifyKernel(func::FuncOp function, int64_t warps) {
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && failed(verifyOnes(load)))
      return WalkResult::interrupt();
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && failed(verifyDot(dot)))
      return WalkResult::interrupt();
    for (Value value : op->getResults()) {
      auto load = value.getDefiningOp<tile::LoadOp>();
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (type && !(load && isOperand(load)) && failed(verifyTile(op, type, warps)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static void assignLayouts(func::FuncOp function, int64_t warps) {
  function.walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      assignLayout(argument, warps);
    for (Operation &op : *block)
      for (Value result : op.getResults())
        assignLayout(result, warps);
  });
}

namespace {
struct AssignLayoutsPass : nvptx::impl::AssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (!getLaunch(function))
        continue;
      int64_t warps = getNumWarps(function);
      if (failed(verifyKernel(function, warps)))
        return signalPassFailure();
      assignLayouts(function, warps);
      updateLaunch(function, warps * kLanes, getLaunch(function).getSharedBytes());
    }
  }
};
} // namespace
