//===- Loops.cpp - Loops of a computation and positions in tensors -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::conversion;

LoopId LoopSpace::add(Value tensor, unsigned dim) {
  loops.push_back({cast<ShapedType>(tensor.getType()).getDimSize(dim), tensor, dim, {}});
  return loops.size() - 1;
}

LoopId LoopSpace::add(int64_t size) {
  loops.push_back({size, Value(), 0, {}});
  return loops.size() - 1;
}

void LoopSpace::flattenInto(ArrayRef<LoopId> position, Position &result) const {
  for (LoopId loop : position) {
    if (!loops[loop].parts.empty())
      flattenInto(loops[loop].parts, result);
    else if (loops[loop].size != 1)
      result.push_back(loop);
  }
}

Position LoopSpace::flatten(ArrayRef<LoopId> position) const {
  Position result;
  flattenInto(position, result);
  return result;
}

Positions LoopSpace::flattenAll(ArrayRef<Position> positions) const {
  return llvm::map_to_vector<4>(positions, [&](const Position &position) { return flatten(position); });
}

/// Whether each loop has the size of its dimension. All but one size must be known; the products are the same.
bool LoopSpace::fitsOneToOne(ArrayRef<LoopId> position, ShapedType type, ArrayRef<int64_t> dims) const {
  if (position.size() != dims.size())
    return false;
  unsigned numUnknown = 0;
  for (auto [loop, dim] : llvm::zip(position, dims)) {
    int64_t loopSize = loops[loop].size, dimSize = type.getDimSize(dim);
    bool isUnknown = ShapedType::isDynamic(loopSize) || ShapedType::isDynamic(dimSize);
    numUnknown += isUnknown;
    if (!isUnknown && loopSize != dimSize)
      return false;
  }
  return numUnknown <= 1;
}

/// Takes the innermost loops off `position` that together have `size` iterations; splits one that has more.
std::optional<Position> LoopSpace::takeInnermost(Position &position, int64_t size) {
  Position taken;
  while (size > 1) {
    if (position.empty() || ShapedType::isDynamic(loops[position.back()].size))
      return std::nullopt;
    LoopId loop = position.pop_back_val();
    int64_t loopSize = loops[loop].size;
    if (loopSize > size && loopSize % size == 0) {
      LoopId outer = add(loopSize / size), inner = add(size);
      loops[loop].parts = {outer, inner};
      position.push_back(outer);
      loop = inner;
      loopSize = size;
    }
    if (loopSize == 0 || size % loopSize != 0)
      return std::nullopt;
    taken.insert(taken.begin(), loop);
    size /= loopSize;
  }
  return taken;
}

std::optional<Positions> LoopSpace::distribute(ArrayRef<LoopId> position, Value tensor, ArrayRef<int64_t> dims) {
  auto type = cast<ShapedType>(tensor.getType());
  SmallVector<int64_t> open = llvm::filter_to_vector(dims, [&](int64_t dim) { return type.getDimSize(dim) != 1; });
  Position rest = flatten(position);
  llvm::SmallDenseMap<int64_t, Position> found;
  if (rest.empty() != open.empty())
    return std::nullopt;
  if (rest.size() == 1 && open.size() > 1) {
    LoopId loop = rest.front();
    Position parts = llvm::map_to_vector<2>(open, [&](int64_t dim) { return add(tensor, dim); });
    rest = loops[loop].parts = parts;
  }
  bool isOneToOne = fitsOneToOne(rest, type, open);
  while (!open.empty()) {
    int64_t dim = open.pop_back_val(), size = type.getDimSize(dim);
    if (isOneToOne) {
      found[dim] = {rest.pop_back_val()};
      continue;
    }
    if (open.empty()) {
      found[dim] = rest;
      break;
    }
    std::optional<Position> taken = ShapedType::isDynamic(size) ? std::nullopt : takeInnermost(rest, size);
    if (!taken || rest.empty())
      return std::nullopt;
    found[dim] = *taken;
  }
  return llvm::map_to_vector<4>(dims, [&](int64_t dim) { return found.lookup(dim); });
}

void LoopSpace::learnSizes(Value tensor, ArrayRef<Position> positions) {
  auto type = cast<ShapedType>(tensor.getType());
  for (auto [dim, position] : llvm::enumerate(positions))
    if (Position flat = flatten(position); flat.size() == 1 && ShapedType::isDynamic(loops[flat.front()].size))
      loops[flat.front()].size = type.getDimSize(dim);
}

void LoopSpace::readSizesFrom(Value tensor, ArrayRef<Position> positions) {
  for (auto [dim, position] : llvm::enumerate(positions)) {
    Position flat = flatten(position);
    if (flat.size() != 1)
      continue;
    loops[flat.front()].tensor = tensor;
    loops[flat.front()].dim = dim;
  }
}

int64_t LoopSpace::getStaticSize(ArrayRef<LoopId> position) const {
  int64_t product = 1;
  for (LoopId loop : flatten(position)) {
    if (ShapedType::isDynamic(loops[loop].size))
      return ShapedType::kDynamic;
    product *= loops[loop].size;
  }
  return product;
}

OpFoldResult LoopSpace::getSize(OpBuilder &b, Location loc, LoopId loop) const {
  const Loop &info = loops[loop];
  if (!ShapedType::isDynamic(info.size))
    return b.getIndexAttr(info.size);
  return tensor::getMixedSize(b, loc, info.tensor, info.dim);
}
