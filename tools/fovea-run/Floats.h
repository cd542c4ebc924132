//===- Floats.h - Small float types -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_FLOATS_H
#define FOVEA_RUN_FLOATS_H

#include <cmath>
#include <cstdint>

namespace fovea::run {

/// A binary float type. Without infinity (`hasInfinity` false) the one code of all ones is NaN, as in f8E4M3FN.
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool hasInfinity;
};
constexpr FloatFormat kF16{5, 10, true}, kBF16{8, 7, true}, kF8E4M3FN{4, 3, false}, kF8E5M2{5, 2, true};

/// The value of a code.
inline double decode(FloatFormat format, uint32_t code) {
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t mantissa = code & ((1u << format.mantissaBits) - 1);
  uint32_t largest = (1u << format.exponentBits) - 1, exponent = code >> format.mantissaBits & largest;
  double sign = code >> (format.mantissaBits + format.exponentBits) & 1 ? -1.0 : 1.0;
  if (exponent == largest && format.hasInfinity)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == largest && mantissa == (1u << format.mantissaBits) - 1)
    return NAN;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - format.mantissaBits);
  return sign *
         std::ldexp((1u << format.mantissaBits) + mantissa, static_cast<int>(exponent) - bias - format.mantissaBits);
}

/// The code of the nearest value, ties to even; beyond the largest value infinity, or NaN where there is none.
inline uint32_t encode(FloatFormat format, double value) {
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint32_t sign = std::signbit(value) ? 1u << (format.mantissaBits + format.exponentBits) : 0;
  uint32_t ones = (1u << format.exponentBits) - 1;
  uint32_t infinity = ones << format.mantissaBits;
  uint32_t nan =
      format.hasInfinity ? infinity | 1u << (format.mantissaBits - 1) : infinity | ((1u << format.mantissaBits) - 1);
  uint32_t beyond = format.hasInfinity ? infinity : nan;
  if (std::isnan(value))
    return sign | nan;
  if (std::isinf(value))
    return sign | beyond;
  if (value == 0)
    return sign;
  int exponent;
  std::frexp(value, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  // In units of the last place; an increment of the mantissa carries into the exponent as it should.
  double units = std::nearbyint(std::ldexp(std::fabs(value), format.mantissaBits - exponent));
  int64_t code = static_cast<int64_t>(units) + (static_cast<int64_t>(exponent + bias - 1) << format.mantissaBits);
  return sign | (code >= beyond ? beyond : static_cast<uint32_t>(code));
}

/// f64 to f32, where a value beyond the range is infinity and not undefined.
inline float toFloat(double value) {
  if (std::fabs(value) >= 0x1.ffffffp127 && !std::isnan(value))
    return value < 0 ? -INFINITY : INFINITY;
  return static_cast<float>(value);
}

} // namespace fovea::run

#endif // FOVEA_RUN_FLOATS_H
