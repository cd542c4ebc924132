//===- Layout.cpp - Addresses of strided tensors -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "Checked.h"

#include <algorithm>
#include <utility>

namespace fovea::runtime {
namespace {

/// A term c * x with 0 <= x <= limit, c > 0.
struct Term {
  int64_t coefficient, limit;
};

/// Looks for integers x_k in their ranges with low <= sum c_k x_k <= high: largest coefficients first, cut where the
/// rest can no longer reach the interval.
class Search {
public:
  void add(int64_t coefficient, int64_t limit) {
    if (coefficient != 0 && limit > 0)
      terms[count++] = {coefficient, limit};
  }

  Overlap run(__int128 low, __int128 high) {
    std::sort(terms, terms + count, [](Term a, Term b) { return a.coefficient > b.coefficient; });
    merge();
    __int128 reach = 0;
    reaches[count] = 0;
    for (int i = count; i-- > 0;)
      reaches[i] = reach += static_cast<__int128>(terms[i].coefficient) * terms[i].limit;
    return visit(0, low, high);
  }

private:
  /// Terms of one coefficient act as one.
  void merge() {
    int last = 0;
    for (int i = 1; i < count; ++i) {
      if (terms[i].coefficient == terms[last].coefficient)
        terms[last].limit += terms[i].limit;
      else
        terms[++last] = terms[i];
    }
    count = count ? last + 1 : 0;
  }

  Overlap visit(int level, __int128 low, __int128 high) {
    if (high < 0 || low > reaches[level])
      return Overlap::None;
    if (low <= 0)
      return Overlap::Some;
    if (level == count)
      return Overlap::None;
    if (--budget < 0)
      return Overlap::Unknown;
    const Term &term = terms[level];
    // c * x must lie in [low - reach of the rest, high].
    __int128 least = std::max<__int128>(low - reaches[level + 1], 0);
    __int128 first = (least + term.coefficient - 1) / term.coefficient;
    __int128 last = std::min<__int128>(high / term.coefficient, term.limit);
    for (__int128 x = first; x <= last; ++x)
      if (Overlap found = visit(level + 1, low - x * term.coefficient, high - x * term.coefficient);
          found != Overlap::None)
        return found;
    return Overlap::None;
  }

  Term terms[16];
  __int128 reaches[17];
  int count = 0;
  int budget = 20000;
};

/// True where each stride clears everything that the smaller ones reach: the usual case, decided without a search.
bool isNested(const Layout &layout) {
  std::pair<int64_t, int64_t> dims[8];
  int count = 0;
  for (int i = 0; i < layout.rank; ++i)
    if (layout.sizes[i] > 1)
      dims[count++] = {std::abs(layout.strides[i]), layout.sizes[i] - 1};
  std::sort(dims, dims + count);
  __int128 reach = layout.elementSize - 1;
  for (int i = 0; i < count; ++i) {
    if (dims[i].first <= reach)
      return false;
    reach += static_cast<__int128>(dims[i].first) * dims[i].second;
  }
  return true;
}

} // namespace

bool getExtent(const Layout &layout, uint64_t *begin, uint64_t *end) {
  __int128 low = layout.base, high = static_cast<__int128>(layout.base) + layout.elementSize;
  for (int i = 0; i < layout.rank; ++i) {
    __int128 reach = static_cast<__int128>(layout.sizes[i] - 1) * layout.strides[i];
    (reach < 0 ? low : high) += reach;
  }
  if (low < 0 || high > INT64_MAX)
    return false;
  *begin = static_cast<uint64_t>(low);
  *end = static_cast<uint64_t>(high);
  return true;
}

Overlap findSelfOverlap(const Layout &layout) {
  if (isNested(layout))
    return Overlap::None;
  // Two elements differ by d_k in each dimension, |d_k| < n_k. For the first d_k that is not 0, taken positive, look
  // for the others: y_k = d_k + n_k - 1 is in [0, 2 (n_k - 1)].
  for (int first = 0; first < layout.rank; ++first) {
    if (layout.sizes[first] < 2)
      continue;
    Search search;
    int64_t stride = std::abs(layout.strides[first]);
    __int128 shift = stride;
    search.add(stride, layout.sizes[first] - 2);
    for (int i = first + 1; i < layout.rank; ++i) {
      search.add(std::abs(layout.strides[i]), 2 * (layout.sizes[i] - 1));
      shift -= static_cast<__int128>(std::abs(layout.strides[i])) * (layout.sizes[i] - 1);
    }
    int64_t reach = layout.elementSize - 1;
    Overlap found = search.run(-reach - shift, reach - shift);
    if (found != Overlap::None)
      return found;
  }
  return Overlap::None;
}

Overlap findOverlap(const Layout &a, const Layout &b) {
  uint64_t beginA, endA, beginB, endB;
  if (!getExtent(a, &beginA, &endA) || !getExtent(b, &beginB, &endB))
    return Overlap::Unknown;
  if (endA <= beginB || endB <= beginA)
    return Overlap::None;
  // With all strides positive, a = beginA + sum s x and b = (endB - size) - sum t y; they meet where the distance of
  // the two is less than an element.
  Search search;
  for (int i = 0; i < a.rank; ++i)
    search.add(std::abs(a.strides[i]), a.sizes[i] - 1);
  for (int i = 0; i < b.rank; ++i)
    search.add(std::abs(b.strides[i]), b.sizes[i] - 1);
  __int128 distance = static_cast<__int128>(endB) - b.elementSize - beginA;
  return search.run(distance - a.elementSize + 1, distance + b.elementSize - 1);
}

} // namespace fovea::runtime
