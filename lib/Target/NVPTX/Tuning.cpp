//===- Tuning.cpp - Tables of measured strategies -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"
#include "ScoreCost.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;
namespace json = llvm::json;

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

namespace {
/// Finds the entry of one op in a table; every error is one of the op.
class TableReader {
public:
  TableReader(attn::AttentionOp op, StringRef chip, const TableText &table) : op(op), chip(chip), table(table) {}

  FailureOr<SmallVector<TunedKernel>> run();

private:
  InFlightDiagnostic error() { return op.emitError() << "table of strategies '" << table.name << "': "; }
  FailureOr<TunedKernel> readKernel(const json::Value &value);
  FailureOr<SmallVector<TunedKernel>> readKernels(const json::Object &entry);
  const json::Object *findEntry(const json::Array &entries, StringRef type, StringRef feature);
  StringRef getMask();
  /// What entries have to be for, the best first.
  SmallVector<StringRef, 2> getFeatures();

  attn::AttentionOp op;
  StringRef chip;
  const TableText &table;
};
} // namespace

StringRef TableReader::getMask() {
  if (op.getWindowLeft())
    return "window";
  return op.getCausal() || op.getWindowRight() ? "causal" : "full";
}

SmallVector<StringRef, 2> TableReader::getFeatures() {
  if (op.hasMaskMod() || op.getBlockMap() || !hasLinearScore(op))
    return {"score"};
  if (readsTables(op))
    return {"table"};
  if (op.getBias() || op.getMask())
    return {"bias"};
  if (op.getLse())
    return {"lse", "plain"};
  return {"plain"};
}

FailureOr<TunedKernel> TableReader::readKernel(const json::Value &value) {
  const json::Object *kernel = value.getAsObject();
  std::optional<StringRef> text = kernel ? kernel->getString("strategy") : std::nullopt;
  if (!text)
    return error() << "a kernel is an object with a strategy";
  TunedKernel result;
  result.strategy = dyn_cast_or_null<attn::StrategyAttr>(parseAttribute(*text, op.getContext()));
  if (!result.strategy)
    return error() << "'" << *text << "' is no strategy";
  result.lengthBelow = kernel->getInteger("length_below");
  result.fewTasks = kernel->getBoolean("few_tasks").value_or(false);
  return result;
}

FailureOr<SmallVector<TunedKernel>> TableReader::readKernels(const json::Object &entry) {
  const json::Array *kernels = entry.getArray("kernels");
  if (!kernels || kernels->empty() || kernels->size() > kMaxTunedKernels)
    return error() << "an entry has 1 to " << kMaxTunedKernels << " kernels, but this one has "
                   << (kernels ? kernels->size() : 0);
  SmallVector<TunedKernel> result;
  for (const json::Value &value : *kernels) {
    FailureOr<TunedKernel> kernel = readKernel(value);
    if (failed(kernel))
      return failure();
    result.push_back(*kernel);
  }
  if (result.back().lengthBelow || result.back().fewTasks)
    return error() << "the last kernel of an entry must be without a limit";
  return result;
}

const json::Object *TableReader::findEntry(const json::Array &entries, StringRef type, StringRef feature) {
  int64_t depthClass = getDepthClass(std::max(op.getQKDepth(), op.getVDepth()));
  for (const json::Value &value : entries) {
    const json::Object *entry = value.getAsObject();
    if (entry && entry->getString("type") == type && entry->getInteger("depth") == depthClass &&
        entry->getString("mask") == getMask() && entry->getString("feature") == feature)
      return entry;
  }
  return nullptr;
}

FailureOr<SmallVector<TunedKernel>> TableReader::run() {
  llvm::Expected<json::Value> parsed = json::parse(table.text);
  if (!parsed)
    return error() << llvm::toString(parsed.takeError());
  const json::Object *root = parsed->getAsObject();
  const json::Array *entries = root ? root->getArray("entries") : nullptr;
  if (!entries || root->getInteger("format") != 1)
    return error() << "expected an object with format 1 and entries";
  if (root->getString("target") != chip)
    return SmallVector<TunedKernel>();
  // The 16-bit types cost the same; where one was not measured the other's kernels are right.
  bool isHalf = op.getQueryType().getElementType().isF16();
  for (StringRef feature : getFeatures())
    for (StringRef type : {StringRef(isHalf ? "f16" : "bf16"), StringRef(isHalf ? "bf16" : "f16")})
      if (const json::Object *entry = findEntry(*entries, type, feature))
        return readKernels(*entry);
  return SmallVector<TunedKernel>();
}

FailureOr<SmallVector<TunedKernel>> nvptx::lookupTunedKernels(attn::AttentionOp op, StringRef chip, StringRef file) {
  if (file == "none")
    return SmallVector<TunedKernel>();
  if (!file.empty()) {
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
    if (!buffer)
      return op.emitError() << "cannot read the table of strategies '" << file << "': " << buffer.getError().message();
    return TableReader(op, chip, {file, (*buffer)->getBuffer()}).run();
  }
  for (const TableText &table : kTables) {
    FailureOr<SmallVector<TunedKernel>> kernels = TableReader(op, chip, table).run();
    if (failed(kernels) || !kernels->empty())
      return kernels;
  }
  return SmallVector<TunedKernel>();
}
