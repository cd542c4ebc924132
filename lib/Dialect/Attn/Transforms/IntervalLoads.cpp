//===- IntervalLoads.cpp - Bounds of what a block of pairs loads -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::attn;

/// Elements that a lane loads at a time: independent loads, which a GPU has in flight together.
static constexpr int64_t kLoadsInFlight = 8;

namespace {
/// The least and the greatest of the elements of a box, an i1 in the way of intervals. Lanes share out its last
/// dimension that varies.
class BoxScanner {
public:
  using Box = IntervalBuilder::Box;

  BoxScanner(Value source, const Box &box, const ScanLanes &lanes) : source(source), box(box), lanes(lanes) {
    for (auto [dim, end] : llvm::enumerate(box.end))
      if (end)
        lastDim = dim;
  }

  /// Folds all elements into `bounds`.
  std::pair<Value, Value> scan(ImplicitLocOpBuilder &b, Value least, Value greatest) {
    Bounds bounds = scanDim(b, 0, {}, {least, greatest});
    if (!isShared())
      return {bounds.least, bounds.greatest};
    bool isBoolean = isBool(least);
    using Kind = ScanLanes::Kind;
    return {lanes.reduce(b, isBoolean ? Kind::And : Kind::Min, bounds.least),
            lanes.reduce(b, isBoolean ? Kind::Or : Kind::Max, bounds.greatest)};
  }

private:
  struct Bounds {
    Value least, greatest;
  };

  static bool isBool(Value value) { return value.getType().isInteger(1); }
  bool isShared() const { return lanes.count > 1 && lastDim; }

  Bounds fold(ImplicitLocOpBuilder &b, const Bounds &bounds, const Bounds &more) {
    if (isBool(bounds.least))
      return {arith::AndIOp::create(b, bounds.least, more.least),
              arith::OrIOp::create(b, bounds.greatest, more.greatest)};
    return {arith::MinSIOp::create(b, bounds.least, more.least),
            arith::MaxSIOp::create(b, bounds.greatest, more.greatest)};
  }

  /// Where the scan of a dimension ends: before it begins if nothing more is to be learned, once both values were seen.
  Value getEnd(ImplicitLocOpBuilder &b, size_t dim, const Bounds &bounds) {
    if (!isBool(bounds.least))
      return box.end[dim];
    Value all = arith::XOrIOp::create(b, bounds.least, arith::ConstantIntOp::create(b, 1, 1));
    Value isDecided = arith::AndIOp::create(b, all, bounds.greatest);
    return arith::SelectOp::create(b, isDecided, box.begin[dim], box.end[dim]);
  }

  using Body = llvm::function_ref<Bounds(ImplicitLocOpBuilder &b, Value at, const Bounds &bounds)>;

  Bounds buildLoop(ImplicitLocOpBuilder &b, Value begin, Value end, int64_t step, const Bounds &bounds, Body body) {
    auto loop = scf::ForOp::create(b, begin, end, arith::ConstantIndexOp::create(b, step),
                                   ValueRange{bounds.least, bounds.greatest},
                                   [&](OpBuilder &nested, Location loc, Value at, ValueRange carried) {
                                     ImplicitLocOpBuilder inner(loc, nested);
                                     Bounds next = body(inner, at, {carried[0], carried[1]});
                                     scf::YieldOp::create(inner, ValueRange{next.least, next.greatest});
                                   });
    return {loop.getResult(0), loop.getResult(1)};
  }

  Bounds scanDim(ImplicitLocOpBuilder &b, size_t dim, SmallVector<Value> indices, const Bounds &bounds) {
    if (dim == box.begin.size()) {
      Value element = isa<MemRefType>(source.getType()) ? memref::LoadOp::create(b, source, indices).getResult()
                                                        : tensor::ExtractOp::create(b, source, indices).getResult();
      return fold(b, bounds, {element, element});
    }
    indices.push_back(box.begin[dim]);
    if (!box.end[dim])
      return scanDim(b, dim + 1, indices, bounds);
    Value end = getEnd(b, dim, bounds);
    if (isShared() && dim == *lastDim)
      return scanShared(b, dim, indices, end, bounds);
    return buildLoop(b, box.begin[dim], end, /*step=*/1, bounds, [&](auto &inner, Value at, const Bounds &carried) {
      indices.back() = at;
      return scanDim(inner, dim + 1, indices, carried);
    });
  }

