//===- TilingInterfaceImpl.cpp - Tiling of attn ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration space is (batch, query head, query), all parallel. A tile of attn.attention is an attn.attention:
//   * query, output and lse are sliced in all three, sink by heads, kv_lengths and an offset per batch by batch,
//     key and value by batch and by the KV heads that the tile's query heads read; keys are never cut;
//   * bias and mask are not sliced: they are read at positions of the whole, and `base` says where the tile lies;
//   * so regions, causal and window see the positions of the whole too. Only bottom_right depends on the number of
//     queries: where that is cut, it becomes the offset that it stands for.
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Attn/Transforms/InterfaceImpls.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static SmallVector<OpFoldResult> getSizes(OpBuilder &b, Location loc, Value shaped) {
  return isa<MemRefType>(shaped.getType()) ? memref::getMixedSizes(b, loc, shaped)
                                           : tensor::getMixedSizes(b, loc, shaped);
}

static bool isZero(OpFoldResult value) { return isConstantIntValue(value, 0); }

/// Whether `size` is the size of dimension `index` of `shaped`, at offset 0.
static bool isWholeDim(Value shaped, unsigned index, OpFoldResult offset, OpFoldResult size) {
  if (!isZero(offset))
    return false;
  int64_t staticSize = cast<ShapedType>(shaped.getType()).getDimSize(index);
  if (!ShapedType::isDynamic(staticSize))
    return isConstantIntValue(size, staticSize);
  auto value = dyn_cast<Value>(size);
  Operation *dim = value ? value.getDefiningOp() : nullptr;
  return dim && isa<tensor::DimOp, memref::DimOp>(dim) && dim->getOperand(0) == shaped &&
         isConstantIntValue(dim->getOperand(1), index);
}

namespace {
/// Offsets and sizes in the leading dimensions of an operand; the others are whole.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;
};

/// Builds the operands of a tile and keeps the slices it makes.
class TileBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value slice(Value shaped, const Slice &tile, unsigned firstDim = 0);
  OpFoldResult add(Value lhs, OpFoldResult rhs);
  Value toValue(OpFoldResult value) { return getValueOrCreateConstantIndexOp(*this, getLoc(), value); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }
  Value dim(Value shaped, unsigned dim) { return toValue(getSizes(*this, getLoc(), shaped)[dim]); }

  SmallVector<Operation *> slices;
};
} // namespace

/// The slice of dimensions [firstDim, firstDim + rank of the tile); the operand itself where that is all of it.
Value TileBuilder::slice(Value shaped, const Slice &tile, unsigned firstDim) {
  SmallVector<OpFoldResult> sizes = getSizes(*this, getLoc(), shaped);
  SmallVector<OpFoldResult> offsets(sizes.size(), getIndexAttr(0)), strides(sizes.size(), getIndexAttr(1));
  bool isWhole = true;
  for (auto [index, offset, size] : llvm::enumerate(tile.offsets, tile.sizes)) {
    isWhole &= isWholeDim(shaped, firstDim + index, offset, size);
    offsets[firstDim + index] = offset;
    sizes[firstDim + index] = size;
  }
  if (isWhole)
    return shaped;
  Operation *slice;
  if (isa<MemRefType>(shaped.getType()))
    slice = memref::SubViewOp::create(*this, shaped, offsets, sizes, strides);
  else
    slice = tensor::ExtractSliceOp::create(*this, shaped, offsets, sizes, strides);
  slices.push_back(slice);
  return slice->getResult(0);
}

