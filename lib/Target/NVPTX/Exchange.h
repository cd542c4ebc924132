//===- Exchange.h - Where exchanged tiles lie in shared memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_EXCHANGE_H
#define FOVEA_LIB_TARGET_NVPTX_EXCHANGE_H

#include "Lowering.h"

namespace fovea::nvptx {

/// One tile of an `attn_tile.exchange` in each block's shared memory, from its start on. Thread t of every block holds
/// the same rows and columns, so it reads of a peer what thread t wrote there: a tile lies as chunks of up to four
/// elements, each beside those of the other threads, and no access has a bank conflict.
struct ExchangedTile {
  /// Of the first thread's first chunk, in bytes.
  int64_t offset;
  int64_t numChunks, chunkElements, chunkStride;
  /// Chunks of a row block: of the tile, of a slice, and of a slice as threads hold it. Equal in a tile of rank 1.
  int64_t colBlocks, sliceBlocks, paddedBlocks;
  /// Chunks behind the last one that a slice may reach.
  int64_t slackChunks;

  bool isSliced() const { return sliceBlocks != colBlocks; }
  int64_t getChunkBytes() const { return chunkElements * static_cast<int64_t>(sizeof(float)); }
  int64_t getEnd() const { return offset + (numChunks + slackChunks) * chunkStride; }
};

/// The tiles of `op`, one behind the other, in a block of `threads` threads. Slices have whole blocks of 8 columns.
llvm::SmallVector<ExchangedTile> placeExchange(tile::ExchangeOp op, int64_t threads);

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_EXCHANGE_H
