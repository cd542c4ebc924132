//===- RegionLoads.cpp - What regions read of captured memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOperand.h"
#include "RegionToTile.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

std::optional<SmallVector<Position>> RegionToTile::getLinearIndices(memref::LoadOp load) {
  SmallVector<Position> indices;
  for (Value index : load.getIndices()) {
    std::optional<Position> position = getPosition(index);
    if (!position || position->rest || !position->step)
      return std::nullopt;
    indices.push_back(*position);
  }
  return indices;
}

/// The number of columns by which a row further on is the same memory: what a row adds to each index is as much as so
/// many columns take away.
static std::optional<int64_t> getShift(ArrayRef<Position> indices) {
  std::optional<int64_t> shift;
  for (const Position &index : indices) {
    if (index.columns == 0 && *index.step == 0)
      continue;
    if (index.columns == 0 || *index.step % index.columns != 0)
      return std::nullopt;
    int64_t own = -*index.step / index.columns;
    if (shift.value_or(own) != own)
      return std::nullopt;
    shift = own;
  }
  return shift;
}

/// The sum of `strides[d]`, each times a factor of `indices[d]`.
static Value sumStrides(TileBuilder &b, ArrayRef<Value> strides, ArrayRef<Position> indices,
                        llvm::function_ref<Value(const Position &index)> getFactor) {
  Value sum = b.index(0);
  for (auto [stride, index] : llvm::zip_equal(strides, indices))
    if (Value factor = getFactor(index))
      sum = b.add(sum, b.mul(stride, factor));
  return sum;
}

Value RegionToTile::loadLinear(memref::LoadOp load, ArrayRef<Position> indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, load.getMemRef());
  auto toValue = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), value); };
  SmallVector<Value> strides = llvm::map_to_vector(metadata.getConstifiedMixedStrides(), toValue);
  Value offset = b.add(toValue(metadata.getConstifiedMixedOffset()),
                       sumStrides(b, strides, indices, [](const Position &index) { return index.base; }));
  Value rowStride = sumStrides(b, strides, indices, [&](const Position &index) { return b.index(*index.step); });
  Value colStride = sumStrides(b, strides, indices, [&](const Position &index) { return b.index(index.columns); });
  Value view = buildView(b, load.getMemRef(), offset, shape, {rowStride, colStride});
  Value rowLimit = task.rowLimit ? b.sub(task.rowLimit, task.getRow()) : Value();
  Value columnLimit = checkKeys ? b.sub(range.length, key) : Value();
  auto type = RankedTensorType::get(shape, load.getType());
  int64_t elementBytes = attn::getElementBytes(load.getType());
  std::optional<int64_t> shift = getShift(indices);
  return tile::LoadOp::create(b, type, view, ValueRange{b.index(0), b.index(0)}, rowLimit, columnLimit,
                              b.getI64IntegerAttr(0), b.getI64IntegerAttr(elementBytes & -elementBytes),
                              shift ? b.getI64IntegerAttr(*shift) : IntegerAttr(), b.getI64IntegerAttr(0));
}

void RegionToTile::convertLoad(memref::LoadOp load) {
  Extent extent = getExtent(load.getIndices());
  if (extent == Extent::Full && !condition)
    if (std::optional<SmallVector<Position>> indices = getLinearIndices(load)) {
      mapping[load] = loadLinear(load, *indices);
      return;
    }
  // Under a condition even a load that all pairs share must not be made where no pair takes the branch.
  if (condition)
    extent = std::max({extent, Extent::Rows, getExtent(condition)});
  SmallVector<Value> indices;
  for (Value index : load.getIndices()) {
    Value converted = lookup(index);
    indices.push_back(getExtent(converted) == Extent::Uniform ? converted : promote(converted, extent));
  }
  if (extent == Extent::Uniform) {
    mapping[load] = memref::LoadOp::create(b, load.getMemRef(), indices);
    return;
  }
  auto type = RankedTensorType::get(getShape(extent), load.getType());
  mapping[load] = tile::GatherOp::create(b, type, load.getMemRef(), indices, buildActive(extent));
}
