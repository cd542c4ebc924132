//===- Numbers.h - Numbers that users write -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a word of a command line or a number of a file means. Shared by tools that link LLVM and tools that link
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_COMMON_NUMBERS_H
#define FOVEA_TOOLS_COMMON_NUMBERS_H

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fovea {

enum class NumberFault {
  None,
  /// The text is something else, has something around the number, or is empty.
  Malformed,
  /// The number is too large for its type.
  Overflow
};

/// Whether `text` may begin a number: with a digit, a sign or a point. Blanks before it, which the C library skips,
/// belong to no number.
inline bool beginsNumber(const std::string &text) { return !text.empty() && std::strchr("0123456789+-.", text[0]); }

/// A decimal integer of 64 bits.
inline NumberFault parseInteger(const std::string &text, int64_t &value) {
  char *end;
  errno = 0;
  value = std::strtoll(text.c_str(), &end, 10);
  size_t sign = text[0] == '+' || text[0] == '-';
  if (end != text.c_str() + text.size() || text.size() == sign || !beginsNumber(text))
    return NumberFault::Malformed;
  return errno == ERANGE ? NumberFault::Overflow : NumberFault::None;
}

/// A decimal or hexadecimal number; inf and nan are numbers, one that is too large is not infinite.
inline NumberFault parseReal(const std::string &text, double &value) {
  char *end;
  value = std::strtod(text.c_str(), &end);
  size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-');
  bool isWord = text.compare(sign, 3, "inf") == 0 || text.compare(sign, 3, "nan") == 0;
  if (text.empty() || end != text.c_str() + text.size() || !(beginsNumber(text) || isWord))
    return NumberFault::Malformed;
  return std::isinf(value) && !isWord ? NumberFault::Overflow : NumberFault::None;
}

} // namespace fovea

#endif // FOVEA_TOOLS_COMMON_NUMBERS_H
