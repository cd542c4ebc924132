//===- Relayout.cpp - Tensors in another order of loops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relayout.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::conversion;

/// Whether a dimension is made of several loops, of none, ...
static SmallVector<ReassociationIndices> groupBySize(ArrayRef<Position> positions) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (const Position &position : positions) {
    ReassociationIndices group;
    for (size_t n = 0, e = std::max<size_t>(position.size(), 1); n < e; ++n)
      group.push_back(next++);
    groups.push_back(group);
  }
  return groups;
}

/// Groups of dimensions of which each has one that stands for loops; the others have size 1.
static SmallVector<ReassociationIndices> groupUnits(ArrayRef<Position> positions) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices open;
  for (auto [dim, position] : llvm::enumerate(positions)) {
    open.push_back(dim);
    if (position.empty())
      continue;
    groups.push_back(open);
    open.clear();
  }
  if (!groups.empty())
    groups.back().append(open);
  return groups;
}

static bool hasLoops(const Position &position) { return !position.empty(); }
static bool hasManyLoops(const Position &position) { return position.size() > 1; }

static Value expand(ImplicitLocOpBuilder &b, Value source, ArrayRef<ReassociationIndices> groups,
                    ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(source.getType());
  auto result =
      RankedTensorType::get(decomposeMixedValues(SmallVector<OpFoldResult>(sizes)).first, type.getElementType());
  return tensor::ExpandShapeOp::create(b, result, source, groups, sizes);
}

SmallVector<OpFoldResult> fovea::conversion::getSizes(ImplicitLocOpBuilder &b, const LoopSpace &loops,
                                                      ArrayRef<Position> positions) {
  SmallVector<OpFoldResult> sizes;
  for (const Position &position : positions) {
    OpFoldResult size = b.getIndexAttr(1);
    AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
    for (LoopId loop : position)
      size = affine::makeComposedFoldedAffineApply(b, b.getLoc(), product, {size, loops.getSize(b, b.getLoc(), loop)});
    sizes.push_back(size);
  }
  return sizes;
}

/// Groups of dimensions of `fine` that stand each for one dimension of `coarse`; none where there are no such groups.
static std::optional<SmallVector<ReassociationIndices>> groupInto(ArrayRef<Position> coarse, ArrayRef<Position> fine) {
  SmallVector<ReassociationIndices> groups;
  size_t next = 0;
  for (const Position &whole : coarse) {
    ReassociationIndices group;
    Position joined;
    while (next < fine.size() && (group.empty() || joined.size() < whole.size())) {
      joined.append(fine[next]);
      group.push_back(next++);
    }
    if (group.empty() || joined != whole)
      return std::nullopt;
    groups.push_back(group);
  }
  for (; next < fine.size() && !groups.empty(); ++next) {
    if (!fine[next].empty())
      return std::nullopt;
    groups.back().push_back(next);
  }
  return groups.empty() ? std::nullopt : std::optional(groups);
}

/// Sizes of the dimensions `to` that `source` is expanded to by `groups`.
static SmallVector<OpFoldResult> getExpandedSizes(ImplicitLocOpBuilder &b, const LoopSpace &loops, Value source,
                                                  ArrayRef<Position> to, ArrayRef<ReassociationIndices> groups) {
  SmallVector<OpFoldResult> sizes(to.size(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sourceSizes = tensor::getMixedSizes(b, b.getLoc(), source);
  for (auto [size, group] : llvm::zip(sourceSizes, groups)) {
    bool isWhole = llvm::count_if(group, [&](int64_t dim) { return hasLoops(to[dim]); }) == 1;
    for (int64_t dim : group)
      if (hasLoops(to[dim]))
        sizes[dim] = isWhole ? size : getSizes(b, loops, {to[dim]}).front();
  }
  return sizes;
}

/// One dimension for each loop.
static Value flattenDims(ImplicitLocOpBuilder &b, const LoopSpace &loops, Value source, ArrayRef<Position> from) {
  if (llvm::any_of(from, hasManyLoops)) {
    SmallVector<OpFoldResult> sizes, sourceSizes = tensor::getMixedSizes(b, b.getLoc(), source);
    for (auto [position, size] : llvm::zip(from, sourceSizes)) {
      if (position.size() < 2)
        sizes.push_back(size);
      else
        for (LoopId loop : position)
          sizes.push_back(loops.getSize(b, b.getLoc(), loop));
    }
    source = expand(b, source, groupBySize(from), sizes);
  }
  if (llvm::all_of(from, hasLoops))
    return source;
  Positions single;
  for (const Position &position : from) {
    if (position.empty())
      single.emplace_back();
    for (LoopId loop : position)
      single.push_back({loop});
  }
  return tensor::CollapseShapeOp::create(b, source, groupUnits(single));
}

static Value transpose(ImplicitLocOpBuilder &b, Value source, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return source;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), source), permuted;
  for (int64_t dim : permutation)
    permuted.push_back(sizes[dim]);
  Value init = tensor::EmptyOp::create(b, permuted, getElementTypeOrSelf(source.getType()));
  return linalg::TransposeOp::create(b, source, init, permutation)->getResult(0);
}

/// From one dimension for each loop to the positions `to`.
static Value groupDims(ImplicitLocOpBuilder &b, Value source, ArrayRef<Position> to) {
  if (llvm::any_of(to, hasManyLoops)) {
    Positions loopsOnly(llvm::make_filter_range(to, hasLoops));
    source = tensor::CollapseShapeOp::create(b, source, groupBySize(loopsOnly));
  }
  if (llvm::all_of(to, hasLoops))
    return source;
  SmallVector<OpFoldResult> sizes, present = tensor::getMixedSizes(b, b.getLoc(), source);
  auto *next = present.begin();
  for (const Position &position : to)
    sizes.push_back(position.empty() ? OpFoldResult(b.getIndexAttr(1)) : *next++);
  return expand(b, source, groupUnits(to), sizes);
}

Value fovea::conversion::relayout(ImplicitLocOpBuilder &b, const LoopSpace &loops, Value source,
                                  ArrayRef<Position> from, ArrayRef<Position> to) {
  Positions flatFrom = loops.flattenAll(from), flatTo = loops.flattenAll(to);
  if (flatFrom == flatTo)
    return source;
  Position present, wanted;
  for (const Position &position : flatFrom)
    present.append(position);
  for (const Position &position : flatTo)
    wanted.append(position);
  if (auto groups = groupInto(flatFrom, flatTo))
    return expand(b, source, *groups, getExpandedSizes(b, loops, source, flatTo, *groups));
  if (auto groups = groupInto(flatTo, flatFrom))
    return tensor::CollapseShapeOp::create(b, source, *groups);
  Value result = flattenDims(b, loops, source, flatFrom);
  SmallVector<int64_t> permutation, missing;
  for (auto [dim, loop] : llvm::enumerate(wanted)) {
    auto *it = llvm::find(present, loop);
    if (it == present.end())
      missing.push_back(dim);
    else
      permutation.push_back(it - present.begin());
  }
  result = transpose(b, result, permutation);
  if (!missing.empty()) {
    Positions single = llvm::map_to_vector<4>(wanted, [](LoopId loop) { return Position{loop}; });
    Value init = tensor::EmptyOp::create(b, getSizes(b, loops, single), getElementTypeOrSelf(source.getType()));
    result = linalg::BroadcastOp::create(b, result, init, missing)->getResult(0);
  }
  return groupDims(b, result, flatTo);
}
