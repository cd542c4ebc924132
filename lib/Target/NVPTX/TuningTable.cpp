//===- TuningTable.cpp - A table of strategies as a file has it -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningTable.h"
#include "Json.h"
#include "Layouts.h"
#include "Strategy.h"
#include "fovea/Dialect/Attn/IR/StrategyText.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;
namespace json = llvm::json;

static constexpr StringLiteral kTypes[] = {"bf16", "f16"};
static constexpr StringLiteral kMasks[] = {"full", "causal", "window"};
static constexpr StringLiteral kFeatures[] = {"plain", "linear", "bias", "table", "score", "lse"};
/// Depths of entries are multiples of this.
static constexpr int64_t kDepthStep = 16;
/// A second: no round of tasks takes as long.
static constexpr int64_t kMostCost = 1000000000;

namespace {
/// A place in the text: entry 3's kernel 0 is "entries[3].kernels[0]".
using Place = std::string;

class Reader {
public:
  Reader(MLIRContext *context, function_ref<InFlightDiagnostic()> emitError) : context(context), emitError(emitError) {}
  FailureOr<TuningTable> readTable(const json::Value &value);

private:
  InFlightDiagnostic error(const Place &place) { return emitError() << (place.empty() ? "" : place + ": "); }
  FailureOr<const json::Object *> getObject(const json::Value &value, const Place &place, ArrayRef<StringLiteral> keys);
  FailureOr<const json::Array *> getArray(const json::Object &object, StringRef key, const Place &place, size_t most);
  FailureOr<std::string> getWord(const json::Object &object, StringRef key, const Place &place,
                                 ArrayRef<StringLiteral> words);
  FailureOr<int64_t> getInteger(const json::Value &value, const Place &place, int64_t low, int64_t high);
  FailureOr<int64_t> getDepth(const json::Object &object, const Place &place);
  FailureOr<std::optional<int64_t>> getWindow(const json::Object &object, const Place &place, StringRef mask);
  FailureOr<std::string> getTarget(const json::Object &object);
  FailureOr<attn::StrategyAttr> getStrategy(const json::Object &object, const Place &place, bool sameKeys);
  LogicalResult verifyStrategy(attn::StrategyAttr strategy, const Place &place, bool sameKeys);
  FailureOr<RoundCost> readCost(const json::Value &value, const Place &place);
  LogicalResult readLimits(const json::Object &object, const Place &place, bool sameKeys, TunedKernel &kernel);
  FailureOr<TunedKernel> readKernel(const json::Value &value, const Place &place, bool isLast, bool sameKeys);
  FailureOr<TuningEntry> readEntry(const json::Value &value, const Place &place);

  MLIRContext *context;
  function_ref<InFlightDiagnostic()> emitError;
  std::string target;
};
} // namespace

/// A JSON value in a message, cut where it is long.
static std::string print(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  constexpr size_t kMost = 80;
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

static std::string join(ArrayRef<StringLiteral> words) { return llvm::join(words, ", "); }

FailureOr<const json::Object *> Reader::getObject(const json::Value &value, const Place &place,
                                                  ArrayRef<StringLiteral> keys) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return error(place) << "expected an object with " << join(keys) << ", but got " << print(value);
  // In the order of their names: that of the map changes from run to run.
  SmallVector<StringRef> unknown;
  for (const auto &[key, entry] : *object)
    if (!llvm::is_contained(keys, StringRef(key)))
      unknown.push_back(key);
  llvm::sort(unknown);
  if (!unknown.empty())
    return error(place) << "unknown key \"" << unknown.front() << "\"; known are " << join(keys);
  return object;
}

FailureOr<const json::Array *> Reader::getArray(const json::Object &object, StringRef key, const Place &place,
                                                size_t most) {
  const json::Value *value = object.get(key);
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return error(place) << "\"" << key << "\" must be an array, but " << (value ? "is " + print(*value) : "is missing");
  if (array->empty() || array->size() > most)
    return error(place) << "\"" << key << "\" must have 1 to " << most << " elements, but has " << array->size();
  return array;
}

FailureOr<std::string> Reader::getWord(const json::Object &object, StringRef key, const Place &place,
                                       ArrayRef<StringLiteral> words) {
  const json::Value *value = object.get(key);
  std::optional<StringRef> word = value ? value->getAsString() : std::nullopt;
  if (!word || !llvm::is_contained(words, *word))
    return error(place) << "\"" << key << "\" must be one of " << join(words) << ", but "
                        << (value ? "is " + print(*value) : "is missing");
  return word->str();
}

FailureOr<int64_t> Reader::getInteger(const json::Value &value, const Place &place, int64_t low, int64_t high) {
  // A number with a fraction of 0, as 64.0, counts as an integer in JSON.
  std::optional<int64_t> number = value.getAsInteger();
  if (!number || *number < low || *number > high)
    return error(place) << "must be an integer from " << low << " to " << high << ", but is " << print(value);
  return *number;
}

