//===- BlockMap.cpp - Which blocks of pairs a mask keeps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using Lanes = PairEvaluator::Lanes;

namespace {
/// The rules of an op that are not its region.
class MapBuilder {
public:
  MapBuilder(attn::AttentionOp op, const Environment &environment, const Sizes &sizes,
             std::pair<int64_t, int64_t> place)
      : op(op), environment(environment), sizes(sizes), place(place) {}

  /// Reads what is known before any block: Lk and the diagonal.
  LogicalResult prepare();
  /// Whether pairs `begin` to `end`, counted row by row, are kept.
  FailureOr<Lanes> keep(int64_t begin, int64_t end);

private:
  FailureOr<int64_t> readElement(Value vector);
  /// Refuses a mask operand whose sizes do not fit the problem.
  LogicalResult checkMask();
  bool isInBand(int64_t i, int64_t j);
  void applyMask(Lanes &kept, const Lanes &queries, const Lanes &keys);

  attn::AttentionOp op;
  const Environment &environment;
  Sizes sizes;
  std::pair<int64_t, int64_t> place;
  int64_t length = 0, offset = 0;
};
} // namespace

/// An integer that no sum with a position overflows; positions are far smaller.
static int64_t toInteger(double value) { return static_cast<int64_t>(std::clamp(value, -0x1p60, 0x1p60)); }

/// An index, or the element of this batch entry.
FailureOr<int64_t> MapBuilder::readElement(Value value) {
  if (auto array = environment.arrays.find(value); array != environment.arrays.end()) {
    auto size = static_cast<int64_t>(array->second.values.size());
    if (place.first < size)
      return toInteger(array->second.values[place.first]);
    return op.emitError() << "has no batch entry " << place.first << ": an operand of one element each has " << size;
  }
  PairEvaluator evaluator(environment, 1);
  if (isa<ShapedType>(value.getType()))
    return op.emitError() << "reads a tensor that is not known; give it with --arg";
  FailureOr<Lanes> lanes = evaluator.lookup(*op, value);
  if (failed(lanes))
    return failure();
  return toInteger(lanes->front());
}

LogicalResult MapBuilder::prepare() {
  if (!op.getBase().empty())
    return op.emitError() << "with a base is part of a larger op; show that one";
  length = sizes.keys;
  if (op.getKvLengths()) {
    FailureOr<int64_t> given = readElement(op.getKvLengths());
    if (failed(given))
      return failure();
    length = std::clamp<int64_t>(*given, 0, sizes.keys);
  }
  if (op.getMask() && failed(checkMask()))
    return failure();
  if (op.getDiagonal() == attn::Diagonal::BottomRight)
    offset = length - sizes.queries;
  if (op.getDiagonal() != attn::Diagonal::Offset)
    return success();
  FailureOr<int64_t> given = readElement(op.getOffset());
  if (failed(given))
    return failure();
  offset = *given;
  return success();
}

bool MapBuilder::isInBand(int64_t i, int64_t j) {
  int64_t distance = j - (i + offset);
  std::optional<int64_t> left = op.getWindowLeft(), right = op.getRightBound();
  return j < length && !(left && distance < -*left) && !(right && distance > *right);
}

LogicalResult MapBuilder::checkMask() {
  auto found = environment.arrays.find(op.getMask());
  if (found == environment.arrays.end())
    return op.emitError() << "has a mask that is not known; give it with --arg";
  ArrayRef<int64_t> dims = found->second.dims;
  const int64_t last[] = {place.first, place.second, sizes.queries - 1, sizes.keys - 1};
  static constexpr StringLiteral kNames[] = {"batch entries", "heads", "queries", "keys"};
  for (auto [dim, size, position, name] : llvm::enumerate(dims, last, kNames))
    if (size != 1 && position >= size)
      return op.emitError() << "has a mask of " << size << " " << name << " (dimension " << dim
                            << "), but the picture needs " << position + 1;
  return success();
}

