//===- Attn.h - The attn dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTN_H
#define FOVEA_DIALECT_ATTN_IR_ATTN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fovea/Dialect/Attn/IR/AttnDialect.h.inc"
#include "fovea/Dialect/Attn/IR/AttnEnums.h.inc"

namespace fovea::attn {
/// What `StrategyAttr::with` changes; what has no value stays.
struct StrategyChanges {
  std::optional<int64_t> blockM, blockN, warps, stages, vectorBytes, cluster, scorePart, minBlocks;
  std::optional<bool> packHeads, splitKv, roundP, overlap, persistent, pingpong, interleave, carryScores, longestFirst;
  std::optional<DotUnit> unit;
  std::optional<Rescale> rescale;
  std::optional<RowSums> rowSums;
};
} // namespace fovea::attn

#define GET_ATTRDEF_CLASSES
#include "fovea/Dialect/Attn/IR/AttnAttrs.h.inc"

namespace fovea::attn {
class YieldOp;

/// The symbols of every map and condition in a plan, in order: the op's dimensions, the number of CPU workers or of
/// a GPU's multiprocessors, and the alignment in bytes that all rows of Q, K, V and O share (the largest power of two,
/// at most 128, that divides every base address and every stride but the innermost; the element size where an innermost
/// stride is not 1).
enum class ProblemSymbol : unsigned { Batch, QueryHeads, KVHeads, QueryLength, KVLength, Threads, Alignment };
constexpr unsigned kNumProblemSymbols = 7;

/// What an element of a map of blocks says of its block; a partial one is what is neither of the others.
constexpr int64_t kNeverBlock = 0, kPartialBlock = 1, kFullBlock = 2;

/// Columns of a list of blocks before the numbers of blocks: how many are partial, how many there are, and the block of
/// queries that comes at this place in the order of the rows.
constexpr int64_t kListPartial = 0, kListAll = 1, kListOrder = 2, kListHeader = 3;

/// The expression of one problem symbol.
mlir::AffineExpr getSymbolExpr(ProblemSymbol symbol, mlir::MLIRContext *context);
} // namespace fovea::attn

#include "fovea/Dialect/Attn/IR/AttnInterfaces.h.inc"

#define GET_OP_CLASSES
#include "fovea/Dialect/Attn/IR/AttnOps.h.inc"

#endif // FOVEA_DIALECT_ATTN_IR_ATTN_H