FailureOr<int64_t> Reader::getDepth(const json::Object &object, const Place &place) {
  const json::Value *value = object.get("depth");
  if (!value)
    return error(place) << "\"depth\" is missing; it is a multiple of " << kDepthStep << " up to " << kMaxDepth;
  FailureOr<int64_t> depth = getInteger(*value, place + ".depth", kDepthStep, kMaxDepth);
  if (succeeded(depth) && *depth % kDepthStep != 0)
    return error(place + ".depth") << "must be a multiple of " << kDepthStep << ", but is " << *depth;
  return depth;
}

FailureOr<std::optional<int64_t>> Reader::getWindow(const json::Object &object, const Place &place, StringRef mask) {
  const json::Value *value = object.get("window");
  if (!value)
    return std::optional<int64_t>();
  if (mask != "window")
    return error(place + ".window") << "is for mask window, but \"mask\" is \"" << mask << "\"";
  FailureOr<int64_t> window = getInteger(*value, place + ".window", 1, std::numeric_limits<int64_t>::max());
  if (failed(window))
    return failure();
  return std::optional(*window);
}

FailureOr<std::string> Reader::getTarget(const json::Object &object) {
  const json::Value *value = object.get("target");
  std::optional<StringRef> name = value ? value->getAsString() : std::nullopt;
  const Chip *chip = name ? lookupChip(*name) : nullptr;
  if (chip && chip->warpgroups)
    return name->str();
  SmallVector<StringRef> known;
  for (const Chip &other : getChips())
    if (other.warpgroups)
      known.push_back(other.name);
  return emitError() << "\"target\" must be " << llvm::join(known, " or ") << ", but "
                     << (value ? "is " + print(*value) : "is missing");
}

/// What the planner takes for granted of a kernel that a table names. `sameKeys`: all queries have the same keys.
LogicalResult Reader::verifyStrategy(attn::StrategyAttr strategy, const Place &place, bool sameKeys) {
  struct Rule {
    bool holds;
    StringLiteral needed;
  };
  const Rule rules[] = {{strategy.getUnit() == attn::DotUnit::Warpgroup, "unit = warpgroup"},
                        {strategy.getRoundP(), "round_p = true"},
                        {strategy.getVectorBytes() == kChunkBytes, "vector_bytes = 16"},
                        {!strategy.getPackHeads(), "pack_heads = false"},
                        {!strategy.getSplitKv(), "split_kv = false"},
                        {sameKeys || strategy.getCluster() == 1, "cluster = 1 where mask is not full"},
                        {!sameKeys || !strategy.getLongestFirst(), "longest_first = false where mask is full"}};
  for (const Rule &rule : rules)
    if (!rule.holds)
      return error(place) << "the strategy of a table needs " << rule.needed << ": " << strategy;
  return verifyWarpgroups(strategy, target, [&] { return error(place); });
}

FailureOr<attn::StrategyAttr> Reader::getStrategy(const json::Object &object, const Place &place, bool sameKeys) {
  const json::Value *value = object.get("strategy");
  std::optional<StringRef> text = value ? value->getAsString() : std::nullopt;
  if (!text)
    return error(place) << "\"strategy\" must be a text \"#attn.strategy<...>\", but "
                        << (value ? "is " + print(*value) : "is missing");
  std::string fault;
  attn::StrategyAttr strategy = attn::parseStrategy(*text, context, fault);
  if (!strategy)
    return error(place + ".strategy") << fault;
  if (failed(verifyStrategy(strategy, place + ".strategy", sameKeys)))
    return failure();
  return strategy;
}

FailureOr<RoundCost> Reader::readCost(const json::Value &value, const Place &place) {
  static constexpr StringLiteral kKeys[] = {"task", "block"};
  FailureOr<const json::Object *> object = getObject(value, place, kKeys);
  if (failed(object))
    return failure();
  RoundCost cost{};
  for (auto [key, part] : {std::pair(kKeys[0], &cost.task), std::pair(kKeys[1], &cost.block)}) {
    const json::Value *number = (*object)->get(key);
    if (!number)
      return error(place) << "\"" << key << "\" is missing";
    FailureOr<int64_t> read = getInteger(*number, place + "." + key.str(), 0, kMostCost);
    if (failed(read))
      return failure();
    *part = *read;
  }
  return cost;
}

/// What decides when a kernel of an entry runs.
LogicalResult Reader::readLimits(const json::Object &object, const Place &place, bool sameKeys, TunedKernel &kernel) {
  if (const json::Value *below = object.get("length_below")) {
    FailureOr<int64_t> length = getInteger(*below, place + ".length_below", 1, std::numeric_limits<int64_t>::max());
    if (failed(length))
      return failure();
    kernel.lengthBelow = *length;
  }
  if (const json::Value *few = object.get("few_tasks")) {
    if (!few->getAsBoolean())
      return error(place + ".few_tasks") << "must be true or false, but is " << print(*few);
    kernel.fewTasks = *few->getAsBoolean();
  }
  if (const json::Value *cost = object.get("cost")) {
    if (!sameKeys)
      return error(place + ".cost") << "is for mask full, where all tasks have the same keys";
    FailureOr<RoundCost> read = readCost(*cost, place + ".cost");
    if (failed(read))
      return failure();
    kernel.cost = *read;
  }
  if (kernel.lengthBelow.has_value() + kernel.fewTasks + kernel.cost.has_value() > 1)
    return error(place) << "has more than one of \"length_below\", \"few_tasks\" and \"cost\"";
  return success();
}