OpFoldResult TileBuilder::add(Value lhs, OpFoldResult rhs) {
  AffineExpr lhsExpr, rhsExpr;
  bindSymbols(getContext(), lhsExpr, rhsExpr);
  return affine::makeComposedFoldedAffineApply(*this, getLoc(), lhsExpr + rhsExpr, {OpFoldResult(lhs), rhs});
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

static bool isMultipleOf(OpFoldResult value, int64_t divisor);

static bool isMultipleOf(AffineExpr expr, AffineMap map, ValueRange operands, int64_t divisor) {
  if (expr.isMultipleOf(divisor))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isMultipleOf(operands[dim.getPosition()], divisor);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return isMultipleOf(operands[map.getNumDims() + symbol.getPosition()], divisor);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  bool lhs = isMultipleOf(binary.getLHS(), map, operands, divisor);
  bool rhs = isMultipleOf(binary.getRHS(), map, operands, divisor);
  if (expr.getKind() == AffineExprKind::Add)
    return lhs && rhs;
  return expr.getKind() == AffineExprKind::Mul && (lhs || rhs);
}

/// Whether an offset or size that a tiler makes is a multiple of `divisor`, in every iteration.
static bool isMultipleOf(OpFoldResult value, int64_t divisor) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % divisor == 0;
  auto operand = cast<Value>(value);
  if (auto arg = dyn_cast<BlockArgument>(operand)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(arg.getOwner()->getParentOp());
    auto ivs = loop ? loop.getLoopInductionVars() : std::nullopt;
    auto lowers = loop ? loop.getLoopLowerBounds() : std::nullopt;
    auto steps = loop ? loop.getLoopSteps() : std::nullopt;
    if (!ivs || !lowers || !steps)
      return false;
    for (auto [iv, lower, step] : llvm::zip_equal(*ivs, *lowers, *steps))
      if (iv == operand)
        return isMultipleOf(lower, divisor) && isMultipleOf(step, divisor);
    return false;
  }
  if (auto apply = operand.getDefiningOp<affine::AffineApplyOp>())
    return isMultipleOf(apply.getAffineMap().getResult(0), apply.getAffineMap(), apply.getMapOperands(), divisor);
  if (auto min = operand.getDefiningOp<affine::AffineMinOp>())
    return llvm::all_of(min.getAffineMap().getResults(), [&](AffineExpr expr) {
      return isMultipleOf(expr, min.getAffineMap(), min.getMapOperands(), divisor);
    });
  return false;
}

/// The KV heads that a tile of query heads reads: offset and size. A tile lies within one group of query heads, or is
/// made of whole groups.
static FailureOr<std::pair<OpFoldResult, OpFoldResult>> getKVHeads(TileBuilder &b, AttentionOp op, OpFoldResult offset,
                                                                   OpFoldResult size) {
  OpFoldResult one = b.getIndexAttr(1);
  int64_t queryHeads = op.getNumQueryHeads(), kvHeads = op.getNumKVHeads();
  if (isWholeDim(op.getQuery(), 1, offset, size))
    return std::pair(OpFoldResult(b.getIndexAttr(0)), getSizes(b, b.getLoc(), op.getKey())[1]);
  if (kvHeads == 1)
    return std::pair(OpFoldResult(b.getIndexAttr(0)), one);
  if (ShapedType::isDynamic(queryHeads) || ShapedType::isDynamic(kvHeads)) {
    if (isConstantIntValue(size, 1)) {
      Value group = arith::DivUIOp::create(b, b.dim(op.getQuery(), 1), b.dim(op.getKey(), 1));
      return std::pair(OpFoldResult(arith::DivUIOp::create(b, b.toValue(offset), group).getResult()), one);
    }
    op.emitRemark("heads are cut one by one or not at all where their number is dynamic");
    return failure();
  }
  int64_t group = kvHeads == 0 ? 1 : queryHeads / kvHeads;
  if (group == 1)
    return std::pair(offset, size);
  AffineExpr kvHead = getAffineSymbolExpr(0, b.getContext()).floorDiv(group);
  auto divide = [&](OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), kvHead, {value});
  };
  if (isMultipleOf(offset, group) && isMultipleOf(size, group))
    return std::pair(divide(offset), divide(size));
  std::optional<int64_t> count = getConstantIntValue(size);
  if (count && *count > 0 && group % *count == 0 && isMultipleOf(offset, *count))
    return std::pair(divide(offset), one);
  op.emitRemark() << "a tile of query heads must divide the group of " << group
                  << " heads that share a KV head, or be a multiple of it";
  return failure();
}

//===----------------------------------------------------------------------===//
// The diagonal
//===----------------------------------------------------------------------===//

