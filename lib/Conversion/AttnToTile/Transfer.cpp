//===- Transfer.cpp - Moves rows of operands between memory and tiles -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace fovea;
using namespace fovea::conversion;

int64_t fovea::conversion::getPaddedDepth(int64_t depth) { return llvm::alignTo(depth, 16); }

static int64_t getElementBytes(Value memref) {
  return attn::getElementBytes(cast<MemRefType>(memref.getType()).getElementType());
}

static bool isTemporary(Value memref) {
  auto argument = dyn_cast<BlockArgument>(memref);
  auto function = argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  if (!function)
    return false;
  auto source =
      function.getArgAttrOfType<attn::SourceAttr>(argument.getArgNumber(), attn::AttnDialect::getSourceAttrName());
  return source && source.getKind() == attn::SourceKind::Temporary;
}

int64_t fovea::conversion::getRowAlignment(Value memref, attn::StrategyAttr strategy) {
  int64_t elementBytes = getElementBytes(memref);
  if (!isTemporary(memref))
    return std::max(elementBytes, strategy.getVectorBytes());
  return std::gcd(cast<MemRefType>(memref.getType()).getShape().back() * elementBytes, int64_t(128));
}

Value fovea::conversion::loadRows(TileBuilder &b, Value memref, ArrayRef<Value> indices, Value rowLimit, int64_t rowDim,
                                  int64_t numRows, int64_t numColumns, attn::StrategyAttr strategy, Value column,
                                  int64_t ones) {
  SmallVector<Value> position(indices);
  position.push_back(column ? column : b.index(0));
  Type elementType = cast<MemRefType>(memref.getType()).getElementType();
  auto type = RankedTensorType::get({numRows, numColumns + ones}, elementType);
  return tile::LoadOp::create(b, type, memref, position, rowLimit, /*col_limit=*/Value(), rowDim,
                              getRowAlignment(memref, strategy), /*shift=*/IntegerAttr(), ones);
}

Value fovea::conversion::loadRowValues(TileBuilder &b, Value memref, ArrayRef<Value> indices, Value rowLimit,
                                       int64_t rowDim, int64_t numRows) {
  Type elementType = cast<MemRefType>(memref.getType()).getElementType();
  auto type = RankedTensorType::get({numRows}, elementType);
  return tile::LoadOp::create(b, type, memref, indices, rowLimit, /*colLimit=*/Value(), rowDim,
                              getElementBytes(memref));
}

void fovea::conversion::storeResults(TileBuilder &b, const Task &task, Value output, Value outputMemref, Value lse,
                                     Value lseMemref, attn::StrategyAttr strategy) {
  bool partial = static_cast<bool>(task.part);
  SmallVector<Value> indices = task.getIndices(partial);
  int64_t rowDim = task.getRowDim() + partial;
  if (lse)
    tile::StoreOp::create(b, lse, lseMemref, indices, task.rowLimit, /*col_limit=*/Value(), rowDim,
                          getElementBytes(lseMemref));
  indices.push_back(task.column ? task.column : b.index(0));
  output = b.convertFloat(output, cast<MemRefType>(outputMemref.getType()).getElementType());
  tile::StoreOp::create(b, output, outputMemref, indices, task.rowLimit, /*col_limit=*/Value(), rowDim,
                        getRowAlignment(outputMemref, strategy));
}

Value fovea::conversion::loadSink(TileBuilder &b, const Task &task, Value sink) {
  if (task.packed)
    return loadRowValues(b, sink, {task.head}, task.rowLimit, /*rowDim=*/0, task.numRows);
  return b.splat(memref::LoadOp::create(b, sink, task.head), {task.numRows});
}
