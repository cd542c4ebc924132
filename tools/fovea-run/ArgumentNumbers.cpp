//===- ArgumentNumbers.cpp - Numbers that --arg names -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentNumbers.h"

#include "../common/Numbers.h"
#include "Failure.h"
#include "Random.h"

#include <algorithm>
#include <cmath>

using namespace fovea;
using namespace fovea::run;

namespace {

RandomRange parseRange(const std::string &source) {
  RandomRange range;
  if (source == "random")
    return range;
  range.given = true;
  size_t colon = source.find(':', 7);
  std::string low = source.substr(7, colon - 7), high = colon == std::string::npos ? "" : source.substr(colon + 1);
  if (colon == std::string::npos || parseReal(low, range.low) != NumberFault::None ||
      parseReal(high, range.high) != NumberFault::None || !(range.low <= range.high) || std::fabs(range.low) > 9e15 ||
      std::fabs(range.high) > 9e15)
    failWith("--arg=%s: expected random:LO:HI with LO <= HI, both within +-9e15", source.c_str());
  return range;
}

/// Least and largest integer of a type that a double has exactly.
std::pair<double, double> getIntegerRange(fovea_type type) {
  constexpr double kExact = 0x1p53;
  if (type == FOVEA_I1)
    return {0, 1};
  double half = type == FOVEA_I8 ? 0x1p7 : type == FOVEA_I16 ? 0x1p15 : type == FOVEA_I32 ? 0x1p31 : kExact;
  return {-half, half == kExact ? half : half - 1};
}

} // namespace

bool run::isNumber(const std::string &source) {
  double value;
  return parseReal(source, value) != NumberFault::Malformed || source == "true" || source == "false";
}

double run::getNumber(const std::string &source, const CallValue &value) {
  if (source == "true" || source == "false")
    return source == "true";
  double number;
  if (parseReal(source, number) == NumberFault::Overflow)
    failWith("%s: '%s' is too large for a number; write inf for an infinity", value.label.c_str(), source.c_str());
  if (isInteger(value.type) && number != std::trunc(number))
    failWith("%s has type %s, '%s' is no integer", value.label.c_str(), fovea_type_name(value.type), source.c_str());
  requireFits(number, value.type, source, value.label);
  return number;
}

void run::requireFits(double number, fovea_type type, const std::string &text, const std::string &label) {
  if (isInteger(type)) {
    auto [low, high] = getIntegerRange(type);
    if (!(number >= low && number <= high))
      failWith("%s has type %s, but '%s' is not in [%.0f, %.0f]", label.c_str(), fovea_type_name(type), text.c_str(),
               low, high);
    return;
  }
  uint8_t bytes[8] = {};
  writeElement(type, bytes, number);
  if (std::isfinite(number) && !std::isfinite(readElement(type, bytes)))
    failWith("%s has type %s, for which '%s' is too large", label.c_str(), fovea_type_name(type), text.c_str());
}

RandomRange run::readRange(const std::string &source, const CallValue &value) {
  RandomRange range = parseRange(source);
  if (isInteger(value.type) && range.given)
    for (double end : {range.low, range.high})
      requireFits(end, value.type, source, value.label);
  if (isInteger(value.type) && std::ceil(range.low) > std::floor(range.high))
    failWith("%s has type %s, but no integer is in '%s'", value.label.c_str(), fovea_type_name(value.type),
             source.c_str());
  return range;
}

double run::getRandom(fovea_type type, const RandomRange &range, int64_t limit, uint64_t seed, int stream,
                      int64_t position) {
  if (type == FOVEA_I1 && !range.given)
    return getInteger(seed, stream, position, 0, 3) != 0;
  if (isInteger(type)) {
    int64_t low = range.given ? static_cast<int64_t>(std::ceil(range.low)) : 0;
    int64_t most = static_cast<int64_t>(getIntegerRange(type).second);
    int64_t high = range.given ? static_cast<int64_t>(std::floor(range.high)) : std::min(limit, most);
    return static_cast<double>(getInteger(seed, stream, position, low, high));
  }
  double normal = getNormal(seed, stream, position);
  return range.given ? normal * (range.high - range.low) / 2 + (range.high + range.low) / 2 : normal;
}