/// `Lk - Sq` of the whole op for a batch of it.
static Value buildBottomRight(TileBuilder &b, AttentionOp op, Value length) {
  Value keys = b.dim(op.getKey(), 2);
  if (!op.getBase().empty())
    keys = arith::AddIOp::create(b, op.getBase()[3], keys);
  if (length) {
    length = arith::MaxSIOp::create(b, arith::IndexCastOp::create(b, b.getIndexType(), length), b.index(0));
    keys = arith::MinSIOp::create(b, length, keys);
  }
  return arith::SubIOp::create(b, keys, b.dim(op.getQuery(), 2));
}

/// The offset that bottom_right stands for: one index, or one for each batch of the tile where lengths differ.
static FailureOr<Value> buildOffset(TileBuilder &b, AttentionOp op, Value tiledLengths) {
  if (!tiledLengths)
    return buildBottomRight(b, op, Value());
  auto type = cast<ShapedType>(tiledLengths.getType());
  if (type.getDimSize(0) == 1) {
    Value zero = b.index(0), length;
    if (isa<MemRefType>(type))
      length = memref::LoadOp::create(b, tiledLengths, zero);
    else
      length = tensor::ExtractOp::create(b, tiledLengths, zero);
    return buildBottomRight(b, op, length);
  }
  if (isa<MemRefType>(type)) {
    op.emitRemark("with kv_lengths and bottom_right on memrefs, queries are cut together with batches of 1 only");
    return failure();
  }
  SmallVector<Value> dynamicSizes;
  if (type.isDynamicDim(0))
    dynamicSizes.push_back(b.dim(tiledLengths, 0));
  auto offsets = tensor::GenerateOp::create(b, RankedTensorType::get(type.getShape(), b.getI64Type()), dynamicSizes,
                                            [&](OpBuilder &body, Location loc, ValueRange indices) {
                                              TileBuilder inner(loc, body);
                                              Value length = tensor::ExtractOp::create(inner, tiledLengths, indices);
                                              Value offset = buildBottomRight(inner, op, length);
                                              offset = arith::IndexCastOp::create(inner, inner.getI64Type(), offset);
                                              tensor::YieldOp::create(inner, offset);
                                            });
  return offsets.getResult();
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

/// Appends the operands of an optional group and their number.
static void addGroup(OperationState &state, SmallVectorImpl<int32_t> &segments, ValueRange values) {
  state.addOperands(values);
  segments.push_back(values.size());
}
static void addGroup(OperationState &state, SmallVectorImpl<int32_t> &segments, Value value) {
  addGroup(state, segments, value ? ValueRange(value) : ValueRange());
}

/// Where the tile lies in the whole; nothing if the op reads no position of the whole.
static SmallVector<Value> buildBase(TileBuilder &b, AttentionOp op, const Slice &tile) {
  bool isRead = op.getBias() || op.getMask() || op.hasScoreMod() || op.hasMaskMod() || op.getDiagonal();
  if (op.getBase().empty() && !isRead)
    return {};
  SmallVector<Value> base;
  for (auto [index, offset] : llvm::enumerate(tile.offsets))
    base.push_back(b.toValue(op.getBase().empty() ? offset : b.add(op.getBase()[index], offset)));
  base.push_back(op.getBase().empty() ? b.index(0) : op.getBase()[3]);
  return base;
}

static TilingResult finishTile(TileBuilder &b, Operation *tiled) {
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), b.slices};
}

/// The types of tensor destinations.
static void addResultTypes(OperationState &state, Value output, Value lse) {
  for (Value init : {output, lse})
    if (init && isa<RankedTensorType>(init.getType()))
      state.addTypes(init.getType());
}

