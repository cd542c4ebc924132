//===- BlockOperand.cpp - Blocks of bias and mask operands -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOperand.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

Value fovea::conversion::getBase(TileBuilder &b, attn::MaskOpInterface op, unsigned dim) {
  return op.getBase().empty() ? b.index(0) : op.getBase()[dim];
}

/// The strides of a memref with 0 in each dimension of size 1, known or not.
static SmallVector<Value> getBroadcastStrides(TileBuilder &b, MemRefType type,
                                              memref::ExtractStridedMetadataOp metadata) {
  auto [staticStrides, staticOffset] = type.getStridesAndOffset();
  SmallVector<Value> strides;
  for (int64_t dim : llvm::seq<int64_t>(type.getRank())) {
    int64_t size = type.getDimSize(dim), stride = staticStrides[dim];
    Value value = ShapedType::isDynamic(stride) ? Value(metadata.getStrides()[dim]) : b.index(stride);
    if (size == 1) {
      value = b.index(0);
    } else if (ShapedType::isDynamic(size)) {
      Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.dim(metadata.getSource(), dim), b.index(1));
      value = b.select(isOne, b.index(0), value);
    }
    strides.push_back(value);
  }
  return strides;
}

Value fovea::conversion::buildView(TileBuilder &b, Value memref, Value offset, ArrayRef<int64_t> shape,
                                   ArrayRef<Value> strides) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    sizes.push_back(b.getIndexAttr(size));
    viewStrides.push_back(getAsOpFoldResult(stride));
  }
  SmallVector<int64_t> typeStrides;
  SmallVector<Value> ignored;
  dispatchIndexOpFoldResults(viewStrides, ignored, typeStrides);
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, typeStrides);
  auto viewType = MemRefType::get(shape, type.getElementType(), layout, type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, viewType, memref, OpFoldResult(offset), sizes, viewStrides);
}

/// The view of one block: `shape` elements from the block's first one.
static Value buildBlockView(TileBuilder &b, Value memref, ArrayRef<Value> position, ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> dims) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  SmallVector<Value> strides = getBroadcastStrides(b, type, metadata);
  auto [staticStrides, staticOffset] = type.getStridesAndOffset();
  Value offset = ShapedType::isDynamic(staticOffset) ? Value(metadata.getOffset()) : b.index(staticOffset);
  for (auto [index, stride] : llvm::zip_equal(position, strides))
    offset = b.add(offset, b.mul(index, stride));

  return buildView(b, memref, offset, shape, llvm::map_to_vector(dims, [&](int64_t dim) { return strides[dim]; }));
}

Value fovea::conversion::loadBlockOperand(TileBuilder &b, attn::MaskOpInterface op, const Task &task, Value operand,
                                          Value key, int64_t numKeys, Value keyLimit) {
  auto type = cast<MemRefType>(operand.getType());
  SmallVector<Value> position = {task.batch, task.head, task.query, key};
  for (auto [dim, index] : llvm::enumerate(position))
    index = b.add(getBase(b, op, dim), index);
  int64_t rowDim = task.getRowDim(), elementBytes = attn::getElementBytes(type.getElementType());
  SmallVector<int64_t> shape{task.numRows}, dims{rowDim};
  // One value a row is loaded once; a stride of 0 repeats it in the other direction.
  bool hasColumns = type.getDimSize(3) != 1;
  if (hasColumns) {
    shape.push_back(numKeys);
    dims.push_back(3);
  }
  Value view = buildBlockView(b, operand, position, shape, dims);
  Value rowLimit, columnLimit;
  if (task.rowLimit && type.getDimSize(rowDim) != 1)
    rowLimit = b.sub(task.rowLimit, task.getRow());
  if (keyLimit && hasColumns)
    columnLimit = b.sub(keyLimit, key);
  SmallVector<Value> origin(shape.size(), b.index(0));
  auto tileType = RankedTensorType::get(shape, type.getElementType());
  // Rows that are all the same memory.
  bool isShared = hasColumns && type.getDimSize(rowDim) == 1;
  Value tile = tile::LoadOp::create(b, tileType, view, origin, rowLimit, columnLimit, b.getI64IntegerAttr(0),
                                    b.getI64IntegerAttr(elementBytes),
                                    isShared ? b.getI64IntegerAttr(0) : IntegerAttr(), b.getI64IntegerAttr(0));
  return hasColumns ? tile : b.broadcast(tile, numKeys);
}
