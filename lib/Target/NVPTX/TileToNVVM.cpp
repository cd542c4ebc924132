//===- TileToNVVM.cpp - Tiles become vectors per thread -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelInfo.h"
#include "Lowering.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_TILETONVVM
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// `x / broadcast(r)` becomes `x * broadcast(1 / r)`: one division per row.
static void divideRows(Operation *root) {
  root->walk([](arith::DivFOp op) {
    auto broadcast = op.getRhs().getDefiningOp<tile::BroadcastOp>();
    if (!broadcast)
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto type = cast<ShapedType>(broadcast.getRows().getType());
    Value one = arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), 1.0)));
    Value inverse = arith::DivFOp::create(b, one, broadcast.getRows());
    Value inverses = tile::BroadcastOp::create(b, broadcast.getType(), inverse);
    op.replaceAllUsesWith(arith::MulFOp::create(b, op.getLhs(), inverses).getResult());
    op.erase();
  });
}

/// Declares the dynamic shared memory of the module's kernels.
static void declareSharedMemory(ModuleOp module) {
  if (module.lookupSymbol(kSharedMemoryName))
    return;
  OpBuilder b(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  bool isSwizzled = llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp f) { return isWarpgroupKernel(f); });
  LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External, kSharedMemoryName,
                         Attribute(), isSwizzled ? SwizzledLayout::kAlignment : 128, /*addrSpace=*/3);
}

/// What `placeExchange` needs.
static LogicalResult verifyExchange(tile::ExchangeOp op) {
  for (Value part : op.getParts())
    if (RankedTensorType type = getTileType(part); type.getRank() == 2 && type.getDimSize(1) % kMmaCols != 0)
      return op.emitError() << "a GPU exchange needs slices of a multiple of " << kMmaCols << " columns, but got "
                            << type;
  return success();
}

/// Products of tiles that bulk copies fill are begun and awaited.
static LogicalResult verifyDot(tile::DotOp op) {
  for (Value operand : {op.getLhs(), op.getRhs()})
    if (RankedTensorType type = getTileType(operand); isa_and_nonnull<tile::SwizzledAttr>(type.getEncoding()))
      return op.emitError() << "reads " << type
                            << ", which bulk copies fill; attn-tile-schedule-dots splits the product";
  return success();
}

/// Every tile needs a place: spread over threads or in shared memory.
static LogicalResult verifyLayouts(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) -> WalkResult {
    if (auto exchange = dyn_cast<tile::ExchangeOp>(op); exchange && failed(verifyExchange(exchange)))
      return WalkResult::interrupt();
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && failed(verifyDot(dot)))
      return WalkResult::interrupt();
    for (Value value : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (type && !isa_and_nonnull<tile::MmaAccAttr, tile::MmaRowsAttr, tile::SharedAttr, tile::SwizzledAttr>(
                      type.getEncoding()))
        return op->emitError() << "makes a tile without a place, " << type
                               << "; attn-tile-assign-layouts and the staging passes give it one";
      if (int64_t warps = type ? getNumWarps(type) : 0; warps && type.getDimSize(0) % (kMmaRows * warps) != 0)
        return emitUnevenRows(op, type.getDimSize(0), warps);
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct TileToNVVMPass : nvptx::impl::TileToNVVMBase<TileToNVVMPass> {
  void runOnOperation() override {
    declareSharedMemory(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (getLaunch(function) && (failed(verifyLayouts(function)) || failed(lower(function))))
        return signalPassFailure();
  }

  LogicalResult lower(func::FuncOp function) {
    divideRows(function);
    ThreadTypeConverter converter;
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    populateTilePatterns(converter, patterns);
    populateLanePatterns(converter, patterns);
    populateRepeatedLoadPatterns(converter, patterns);
    populateTransferPatterns(converter, patterns);
    populateStagingPatterns(converter, patterns);
    populateDotPatterns(converter, patterns);
    populateRolesPatterns(converter, patterns);
    populateBulkPatterns(converter, patterns);
    populateWarpgroupDotPatterns(converter, patterns);
    populateClusterPatterns(converter, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    target.addIllegalDialect<tile::TileDialect>();
    target.addIllegalOp<gpu::BarrierOp>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) { return converter.isLegal(op); });
    return applyPartialConversion(function, target, std::move(patterns));
  }
};
} // namespace
