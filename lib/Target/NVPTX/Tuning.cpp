//===- Tuning.cpp - Tables of measured strategies -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"
#include "ScoreCost.h"
#include "TuningTable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// A table as a file has it.
struct TableText {
  StringRef name, text;
};
} // namespace

/// The tables that the compiler comes with.
static constexpr TableText kTables[] = {
#include "Tuned.inc"
};

int64_t nvptx::getDepthClass(int64_t depth) { return depth <= 64 ? 64 : llvm::divideCeil(depth, 64) * 64; }

/// What entries have to be for, the best first.
static SmallVector<StringRef, 3> getFeatures(attn::AttentionOp op) {
  if (op.hasMaskMod() || op.getBlockMap() || !hasLinearScore(op))
    return {"score"};
  if (readsTables(op))
    return {"table"};
  if (op.getBias() || op.getMask())
    return {"bias"};
  SmallVector<StringRef, 3> features;
  if (op.hasScoreMod())
    features.push_back("linear");
  if (op.getLse())
    features.push_back("lse");
  features.push_back("plain");
  return features;
}

static StringRef getMask(attn::AttentionOp op) {
  if (op.getWindowLeft())
    return "window";
  return op.isBoundedOnRight() ? "causal" : "full";
}

/// Stands for a window without a bound, and for an entry without one.
static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

/// Keys that the window of `op` leaves a query, where both sides have a bound.
static int64_t getWindowSize(attn::AttentionOp op) {
  std::optional<int64_t> left = op.getWindowLeft(), right = op.getRightBound();
  int64_t size;
  if (!left || !right || llvm::AddOverflow(*left, *right, size) || llvm::AddOverflow(size, int64_t(1), size))
    return kUnbounded;
  return size;
}

/// The entry for problems like `op` of one type and feature; of several the one for the least depths, and of those the
/// one for the least windows. None is for depths that have other panels.
static const TuningEntry *findEntry(attn::AttentionOp op, const TuningTable &table, StringRef type, StringRef feature) {
  int64_t depth = std::max(op.getQKDepth(), op.getVDepth()), most = getDepthClass(depth), size = getWindowSize(op);
  const TuningEntry *best = nullptr;
  auto getLimit = [](const TuningEntry &entry) { return std::pair(entry.depth, entry.window.value_or(kUnbounded)); };
  for (const TuningEntry &entry : table.entries) {
    bool serves = entry.type == type && entry.depth >= depth && entry.depth <= most && entry.mask == getMask(op) &&
                  entry.feature == feature && size <= getLimit(entry).second;
    if (serves && (!best || getLimit(entry) < getLimit(*best)))
      best = &entry;
  }
  return best;
}

/// The kernels of an entry. In an order of lengths some have no registers for the factors of a linear region, which
/// those that were measured without one do not tell.
static SmallVector<TunedKernel> getKernels(attn::AttentionOp op, const TuningEntry &entry) {
  SmallVector<TunedKernel> kernels = entry.kernels;
  attn::StrategyChanges changes;
  changes.longestFirst = false;
  if (op.hasScoreMod() && (entry.feature == "plain" || entry.feature == "lse"))
    for (TunedKernel &kernel : kernels)
      kernel.strategy = kernel.strategy.with(changes);
  return kernels;
}

static SmallVector<TunedKernel> findKernels(attn::AttentionOp op, const TuningTable &table) {
  // The 16-bit types cost the same; where one was not measured the other's kernels are right.
  bool isHalf = op.getQueryType().getElementType().isF16();
  for (StringRef feature : getFeatures(op))
    for (StringRef type : {StringRef(isHalf ? "f16" : "bf16"), StringRef(isHalf ? "bf16" : "f16")})
      if (const TuningEntry *entry = findEntry(op, table, type, feature))
        return getKernels(op, *entry);
  return {};
}

/// Every error is one of the op.
static FailureOr<SmallVector<TunedKernel>> lookup(attn::AttentionOp op, StringRef chip, const TableText &text) {
  FailureOr<TuningTable> table = readTuningTable(
      text.text, op.getContext(), [&] { return op.emitError() << "table of strategies '" << text.name << "': "; });
  if (failed(table))
    return failure();
  return table->target == chip ? findKernels(op, *table) : SmallVector<TunedKernel>();
}

FailureOr<SmallVector<TunedKernel>> nvptx::lookupTunedKernels(attn::AttentionOp op, StringRef chip, StringRef file) {
  if (file == "none")
    return SmallVector<TunedKernel>();
  if (!file.empty()) {
    // It is read for each op; a pipe would be empty after the first one, and a device has no end.
    if (llvm::sys::fs::exists(file) && !llvm::sys::fs::is_regular_file(file))
      return op.emitError() << "cannot read the table of strategies '" << file << "': it is no regular file";
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
    if (!buffer)
      return op.emitError() << "cannot read the table of strategies '" << file << "': " << buffer.getError().message();
    return lookup(op, chip, {file, (*buffer)->getBuffer()});
  }
  for (const TableText &table : kTables) {
    FailureOr<SmallVector<TunedKernel>> kernels = lookup(op, chip, table);
    if (failed(kernels) || !kernels->empty())
      return kernels;
  }
  return SmallVector<TunedKernel>();
}
