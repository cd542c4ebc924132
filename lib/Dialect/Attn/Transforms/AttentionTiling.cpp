//===- AttentionTiling.cpp - Tiles of attn.attention -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTiling.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// What makes an offset is looked through so many times: what it is made of may be shared many times over.
static constexpr unsigned kLookThrough = 6;

static bool isMultipleOf(OpFoldResult value, int64_t divisor, unsigned depth = kLookThrough);

static bool isMultipleOf(AffineExpr expr, AffineMap map, ValueRange operands, int64_t divisor, unsigned depth) {
  if (expr.isMultipleOf(divisor))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isMultipleOf(operands[dim.getPosition()], divisor, depth);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return isMultipleOf(operands[map.getNumDims() + symbol.getPosition()], divisor, depth);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  bool lhs = isMultipleOf(binary.getLHS(), map, operands, divisor, depth);
  bool rhs = isMultipleOf(binary.getRHS(), map, operands, divisor, depth);
  if (expr.getKind() == AffineExprKind::Add)
    return lhs && rhs;
  return expr.getKind() == AffineExprKind::Mul && (lhs || rhs);
}

/// Whether an offset or size that a tiler makes is a multiple of `divisor`, in every iteration; false where that is not
/// found out.
static bool isMultipleOf(OpFoldResult value, int64_t divisor, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % divisor == 0;
  if (depth-- == 0)
    return false;
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
        return isMultipleOf(lower, divisor, depth) && isMultipleOf(step, divisor, depth);
    return false;
  }
  if (auto apply = operand.getDefiningOp<affine::AffineApplyOp>())
    return isMultipleOf(apply.getAffineMap().getResult(0), apply.getAffineMap(), apply.getMapOperands(), divisor,
                        depth);
  if (auto min = operand.getDefiningOp<affine::AffineMinOp>())
    return llvm::all_of(min.getAffineMap().getResults(), [&](AffineExpr expr) {
      return isMultipleOf(expr, min.getAffineMap(), min.getMapOperands(), divisor, depth);
    });
  return false;
}