/// The mask operand: dimensions of size 1 are broadcast.
void MapBuilder::applyMask(Lanes &kept, const Lanes &queries, const Lanes &keys) {
  const Array &mask = environment.arrays.find(op.getMask())->second;
  auto pick = [&](int64_t at, int64_t index, int64_t dim) {
    return at * mask.dims[dim] + (mask.dims[dim] == 1 ? 0 : index);
  };
  for (size_t n = 0; n < kept.size(); ++n) {
    int64_t at = pick(pick(0, place.first, 0), place.second, 1);
    at = pick(pick(at, static_cast<int64_t>(queries[n]), 2), static_cast<int64_t>(keys[n]), 3);
    if (mask.values[at] == 0)
      kept[n] = 0;
  }
}

FailureOr<Lanes> MapBuilder::keep(int64_t begin, int64_t end) {
  size_t count = end - begin;
  Lanes queries(count), keys(count), kept(count);
  // The region is that of the keys up to the length, whatever else removes them.
  std::vector<char> isValid(count);
  int64_t i = begin / sizes.keys, j = begin % sizes.keys;
  for (size_t n = 0; n < count; ++n) {
    queries[n] = static_cast<double>(i);
    keys[n] = static_cast<double>(j);
    isValid[n] = j < length;
    kept[n] = isInBand(i, j);
    if (++j == sizes.keys) {
      j = 0;
      ++i;
    }
  }
  if (op.getMask())
    applyMask(kept, queries, keys);
  if (!op.hasMaskMod())
    return kept;
  PairEvaluator evaluator(environment, count);
  Lanes batch(count, place.first), head(count, place.second);
  FailureOr<Lanes> region = evaluator.evaluate(op.getMaskMod(), {batch, head, queries, keys}, std::move(isValid));
  if (failed(region))
    return failure();
  for (size_t n = 0; n < count; ++n)
    if ((*region)[n] == 0)
      kept[n] = 0;
  return kept;
}

/// Pairs that are evaluated at once: their values stay in a cache.
static constexpr int64_t kPairsAtOnce = 2048;

