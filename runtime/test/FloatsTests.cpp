//===- FloatsTests.cpp - Rounding of small float types -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../tools/fovea-run/Floats.h"
#include "../../tools/fovea-run/Random.h"
#include "Test.h"

using namespace fovea::run;

TEST(floatsRoundTrip) {
  for (FloatFormat format : {kF16, kBF16, kF8E4M3FN, kF8E5M2}) {
    uint32_t codes = 2u << (format.exponentBits + format.mantissaBits);
    for (uint32_t code = 0; code < codes; ++code) {
      double value = decode(format, code);
      CHECK(std::isnan(value) ? std::isnan(decode(format, encode(format, value))) : encode(format, value) == code);
    }
  }
}

TEST(floatsRoundToNearestEven) {
  for (FloatFormat format : {kF16, kBF16, kF8E4M3FN, kF8E5M2}) {
    uint32_t last = (1u << (format.exponentBits + format.mantissaBits)) - 1;
    for (uint32_t code = 0; code < last; ++code) {
      double low = decode(format, code), high = decode(format, code + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        break;
      double middle = (low + high) / 2;
      CHECK(encode(format, middle) == (code % 2 ? code + 1 : code));
      CHECK(encode(format, std::nextafter(middle, 0)) == code || middle == 0);
      CHECK(encode(format, std::nextafter(middle, INFINITY)) == code + 1);
    }
  }
}

TEST(floatsBeyondTheRange) {
  CHECK(decode(kF16, encode(kF16, 65504)) == 65504 && decode(kF16, encode(kF16, 65519.9)) == 65504);
  CHECK(std::isinf(decode(kF16, encode(kF16, 65520))) && std::isinf(decode(kF16, encode(kF16, -1e30))));
  CHECK(decode(kF8E4M3FN, encode(kF8E4M3FN, 448)) == 448 && std::isnan(decode(kF8E4M3FN, encode(kF8E4M3FN, 1000))));
  CHECK(std::isinf(decode(kF8E5M2, encode(kF8E5M2, 1e9))) && decode(kF8E5M2, encode(kF8E5M2, 57344)) == 57344);
  CHECK(decode(kBF16, 0x3f80) == 1 && encode(kBF16, 3.140625) == 0x4049);
  CHECK(toFloat(1e300) == INFINITY && toFloat(-1e300) == -INFINITY && std::isnan(toFloat(NAN)));
}

/// The numbers are part of the documentation of --random: another machine must make the same.
TEST(randomNumbersAreFixed) {
  double sum = 0, squares = 0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    double value = getNormal(1, 0, static_cast<uint64_t>(i));
    sum += value;
    squares += value * value;
    int64_t integer = getInteger(1, 2, static_cast<uint64_t>(i), -3, 4);
    CHECK(integer >= -3 && integer <= 4);
  }
  CHECK(std::fabs(sum / count) < 0.02 && std::fabs(squares / count - 1) < 0.02);
  CHECK(getBits(0, 0, 0) == 0x7ab40e090f363a7du && getBits(1, 2, 3) == 0xa21c465b24694130u);
}