/// The KV heads that a tile of query heads reads: offset and size. A tile lies within one group of query heads, or is
/// made of whole groups.
static FailureOr<std::pair<OpFoldResult, OpFoldResult>> getKVHeads(SliceBuilder &b, AttentionOp op, OpFoldResult offset,
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
static Value buildBottomRight(SliceBuilder &b, AttentionOp op, Value length) {
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
static FailureOr<Value> buildOffset(SliceBuilder &b, AttentionOp op, Value tiledLengths) {
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
                                              SliceBuilder inner(loc, body);
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

void fovea::attn::addGroup(OperationState &state, SmallVectorImpl<int32_t> &segments, ValueRange values) {
  state.addOperands(values);
  segments.push_back(values.size());
}
void fovea::attn::addGroup(OperationState &state, SmallVectorImpl<int32_t> &segments, Value value) {
  addGroup(state, segments, value ? ValueRange(value) : ValueRange());
}

/// Where the tile lies in the whole; nothing if the op reads no position of the whole.
static SmallVector<Value> buildBase(SliceBuilder &b, AttentionOp op, const AttentionTile &tile, bool cutsKeys) {
  bool isRead =
      op.getBias() || op.hasPairMask() || op.hasScoreMod() || op.getDiagonal() || (cutsKeys && op.getKvLengths());
  if (op.getBase().empty() && !isRead)
    return {};
  SmallVector<Value> base;
  auto add = [&](unsigned loop, OpFoldResult offset) {
    base.push_back(b.toValue(op.getBase().empty() ? offset : b.add(op.getBase()[loop], offset)));
  };
  for (auto [loop, offset] : llvm::enumerate(tile.rows.offsets))
    add(loop, offset);
  add(kKeyLoop, cutsKeys ? tile.keyOffset : OpFoldResult(b.getIndexAttr(0)));
  return base;
}

TilingResult fovea::attn::finishTile(SliceBuilder &b, Operation *tiled) {
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), b.slices};
}

void fovea::attn::addResultTypes(OperationState &state, Value output, Value lse) {
  for (Value init : {output, lse})
    if (init && isa<RankedTensorType>(init.getType()))
      state.addTypes(init.getType());
}

bool fovea::attn::hasAllKeys(OpBuilder &b, AttentionOp op, OpFoldResult offset, OpFoldResult size) {
  if (isWholeDim(op.getKey(), 2, offset, size))
    return true;
  // The size may be what the dimension folds to.
  return isConstantIntValue(offset, 0) && ShapedType::isDynamic(op.getKVLength()) &&
         getSizes(b, op.getLoc(), op.getKey())[2] == size;
}

namespace {
/// Builds the operands of a tile of attention.
class AttentionTiler {
public:
  AttentionTiler(SliceBuilder &b, AttentionOp op, const AttentionTile &tile)
      : b(b), op(op), tile(tile), cutsKeys(!hasAllKeys(b, op, tile.keyOffset, tile.keySize)) {}

  FailureOr<AttentionOp> run();

private:
  FailureOr<Slice> getKeySlice();
  Value sliceOptional(Value value, unsigned loop);
  Value sliceDestination(Value value) { return value ? b.slice(value, tile.rows) : value; }
  FailureOr<Value> getOffset(Value lengths);

  SliceBuilder &b;
  AttentionOp op;
  const AttentionTile &tile;
  bool cutsKeys;
  bool cutsBottomRight = false;
};
} // namespace

FailureOr<Slice> AttentionTiler::getKeySlice() {
  FailureOr<std::pair<OpFoldResult, OpFoldResult>> heads = getKVHeads(b, op, tile.rows.offsets[1], tile.rows.sizes[1]);
  if (failed(heads))
    return failure();
  Slice slice = {{tile.rows.offsets[0], heads->first}, {tile.rows.sizes[0], heads->second}};
  if (cutsKeys)
    slice.append(tile.keyOffset, tile.keySize);
  return slice;
}

/// The slice of an operand whose one dimension is that of a loop; the operand itself where it has none.
Value AttentionTiler::sliceOptional(Value value, unsigned loop) {
  if (!value || !isa<ShapedType>(value.getType()))
    return value;
  return b.slice(value, {{tile.rows.offsets[loop]}, {tile.rows.sizes[loop]}});
}

/// bottom_right depends on the number of queries and keys: where those are cut, it becomes the offset it stands for.
FailureOr<Value> AttentionTiler::getOffset(Value lengths) {
  cutsBottomRight = op.getDiagonal() == Diagonal::BottomRight &&
                    (cutsKeys || !isWholeDim(op.getQuery(), 2, tile.rows.offsets[2], tile.rows.sizes[2]));
  return cutsBottomRight ? buildOffset(b, op, lengths) : sliceOptional(op.getOffset(), 0);
}

FailureOr<AttentionOp> AttentionTiler::run() {
  FailureOr<Slice> keySlice = getKeySlice();
  if (failed(keySlice))
    return failure();
  Value lengths = sliceOptional(op.getKvLengths(), 0);
  FailureOr<Value> offset = getOffset(lengths);
  if (failed(offset))
    return failure();
  Value sink = tile.output ? Value() : sliceOptional(op.getSink(), 1);
  OperationState state(op.getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  SmallVector<int32_t> segments;
  addGroup(state, segments, b.slice(op.getQuery(), tile.rows));
  addGroup(state, segments, b.slice(op.getKey(), *keySlice));
  addGroup(state, segments, b.slice(op.getValue(), *keySlice));
  for (Value value : {Value(op.getScale()), Value(op.getBias()), Value(op.getMask()), sink, lengths, *offset})
    addGroup(state, segments, value);
  addGroup(state, segments, ValueRange(buildBase(b, op, tile, cutsKeys)));
  addGroup(state, segments, op.getBlockMap());
  // A list of blocks says nothing that the masks don't say; that of a tile would be another.
  addGroup(state, segments, Value());
  Value output = tile.output ? tile.output : sliceDestination(op.getOutput());
  Value lse = tile.output ? tile.lse : sliceDestination(op.getLse());
  addGroup(state, segments, output);
  addGroup(state, segments, lse);
  addResultTypes(state, output, lse);
  state.attributes.set("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  if (cutsBottomRight)
    state.attributes.set("diagonal", DiagonalAttr::get(b.getContext(), Diagonal::Offset));
  IRMapping mapping;
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  return cast<AttentionOp>(b.create(state));
}

FailureOr<AttentionOp> fovea::attn::tileAttention(SliceBuilder &b, AttentionOp op, const AttentionTile &tile) {
  return AttentionTiler(b, op, tile).run();
}