FailureOr<BlockMap> fovea::computeBlockMap(attn::AttentionOp op, const Environment &environment, const Sizes &sizes,
                                           std::pair<int64_t, int64_t> place, int64_t blockM, int64_t blockN) {
  MapBuilder builder(op, environment, sizes, place);
  if (failed(builder.prepare()))
    return failure();
  BlockMap map;
  map.sizes = sizes;
  map.blockM = blockM;
  map.blockN = blockN;
  map.rows = llvm::divideCeil(sizes.queries, blockM);
  map.columns = llvm::divideCeil(sizes.keys, blockN);
  std::vector<int64_t> counts(map.rows * map.columns);
  int64_t i = 0, j = 0;
  for (int64_t begin = 0, pairs = sizes.queries * sizes.keys; begin < pairs; begin += kPairsAtOnce) {
    FailureOr<Lanes> kept = builder.keep(begin, std::min(begin + kPairsAtOnce, pairs));
    if (failed(kept))
      return failure();
    for (double isKept : *kept) {
      counts[i / blockM * map.columns + j / blockN] += isKept != 0;
      if (++j == sizes.keys) {
        j = 0;
        ++i;
      }
    }
  }
  for (int64_t row = 0; row < map.rows; ++row)
    for (int64_t column = 0; column < map.columns; ++column) {
      int64_t kept = counts[row * map.columns + column];
      int64_t all = std::min(blockM, sizes.queries - row * blockM) * std::min(blockN, sizes.keys - column * blockN);
      map.visible += kept;
      map.blocks.push_back(kept == 0     ? BlockMap::Kind::Skipped
                           : kept == all ? BlockMap::Kind::Full
                                         : BlockMap::Kind::Partial);
    }
  return map;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static std::string getPercent(int64_t part, int64_t whole) {
  return llvm::formatv("{0:F1} %", whole == 0 ? 0.0 : 100.0 * part / whole).str();
}

void fovea::printText(const BlockMap &map, llvm::raw_ostream &os) {
  using Kind = BlockMap::Kind;
  for (int64_t row = 0; row < map.rows; ++row) {
    for (int64_t column = 0; column < map.columns; ++column)
      os << (map.at(row, column) == Kind::Skipped ? '.' : map.at(row, column) == Kind::Full ? '#' : 'o');
    os << "\n";
  }
  int64_t total = map.rows * map.columns, pairs = map.sizes.queries * map.sizes.keys;
  os << llvm::formatv("{0} queries x {1} keys in blocks of {2} x {3}: {4} skipped (.), {5} partial (o), {6} full (#); "
                      "{7} of the blocks, {8} of the pairs\n",
                      map.sizes.queries, map.sizes.keys, map.blockM, map.blockN, map.count(Kind::Skipped),
                      map.count(Kind::Partial), map.count(Kind::Full),
                      getPercent(total - map.count(Kind::Skipped), total), getPercent(map.visible, pairs));
}

static StringRef getColor(BlockMap::Kind kind) {
  return kind == BlockMap::Kind::Skipped ? "#f2f2f2" : kind == BlockMap::Kind::Full ? "#1f5f99" : "#9cc3e5";
}

/// A line of the legend.
static void printLegend(llvm::raw_ostream &os, int64_t y, BlockMap::Kind kind, StringRef name, const BlockMap &map) {
  os << llvm::formatv("<rect x=\"40\" y=\"{0}\" width=\"10\" height=\"10\" fill=\"{1}\" stroke=\"#888\" "
                      "stroke-width=\"0.5\"/><text x=\"56\" y=\"{2}\">{3}: {4}</text>\n",
                      y, getColor(kind), y + 9, name, map.count(kind));
}

void fovea::printSvg(const BlockMap &map, StringRef title, llvm::raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream escaped(text);
  llvm::printHTMLEscaped(title, escaped);
  constexpr int64_t kSide = 240, kLeft = 40, kTop = 44;
  double cell = double(kSide) / std::max<int64_t>({map.rows, map.columns, 1});
  double width = cell * map.columns, height = cell * map.rows;
  auto bottom = static_cast<int64_t>(kTop + height);
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                      "font-family=\"sans-serif\" font-size=\"10\">\n",
                      kLeft + kSide + 16, bottom + 60);
  os << llvm::formatv("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{0}\" y=\"14\" "
                      "font-size=\"13\">{1}</text>\n<text x=\"{0}\" y=\"30\">keys 0 to {2}</text>\n",
                      kLeft, text, map.sizes.keys - 1);
  os << llvm::formatv("<text transform=\"translate(30 {0}) rotate(-90)\">queries {1} to 0</text>\n", bottom,
                      map.sizes.queries - 1);
  for (int64_t row = 0; row < map.rows; ++row)
    for (int64_t column = 0; column < map.columns;) {
      // Neighbours of one kind are one rectangle.
      int64_t end = column + 1;
      while (end < map.columns && map.at(row, end) == map.at(row, column))
        ++end;
      os << llvm::formatv("<rect x=\"{0:F2}\" y=\"{1:F2}\" width=\"{2:F2}\" height=\"{3:F2}\" fill=\"{4}\"/>\n",
                          kLeft + cell * column, kTop + cell * row, cell * (end - column), cell,
                          getColor(map.at(row, column)));
      column = end;
    }
  os << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2:F2}\" height=\"{3:F2}\" fill=\"none\" stroke=\"#444\"/>\n",
                      kLeft, kTop, width, height);
  printLegend(os, bottom + 8, BlockMap::Kind::Full, "full", map);
  printLegend(os, bottom + 24, BlockMap::Kind::Partial, "partial", map);
  printLegend(os, bottom + 40, BlockMap::Kind::Skipped, "skipped", map);
  os << llvm::formatv(
      "<text x=\"130\" y=\"{0}\">blocks of {1} x {2}</text>\n<text x=\"130\" y=\"{3}\">{4} of the pairs "
      "are kept</text>\n</svg>\n",
      bottom + 17, map.blockM, map.blockN, bottom + 33, getPercent(map.visible, map.sizes.queries * map.sizes.keys));
}
