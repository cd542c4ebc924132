//===- BlockMap.cpp - Which blocks of pairs a mask keeps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMap.h"
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
  /// Counts the pairs of a block that are kept.
  FailureOr<int64_t> countKept(int64_t row, int64_t column, int64_t numRows, int64_t numColumns);

private:
  FailureOr<int64_t> readElement(Value vector);
  bool isInBand(int64_t i, int64_t j);
  LogicalResult applyMask(Lanes &kept, const Lanes &queries, const Lanes &keys);

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
  if (auto array = environment.arrays.find(value); array != environment.arrays.end() && !array->second.values.empty())
    return toInteger(array->second.values[std::min<int64_t>(place.first, array->second.values.size() - 1)]);
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
  return j < length && !(op.getCausal() && distance > 0) &&
         !(op.getWindowLeft() && distance < -static_cast<int64_t>(*op.getWindowLeft())) &&
         !(op.getWindowRight() && distance > static_cast<int64_t>(*op.getWindowRight()));
}

/// The mask operand: dimensions of size 1 are broadcast.
LogicalResult MapBuilder::applyMask(Lanes &kept, const Lanes &queries, const Lanes &keys) {
  auto found = environment.arrays.find(op.getMask());
  if (found == environment.arrays.end())
    return op.emitError() << "has a mask that is not known; give it with --arg";
  const Array &mask = found->second;
  auto pick = [&](int64_t at, int64_t index, int64_t dim) {
    return at * mask.dims[dim] + (mask.dims[dim] == 1 ? 0 : std::min(index, mask.dims[dim] - 1));
  };
  for (size_t n = 0; n < kept.size(); ++n) {
    int64_t at = pick(pick(0, place.first, 0), place.second, 1);
    at = pick(pick(at, static_cast<int64_t>(queries[n]), 2), static_cast<int64_t>(keys[n]), 3);
    if (mask.values[at] == 0)
      kept[n] = 0;
  }
  return success();
}

FailureOr<int64_t> MapBuilder::countKept(int64_t row, int64_t column, int64_t numRows, int64_t numColumns) {
  Lanes queries, keys, kept;
  for (int64_t i = row; i < row + numRows; ++i)
    for (int64_t j = column; j < column + numColumns; ++j) {
      queries.push_back(i);
      keys.push_back(j);
      kept.push_back(isInBand(i, j));
    }
  if (op.getMask() && failed(applyMask(kept, queries, keys)))
    return failure();
  if (op.hasMaskMod()) {
    PairEvaluator evaluator(environment, kept.size());
    Lanes batch(kept.size(), place.first), head(kept.size(), place.second);
    FailureOr<Lanes> region = evaluator.evaluate(op.getMaskMod(), {batch, head, queries, keys});
    if (failed(region))
      return failure();
    for (size_t n = 0; n < kept.size(); ++n)
      if ((*region)[n] == 0)
        kept[n] = 0;
  }
  return llvm::count(kept, 1.0);
}

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
  for (int64_t row = 0; row < sizes.queries; row += blockM)
    for (int64_t column = 0; column < sizes.keys; column += blockN) {
      int64_t numRows = std::min(blockM, sizes.queries - row), numColumns = std::min(blockN, sizes.keys - column);
      FailureOr<int64_t> kept = builder.countKept(row, column, numRows, numColumns);
      if (failed(kept))
        return failure();
      map.visible += *kept;
      map.blocks.push_back(*kept == 0                      ? BlockMap::Kind::Skipped
                           : *kept == numRows * numColumns ? BlockMap::Kind::Full
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
  constexpr int64_t kSide = 240, kLeft = 40, kTop = 44;
  double cell = double(kSide) / std::max<int64_t>({map.rows, map.columns, 1});
  double width = cell * map.columns, height = cell * map.rows;
  auto bottom = static_cast<int64_t>(kTop + height);
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                      "font-family=\"sans-serif\" font-size=\"10\">\n",
                      kLeft + kSide + 16, bottom + 60);
  os << llvm::formatv("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{0}\" y=\"14\" "
                      "font-size=\"13\">{1}</text>\n<text x=\"{0}\" y=\"30\">keys 0 to {2}</text>\n",
                      kLeft, title, map.sizes.keys - 1);
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
