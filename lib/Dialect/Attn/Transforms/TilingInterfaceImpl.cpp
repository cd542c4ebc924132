//===- TilingInterfaceImpl.cpp - Tiling of attn ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration space is (batch, query head, query), all parallel, and for attn.attention a reduction over keys. A tile
// of attn.attention is an attn.attention:
//   * query, output and lse are sliced in the three parallel ones, sink by heads, kv_lengths and an offset per batch by
//     batch, key and value by batch and by the KV heads that the tile's query heads read;
//   * keys are cut by partial reductions alone;
//   * bias and mask are not sliced: they are read at positions of the whole, and `base` says where the tile lies;
//   * so regions, causal and window see the positions of the whole too. Only bottom_right depends on the numbers of
//     queries and keys: where those are cut, it becomes the offset that it stands for.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiling.h"
#include "fovea/Dialect/Attn/Transforms/InterfaceImpls.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

static FailureOr<TilingResult> tileCombine(OpBuilder &builder, CombineOp op, const Slice &tile) {
  SliceBuilder b(op.getLoc(), builder);
  OperationState state(op.getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  Value partialOutputs = b.slice(op.getPartialOutputs(), tile, /*firstDim=*/1);
  Value partialLses = b.slice(op.getPartialLses(), tile, /*firstDim=*/1);
  Value sink = op.getSink() ? b.slice(op.getSink(), {{tile.offsets[1]}, {tile.sizes[1]}}) : Value();
  Value output = b.slice(op.getOutput(), tile), lse = op.getLse() ? b.slice(op.getLse(), tile) : Value();
  SmallVector<int32_t> segments;
  for (Value value : {partialOutputs, partialLses, sink, output, lse})
    addGroup(state, segments, value);
  state.attributes.set("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  addResultTypes(state, output, lse);
  return finishTile(b, b.create(state));
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// The tile of attention at these loops; keys are cut by partial reductions alone.
static FailureOr<TilingResult> tileOp(OpBuilder &builder, AttentionOp op, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  if (!hasAllKeys(builder, op, offsets[kKeyLoop], sizes[kKeyLoop])) {
    op.emitRemark("keys are a reduction: cut them with tile_reduction_using_for or tile_reduction_using_forall");
    return failure();
  }
  SliceBuilder b(op.getLoc(), builder);
  AttentionTile tile(offsets, sizes);
  FailureOr<AttentionOp> tiled = tileAttention(b, op, tile);
  if (failed(tiled))
    return failure();
  return finishTile(b, *tiled);
}

static FailureOr<TilingResult> tileOp(OpBuilder &b, CombineOp op, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  return tileCombine(b, op, {llvm::to_vector(offsets), llvm::to_vector(sizes)});
}

namespace {
template <typename OpTy> struct AttnOpTiling : TilingInterface::ExternalModel<AttnOpTiling<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *) const {
    SmallVector<utils::IteratorType> types(kNumParallelLoops, utils::IteratorType::parallel);
    if constexpr (hasKeys)
      types.push_back(utils::IteratorType::reduction);
    return types;
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    SmallVector<Range> domain;
    auto add = [&](OpFoldResult size) { domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)}); };
    SmallVector<OpFoldResult> sizes = getSizes(b, op->getLoc(), getDomain(cast<OpTy>(op)));
    llvm::for_each(ArrayRef(sizes).take_front(kNumParallelLoops), add);
    if constexpr (hasKeys)
      add(getKeyCount(op, b));
    return domain;
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    return tileOp(b, cast<OpTy>(op), offsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
                                      SmallVector<OpFoldResult> &resultSizes) const {
    resultOffsets = llvm::to_vector(offsets.take_front(kNumParallelLoops));
    resultSizes = llvm::to_vector(sizes.take_front(kNumParallelLoops));
    if (number == 0) { // the output has a depth, the LSE has none
      resultOffsets.push_back(b.getIndexAttr(0));
      resultSizes.push_back(getSizes(b, op->getLoc(), cast<OpTy>(op).getOutput()).back());
    }
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(Operation *op, OpBuilder &b, unsigned number,
                                                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                     SmallVectorImpl<OpFoldResult> &domainOffsets,
                                                     SmallVectorImpl<OpFoldResult> &domainSizes) const {
    if (number == 0 && !isWholeDim(cast<OpTy>(op).getOutput(), kNumParallelLoops, offsets.back(), sizes.back()))
      return failure(); // depth is not cut
    domainOffsets.assign(offsets.begin(), offsets.begin() + kNumParallelLoops);
    domainSizes.assign(sizes.begin(), sizes.begin() + kNumParallelLoops);
    if constexpr (hasKeys) {
      domainOffsets.push_back(b.getIndexAttr(0));
      domainSizes.push_back(getKeyCount(op, b));
    }
    return success();
  }

  FailureOr<TilingResult> generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                                                  ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) const {
    SmallVector<OpFoldResult> domainOffsets, domainSizes;
    if (failed(getIterationDomainTileFromResultTile(op, b, number, offsets, sizes, domainOffsets, domainSizes)))
      return failure();
    FailureOr<TilingResult> tiled = tileOp(b, cast<OpTy>(op), domainOffsets, domainSizes);
    if (succeeded(tiled))
      tiled->tiledValues = {tiled->tiledValues[number]};
    return tiled;
  }

private:
  static constexpr bool hasKeys = std::is_same_v<OpTy, AttentionOp>;

  static OpFoldResult getKeyCount(Operation *op, OpBuilder &b) {
    return getSizes(b, op->getLoc(), cast<AttentionOp>(op).getKey())[2];
  }
  static Value getDomain(AttentionOp op) { return op.getQuery(); }
  static Value getDomain(CombineOp op) { return op.getOutput(); }
};
} // namespace

void fovea::attn::registerTilingInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    AttentionOp::attachInterface<AttnOpTiling<AttentionOp>>(*context);
    CombineOp::attachInterface<AttnOpTiling<CombineOp>>(*context);
  });
}