FailureOr<TunedKernel> Reader::readKernel(const json::Value &value, const Place &place, bool isLast, bool sameKeys) {
  static constexpr StringLiteral kKeys[] = {"strategy", "length_below", "few_tasks", "cost"};
  FailureOr<const json::Object *> kernel = getObject(value, place, kKeys);
  if (failed(kernel))
    return failure();
  TunedKernel result;
  if (failed(readLimits(**kernel, place, sameKeys, result)))
    return failure();
  bool isLimited = result.lengthBelow || result.fewTasks;
  if (isLast ? isLimited : !isLimited && !result.cost)
    return error(place) << (isLast ? "the last kernel of an entry must be without a limit"
                                   : "only the last kernel of an entry is without \"length_below\", \"few_tasks\" or "
                                     "\"cost\"");
  FailureOr<attn::StrategyAttr> strategy = getStrategy(**kernel, place, sameKeys);
  if (failed(strategy))
    return failure();
  result.strategy = *strategy;
  return result;
}

FailureOr<TuningEntry> Reader::readEntry(const json::Value &value, const Place &place) {
  static constexpr StringLiteral kKeys[] = {"type", "depth", "mask", "window", "feature", "kernels"};
  FailureOr<const json::Object *> object = getObject(value, place, kKeys);
  if (failed(object))
    return failure();
  FailureOr<std::string> type = getWord(**object, "type", place, kTypes);
  FailureOr<int64_t> depth = failed(type) ? FailureOr<int64_t>() : getDepth(**object, place);
  FailureOr<std::string> mask = failed(depth) ? FailureOr<std::string>() : getWord(**object, "mask", place, kMasks);
  FailureOr<std::optional<int64_t>> window =
      failed(mask) ? FailureOr<std::optional<int64_t>>() : getWindow(**object, place, *mask);
  FailureOr<std::string> feature =
      failed(window) ? FailureOr<std::string>() : getWord(**object, "feature", place, kFeatures);
  if (failed(feature))
    return failure();
  FailureOr<const json::Array *> kernels = getArray(**object, "kernels", place, kMaxTunedKernels);
  if (failed(kernels))
    return failure();
  TuningEntry entry{*type, *mask, *feature, *depth, *window, {}};
  for (auto [number, kernel] : llvm::enumerate(**kernels)) {
    FailureOr<TunedKernel> read = readKernel(kernel, place + ".kernels[" + std::to_string(number) + "]",
                                             /*isLast=*/number + 1 == (*kernels)->size(),
                                             /*sameKeys=*/*mask == "full");
    if (failed(read))
      return failure();
    entry.kernels.push_back(*read);
  }
  // Costs are compared with each other alone.
  auto hasCost = [](const TunedKernel &kernel) { return kernel.cost.has_value(); };
  if (llvm::any_of(entry.kernels, hasCost))
    for (auto [number, kernel] : llvm::enumerate(entry.kernels))
      if (!kernel.fewTasks && !hasCost(kernel))
        return error(place + ".kernels[" + std::to_string(number) + "]")
               << "must have \"cost\", as others of the entry have";
  return entry;
}

FailureOr<TuningTable> Reader::readTable(const json::Value &value) {
  static constexpr StringLiteral kKeys[] = {"format", "about", "target", "device", "driver", "date", "entries"};
  // The format first: what a later one means by its keys is not known.
  const json::Object *root = value.getAsObject();
  if (!root || root->getInteger("format") != 1 || !root->getArray("entries"))
    return emitError() << "expected an object with format 1 and entries";
  FailureOr<const json::Object *> object = getObject(value, "", kKeys);
  if (failed(object))
    return failure();
  FailureOr<std::string> chip = getTarget(**object);
  if (failed(chip))
    return failure();
  TuningTable table{target = *chip, {}};
  for (auto [number, entry] : llvm::enumerate(*root->getArray("entries"))) {
    Place place = "entries[" + std::to_string(number) + "]";
    FailureOr<TuningEntry> read = readEntry(entry, place);
    if (failed(read))
      return failure();
    for (auto [earlier, other] : llvm::enumerate(table.entries))
      if (std::tie(read->type, read->depth, read->mask, read->window, read->feature) ==
          std::tie(other.type, other.depth, other.mask, other.window, other.feature))
        return error(place) << "is for the same problems as entries[" << earlier << "]";
    table.entries.push_back(std::move(*read));
  }
  return table;
}

FailureOr<TuningTable> nvptx::readTuningTable(StringRef text, MLIRContext *context,
                                              function_ref<InFlightDiagnostic()> emitError) {
  llvm::Expected<json::Value> parsed = parseJson(text);
  if (!parsed)
    return emitError() << llvm::toString(parsed.takeError());
  return Reader(context, emitError).readTable(*parsed);
}
