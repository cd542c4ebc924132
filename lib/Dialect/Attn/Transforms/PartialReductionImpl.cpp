//===- PartialReductionImpl.cpp - Attention over parts of the keys -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partial results are an f32 output and an LSE for each part, whether or not the op has an LSE; attn.combine merges
// them and adds the sink. A parallel tiler gives each tile a part of its own. A sequential one has as many parts as a
// tile has keys, of which the loop uses the first: it merges each tile with what it carries.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiling.h"
#include "fovea/Dialect/Attn/Transforms/InterfaceImpls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::attn;

/// An empty f32 tensor of these sizes.
static Value createEmpty(SliceBuilder &b, ArrayRef<OpFoldResult> sizes) {
  return tensor::EmptyOp::create(b, sizes, b.getF32Type());
}

/// `[first, sizes...]`
static SmallVector<OpFoldResult> prepend(OpFoldResult first, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> result = {first};
  llvm::append_range(result, sizes);
  return result;
}

static SmallVector<OpFoldResult> withDepth(SliceBuilder &b, AttentionOp op, ArrayRef<OpFoldResult> rows) {
  SmallVector<OpFoldResult> sizes(rows);
  sizes.push_back(b.getIndexAttr(op.getVDepth()));
  return sizes;
}

/// `carried` and `tile`, of these sizes, one after the other along a new first dimension.
static Value stack(SliceBuilder &b, Value carried, Value tile, ArrayRef<OpFoldResult> sizes) {
  Value parts = createEmpty(b, prepend(b.getIndexAttr(2), sizes));
  SmallVector<OpFoldResult> strides(sizes.size() + 1, b.getIndexAttr(1));
  const Value sources[] = {carried, tile};
  for (auto [index, part] : llvm::enumerate(sources)) {
    SmallVector<OpFoldResult> offsets(sizes.size() + 1, b.getIndexAttr(0));
    offsets[0] = b.getIndexAttr(index);
    parts = tensor::InsertSliceOp::create(b, part, parts, offsets, prepend(b.getIndexAttr(1), sizes), strides);
  }
  return parts;
}

/// Merges `tiled` with the part that its destinations hold.
static CombineOp accumulate(SliceBuilder &b, AttentionOp tiled, Value output, Value lse, ArrayRef<OpFoldResult> rows) {
  Value outputs = stack(b, output, tiled.getResult(0), withDepth(b, tiled, rows));
  Value lses = stack(b, lse, tiled.getResult(1), rows);
  return CombineOp::create(b, TypeRange{output.getType(), lse.getType()}, outputs, lses, /*sink=*/Value(), output, lse);
}

namespace {
struct AttentionPartialReduction : PartialReductionOpInterface::ExternalModel<AttentionPartialReduction, AttentionOp> {
  FailureOr<SmallVector<Value>> generateInitialTensorForPartialReduction(Operation *op, OpBuilder &builder,
                                                                         Location loc, ArrayRef<OpFoldResult> sizes,
                                                                         const SetVector<unsigned> &) const {
    auto attention = cast<AttentionOp>(op);
    if (attention.hasPureBufferSemantics()) {
      op->emitRemark("keys are cut into parts on tensors only");
      return failure();
    }
    SliceBuilder b(loc, builder);
    ArrayRef<OpFoldResult> rows = sizes.take_front(kNumParallelLoops);
    Value outputs = createEmpty(b, prepend(sizes[kKeyLoop], withDepth(b, attention, rows)));
    Value lses = createEmpty(b, prepend(sizes[kKeyLoop], rows));
    Value empty = arith::ConstantOp::create(b, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
    // An output of an empty part is never looked at.
    return SmallVector<Value>{outputs, linalg::FillOp::create(b, empty, lses).getResult(0)};
  }

  FailureOr<TilingResult> tileToPartialReduction(Operation *op, OpBuilder &builder, Location loc,
                                                 ReductionTilingStrategy strategy, ValueRange init,
                                                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                 const SetVector<unsigned> &,
                                                 ArrayRef<OpFoldResult> splitReductionIvs) const {
    SliceBuilder b(loc, builder);
    AttentionTile tile(offsets, sizes);
    OpFoldResult part = getPart(b, strategy, splitReductionIvs);
    Value output = b.slicePart(init[0], part, tile.rows), lse = b.slicePart(init[1], part, tile.rows);
    bool isSequential = strategy == ReductionTilingStrategy::PartialReductionOuterReduction;
    tile.output = isSequential ? createEmpty(b, withDepth(b, cast<AttentionOp>(op), tile.rows.sizes)) : output;
    tile.lse = isSequential ? createEmpty(b, tile.rows.sizes) : lse;
    FailureOr<AttentionOp> tiled = tileAttention(b, cast<AttentionOp>(op), tile);
    if (failed(tiled))
      return failure();
    TilingResult result = finishTile(b, *tiled);
    if (isSequential)
      result.tiledValues = accumulate(b, *tiled, output, lse, tile.rows.sizes)->getResults();
    return result;
  }

  FailureOr<MergeResult> mergeReductions(Operation *op, OpBuilder &b, Location loc, ValueRange partialReduce,
                                         const SetVector<unsigned> &) const {
    auto attention = cast<AttentionOp>(op);
    auto combine = CombineOp::create(b, loc, op->getResultTypes(), partialReduce[0], partialReduce[1],
                                     attention.getSink(), attention.getOutput(), attention.getLse());
    return MergeResult{{combine}, SmallVector<Value>(combine->getResults())};
  }

  LogicalResult getPartialResultTilePosition(Operation *op, OpBuilder &builder, unsigned number,
                                             ReductionTilingStrategy strategy, ArrayRef<OpFoldResult> offsets,
                                             ArrayRef<OpFoldResult> sizes, const SetVector<unsigned> &,
                                             ArrayRef<OpFoldResult> splitReductionIvs,
                                             SmallVector<OpFoldResult> &resultOffsets,
                                             SmallVector<OpFoldResult> &resultSizes) const {
    SliceBuilder b(op->getLoc(), builder);
    resultOffsets = prepend(getPart(b, strategy, splitReductionIvs), offsets.take_front(kNumParallelLoops));
    resultSizes = prepend(b.getIndexAttr(1), sizes.take_front(kNumParallelLoops));
    if (number == 0) { // the output has a depth, the LSE has none
      resultOffsets.push_back(b.getIndexAttr(0));
      resultSizes.push_back(b.getIndexAttr(cast<AttentionOp>(op).getVDepth()));
    }
    return success();
  }

private:
  static OpFoldResult getPart(SliceBuilder &b, ReductionTilingStrategy strategy, ArrayRef<OpFoldResult> iterations) {
    if (strategy == ReductionTilingStrategy::PartialReductionOuterReduction)
      return b.getIndexAttr(0);
    return iterations.front();
  }
};
} // namespace

void fovea::attn::registerPartialReductionExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    AttentionOp::attachInterface<AttentionPartialReduction>(*context);
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  });
}