  /// Each lane takes every `lanes.count`-th element, several in a round. In the last round, where they may be fewer,
  /// lanes behind the end take the last one again, which changes no bound.
  Bounds scanShared(ImplicitLocOpBuilder &b, size_t dim, SmallVector<Value> indices, Value end, const Bounds &bounds) {
    auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value).getResult(); };
    Value begin = box.begin[dim];
    int64_t step = lanes.count * kLoadsInFlight;
    Value extent = arith::MaxSIOp::create(b, arith::SubIOp::create(b, end, begin), constant(0));
    Value whole = arith::AndIOp::create(b, extent, constant(-step)), rest = arith::AddIOp::create(b, begin, whole);
    auto buildRounds = [&](Value first, Value behind, Value last, const Bounds &inits) {
      return buildLoop(b, first, behind, step, inits, [&](auto &inner, Value at, Bounds carried) {
        Value own = arith::AddIOp::create(inner, at, lanes.lane);
        for (int64_t i : llvm::seq(kLoadsInFlight)) {
          Value offset = arith::ConstantIndexOp::create(inner, i * lanes.count);
          indices.back() = arith::AddIOp::create(inner, own, offset);
          if (last)
            indices.back() = arith::MinSIOp::create(inner, indices.back(), last);
          carried = scanDim(inner, dim + 1, indices, carried);
        }
        return carried;
      });
    };
    Bounds wholeRounds = buildRounds(begin, rest, /*last=*/Value(), bounds);
    return buildRounds(rest, end, arith::SubIOp::create(b, end, constant(1)), wholeRounds);
  }

  Value source;
  const Box &box;
  const ScanLanes &lanes;
  std::optional<size_t> lastDim;
};
} // namespace

Interval IntervalBuilder::visitLoad(Operation &op, Value source, ValueRange indices) {
  if (depth == 0 && hasExactOperands(op))
    return cloneExact(op, Interval());
  Value exact = lookup(source).exact;
  if (!exact)
    return getUnknown(op.getResult(0).getType());
  return load(exact, llvm::map_to_vector(indices, [&](Value index) { return lookup(index); }));
}

/// Elements of a box up to which it is counted.
static constexpr int64_t kCountLimit = 1 << 24;

Value IntervalBuilder::addDimension(Box &box, Value source, int64_t dim, const Interval &index, Value count) {
  if (index.exact && depth == 0) {
    box.begin.push_back(index.exact);
    box.end.push_back(Value());
    return count;
  }
  // An index is in bounds by contract, its interval need not be.
  Value size = isa<MemRefType>(source.getType()) ? b.createOrFold<memref::DimOp>(source, dim)
                                                 : b.createOrFold<tensor::DimOp>(source, dim);
  Value zero = constant(0), one = constant(1);
  Value begin = index.isKnown() ? fold<arith::MaxSIOp>(index.lo, zero) : zero;
  Value end = size;
  if (index.isKnown())
    end = fold<arith::AddIOp>(fold<arith::MinSIOp>(index.hi, fold<arith::SubIOp>(size, one)), one);
  box.begin.push_back(begin);
  box.end.push_back(end);
  Value limit = constant(kCountLimit), extent = fold<arith::MaxSIOp>(fold<arith::SubIOp>(end, begin), zero);
  return fold<arith::MinSIOp>(fold<arith::MulIOp>(count, fold<arith::MinSIOp>(extent, limit)), limit);
}

Interval IntervalBuilder::load(Value source, ArrayRef<Interval> indices) {
  Type type = cast<ShapedType>(source.getType()).getElementType();
  if (!type.isIntOrIndex() || (type.isInteger() && type.getIntOrFloatBitWidth() > 64))
    return getUnknown(type);
  Box box;
  Value count = constant(1);
  for (auto [dim, index] : llvm::enumerate(indices))
    count = addDimension(box, source, dim, index, count);
  Value isSmall = less(count, constant(maxLoads), /*orEqual=*/true);
  for (auto [begin, end] : llvm::zip_equal(box.begin, box.end))
    if (end)
      end = b.createOrFold<arith::SelectOp>(isSmall, end, begin);
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto makeConstant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value.getSExtValue()));
  };
  Value greatest = width == 1 ? boolean(true) : makeConstant(APInt::getSignedMaxValue(width));
  Value least = width == 1 ? boolean(false) : makeConstant(APInt::getSignedMinValue(width));
  auto [lo, hi] = BoxScanner(source, box, lanes).scan(b, greatest, least);
  lo = b.createOrFold<arith::SelectOp>(isSmall, lo, least);
  hi = b.createOrFold<arith::SelectOp>(isSmall, hi, greatest);
  if (width == 1)
    return getBounds(lo, hi, 1, true);
  auto toIndex = [&](Value value) {
    return type.isIndex() ? value : b.createOrFold<arith::IndexCastOp>(b.getIndexType(), value);
  };
  return getBounds(toIndex(lo), toIndex(hi), width - 1, /*nonNegative=*/false);
}
