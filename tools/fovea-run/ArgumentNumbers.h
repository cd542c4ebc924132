//===- ArgumentNumbers.h - Numbers that --arg names -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_ARGUMENTNUMBERS_H
#define FOVEA_RUN_ARGUMENTNUMBERS_H

#include "Arguments.h"

namespace fovea::run {

inline bool isInteger(fovea_type type) { return type >= FOVEA_I1; }

/// Whether a source is one number for all elements.
bool isNumber(const std::string &source);

/// The number of an argument, which its type holds.
double getNumber(const std::string &source, const CallValue &value);

/// Refuses a number that an element of the type would not hold: as an integer, or as a finite number.
void requireFits(double number, fovea_type type, const std::string &text, const std::string &label);

/// Numbers of `random` or `random:LO:HI`.
struct RandomRange {
  bool given = false;
  double low = 0, high = 0;
};

/// The range of `random` or `random:LO:HI`, whose ends an argument of integers holds.
RandomRange readRange(const std::string &source, const CallValue &value);

/// The number at a position of a stream; integers without a range are in [0, limit], as far as the type goes.
double getRandom(fovea_type type, const RandomRange &range, int64_t limit, uint64_t seed, int stream, int64_t position);

} // namespace fovea::run

#endif // FOVEA_RUN_ARGUMENTNUMBERS_H