static FailureOr<TilingResult> tileAttention(OpBuilder &builder, AttentionOp op, const Slice &tile) {
  TileBuilder b(op.getLoc(), builder);
  FailureOr<std::pair<OpFoldResult, OpFoldResult>> kvHeads = getKVHeads(b, op, tile.offsets[1], tile.sizes[1]);
  if (failed(kvHeads))
    return failure();
  Slice kvTile = {{tile.offsets[0], kvHeads->first}, {tile.sizes[0], kvHeads->second}};
  Slice batchTile = {{tile.offsets[0]}, {tile.sizes[0]}}, headTile = {{tile.offsets[1]}, {tile.sizes[1]}};
  auto sliceOptional = [&](Value value, const Slice &slice) {
    return value && isa<ShapedType>(value.getType()) ? b.slice(value, slice) : value;
  };
  Value lengths = sliceOptional(op.getKvLengths(), batchTile), offset = sliceOptional(op.getOffset(), batchTile);
  bool cutsBottomRight =
      op.getDiagonal() == Diagonal::BottomRight && !isWholeDim(op.getQuery(), 2, tile.offsets[2], tile.sizes[2]);
  if (cutsBottomRight) {
    FailureOr<Value> bottomRight = buildOffset(b, op, lengths);
    if (failed(bottomRight))
      return failure();
    offset = *bottomRight;
  }
  OperationState state(op.getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  SmallVector<int32_t> segments;
  addGroup(state, segments, b.slice(op.getQuery(), tile));
  addGroup(state, segments, b.slice(op.getKey(), kvTile));
  addGroup(state, segments, b.slice(op.getValue(), kvTile));
  for (Value value : {Value(op.getScale()), Value(op.getBias()), Value(op.getMask()),
                      sliceOptional(op.getSink(), headTile), lengths, offset})
    addGroup(state, segments, value);
  addGroup(state, segments, ValueRange(buildBase(b, op, tile)));
  Value output = b.slice(op.getOutput(), tile), lse = sliceOptional(op.getLse(), tile);
  addGroup(state, segments, output);
  addGroup(state, segments, lse);
  addResultTypes(state, output, lse);
  state.attributes.set("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  if (cutsBottomRight)
    state.attributes.set("diagonal", DiagonalAttr::get(b.getContext(), Diagonal::Offset));
  IRMapping mapping;
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  return finishTile(b, b.create(state));
}

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

static FailureOr<TilingResult> tileCombine(OpBuilder &builder, CombineOp op, const Slice &tile) {
  TileBuilder b(op.getLoc(), builder);
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

static FailureOr<TilingResult> tileOp(OpBuilder &b, Operation *op, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  Slice tile = {llvm::to_vector(offsets), llvm::to_vector(sizes)};
  if (auto attention = dyn_cast<AttentionOp>(op))
    return tileAttention(b, attention, tile);
  return tileCombine(b, cast<CombineOp>(op), tile);
}

namespace {
constexpr unsigned kNumLoops = 3; // batch, query head, query

template <typename OpTy> struct AttnOpTiling : TilingInterface::ExternalModel<AttnOpTiling<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *) const {
    return SmallVector<utils::IteratorType>(kNumLoops, utils::IteratorType::parallel);
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    Value shaped = getDomain(cast<OpTy>(op));
    SmallVector<Range> domain;
    SmallVector<OpFoldResult> sizes = getSizes(b, op->getLoc(), shaped);
    for (OpFoldResult size : ArrayRef(sizes).take_front(kNumLoops))
      domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    return tileOp(b, op, offsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
                                      SmallVector<OpFoldResult> &resultSizes) const {
    resultOffsets = llvm::to_vector(offsets);
    resultSizes = llvm::to_vector(sizes);
    if (number == 0) { // the output has a depth, the LSE has none
      resultOffsets.push_back(b.getIndexAttr(0));
      resultSizes.push_back(getSizes(b, op->getLoc(), cast<OpTy>(op).getOutput()).back());
    }
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(Operation *op, OpBuilder &, unsigned number,
                                                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                     SmallVectorImpl<OpFoldResult> &domainOffsets,
                                                     SmallVectorImpl<OpFoldResult> &domainSizes) const {
    if (number == 0 && !isWholeDim(cast<OpTy>(op).getOutput(), kNumLoops, offsets.back(), sizes.back()))
      return failure(); // depth is not cut
    domainOffsets.assign(offsets.begin(), offsets.begin() + kNumLoops);
    domainSizes.assign(sizes.begin(), sizes.begin() + kNumLoops);
    return success();
  }

  FailureOr<TilingResult> generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                                                  ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) const {
    SmallVector<OpFoldResult> domainOffsets, domainSizes;
    if (failed(getIterationDomainTileFromResultTile(op, b, number, offsets, sizes, domainOffsets, domainSizes)))
      return failure();
    FailureOr<TilingResult> tiled = tileOp(b, op, domainOffsets, domainSizes);
    if (succeeded(tiled))
      tiled->tiledValues = {tiled->tiledValues[number]};
    return tiled;
  }

private:
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
