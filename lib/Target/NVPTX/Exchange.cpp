//===- Exchange.cpp - Where exchanged tiles lie in shared memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include <numeric>

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// Elements of a row block that a thread holds of an 8-column block.
static constexpr int64_t kBlockElements = 4;

static ExchangedTile placeTile(RankedTensorType type, RankedTensorType slice, int64_t programs, int64_t offset,
                               int64_t threads) {
  ExchangedTile tile;
  tile.offset = offset;
  int64_t elements = getNumElements(type);
  tile.chunkElements = std::gcd(elements, kBlockElements);
  tile.numChunks = elements / tile.chunkElements;
  tile.chunkStride = threads * tile.chunkElements * static_cast<int64_t>(sizeof(float));
  if (type.getRank() == 1) {
    tile.colBlocks = tile.sliceBlocks = tile.paddedBlocks = tile.numChunks;
    tile.slackChunks = 0;
    return tile;
  }
  tile.colBlocks = getAccLayout(type).getColBlocks();
  tile.sliceBlocks = slice.getDimSize(1) / kMmaCols;
  tile.paddedBlocks = getAccLayout(slice).getColBlocks();
  // A slice behind the last column begins there.
  tile.slackChunks = tile.sliceBlocks * programs > tile.colBlocks ? tile.sliceBlocks : 0;
  return tile;
}

SmallVector<ExchangedTile> nvptx::placeExchange(tile::ExchangeOp op, int64_t threads) {
  SmallVector<ExchangedTile> tiles;
  for (auto [number, tile] : llvm::enumerate(op.getTiles()))
    tiles.push_back(placeTile(getTileType(tile), getTileType(op.getParts()[number]), op.getPrograms(),
                              tiles.empty() ? 0 : tiles.back().getEnd(), threads));
  return tiles;
}
