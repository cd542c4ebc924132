//===- Lanes.h - Lanes that compute a task of scalar code together -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_ATTNTOTILE_LANES_H
#define FOVEA_LIB_CONVERSION_ATTNTOTILE_LANES_H

#include "TileBuilder.h"

namespace fovea::conversion {

/// The lanes that compute a task of scalar code together, by the attribute `attn.lanes` of its op. What they exchange
/// is built by all of them. One lane alone needs none of the ops for that.
class Lanes {
public:
  explicit Lanes(mlir::Operation *op);

  int64_t getCount() const { return count; }
  bool areMany() const { return count > 1; }
  /// Number of the lane, an index.
  mlir::Value getNumber(TileBuilder &b) const;
  /// `at` and, with several lanes, the lane's number.
  mlir::Value getOwn(TileBuilder &b, mlir::Value at) const { return areMany() ? b.add(at, getNumber(b)) : at; }
  mlir::Value reduce(mlir::ImplicitLocOpBuilder &b, tile::LaneReduceKind kind, mlir::Value value) const;
  /// In how many lanes `condition` holds, i32: in those before this one, and in all.
  std::pair<mlir::Value, mlir::Value> countHolding(TileBuilder &b, mlir::Value condition) const;
  /// Goes on in the first lane alone; the guard puts the builder back.
  void enterFirst(TileBuilder &b) const;

private:
  int64_t count;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_ATTNTOTILE_LANES_H
