//===- BulkMemory.cpp - Where tiles of bulk copies lie in shared memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkRings.h"
#include "Chips.h"
#include "Exchange.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// Shares out the memory of a thread block: slots first, then their barriers and what stores go through.
class Placer {
public:
  Placer(BulkRings &kernel, int64_t sharedLimit, StringRef chip)
      : kernel(kernel), strategy(kernel.strategy),
        sharedLimit(getSharedBytesOfBlock(sharedLimit, strategy.getMinBlocks())), chip(chip) {}

  FailureOr<int64_t> place();

private:
  int64_t getSlotBytes();
  int64_t getRingBytes();
  int64_t shareRest();
  LogicalResult emitLackOfMemory(int64_t bytes);

  BulkRings &kernel;
  attn::StrategyAttr strategy;
  int64_t sharedLimit;
  StringRef chip;
};
} // namespace

/// Bytes of the slots of all rings, whose memory an exchange takes when nothing is copied any more.
int64_t Placer::getSlotBytes() {
  int64_t bytes = 0, exchanged = 0;
  for (const BulkRing &ring : kernel.rings)
    bytes += ring.slots * ring.getLayout().getSlotBytes();
  kernel.function.walk([&](tile::ExchangeOp op) {
    exchanged = std::max(exchanged, placeExchange(op, strategy.getWarps() * kLanes).back().getEnd());
  });
  return std::max(bytes, exchanged);
}

/// Bytes of the slots and barriers of all rings.
int64_t Placer::getRingBytes() {
  int64_t bytes = getSlotBytes();
  for (const BulkRing &ring : kernel.rings)
    bytes += ring.slots * 2 * ring.parts * SwizzledLayout::kBarrierBytes;
  return bytes;
}

/// What shared memory is left for, the more useful first: stores through it, which else go their way without, and a
/// second slot for a left operand, into which the next task's is copied while this one is at work. Returns all bytes.
int64_t Placer::shareRest() {
  int64_t storeBytes = 0;
  for (auto &[staging, store] : kernel.stores)
    storeBytes += staging.getLayout().getSlotBytes();
  if (getRingBytes() + storeBytes > sharedLimit) {
    kernel.stores.clear();
    storeBytes = 0;
  }
  // One warpgroup alone leaves room for a second thread block, which its limit is for where the strategy asks for that.
  bool sharesRest = strategy.getPersistent() && (kernel.getNumWarpgroups() > 1 || strategy.getMinBlocks() > 1);
  for (BulkRing &ring : kernel.rings) {
    if (!ring.isLeft || !sharesRest)
      continue;
    ring.slots = 2;
    if (getRingBytes() + storeBytes > sharedLimit)
      ring.slots = 1;
  }
  return getRingBytes() + storeBytes;
}

LogicalResult Placer::emitLackOfMemory(int64_t bytes) {
  int64_t blocks = strategy.getMinBlocks();
  InFlightDiagnostic diag = kernel.function.emitError();
  diag << "the kernel needs " << bytes << " bytes of shared memory, but " << chip << " has " << sharedLimit
       << " for a thread block";
  if (blocks > 1)
    diag << " where a multiprocessor holds " << blocks;
  return diag << "; smaller tiles" << (blocks > 1 ? ", fewer stages or min_blocks = 1" : " or fewer stages") << " work";
}

FailureOr<int64_t> Placer::place() {
  if (int64_t bytes = getRingBytes(); bytes > sharedLimit)
    return emitLackOfMemory(bytes);
  int64_t sharedBytes = shareRest();
  MLIRContext *context = kernel.function.getContext();
  int64_t data = 0, barriers = getSlotBytes();
  for (auto &[staging, store] : kernel.stores) {
    int64_t slotBytes = staging.getLayout().getSlotBytes();
    auto encoding = tile::SwizzledAttr::get(context, barriers, slotBytes, 1, staging.parts, /*full=*/0, /*empty=*/0,
                                            /*cluster=*/1, /*ones=*/0);
    staging.staged = RankedTensorType::get(staging.type.getShape(), staging.type.getElementType(), encoding);
    barriers += slotBytes;
  }
  for (BulkRing &ring : kernel.rings) {
    int64_t slotBytes = ring.getLayout().getSlotBytes();
    int64_t half = ring.slots * ring.parts * SwizzledLayout::kBarrierBytes;
    auto encoding = tile::SwizzledAttr::get(context, data, slotBytes, ring.slots, ring.parts, barriers, barriers + half,
                                            ring.cluster, ring.ones);
    ring.staged = RankedTensorType::get(ring.type.getShape(), ring.type.getElementType(), encoding);
    data += ring.slots * slotBytes;
    barriers += 2 * half;
  }
  return sharedBytes;
}

FailureOr<int64_t> nvptx::placeRings(BulkRings &rings, int64_t sharedLimit, StringRef chip) {
  return Placer(rings, sharedLimit, chip).place();
}
