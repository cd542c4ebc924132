//===- TileLowering.h - State of the lowering of one kernel from tiles to loops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_TILETOCPU_TILELOWERING_H
#define FOVEA_LIB_TARGET_CPU_TILETOCPU_TILELOWERING_H

#include "Machine.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace fovea::cpu {

/// How the elements of a tile lie in scratch.
///   Rows       row-major, rows padded to whole vectors (`step` elements from row to row)
///   RowPanels  panels of `step` rows; in a panel the columns one after the other: vectors run along the rows
///   ColPanels  panels of `step` columns; in a panel the rows one after the other: vectors run along the columns
///   Cols       column-major (`step` words from column to column): pairs alone
enum class Layout { Rows, RowPanels, ColPanels, Cols };

/// A tile in scratch: a memref of rank 1. Booleans are stored as i8, 16-bit floats as the f32 of the same value, or as
/// pairs: words of two neighbours of a row (of a column with `Cols`), the first one in the low half. Of pairs,
/// `memref` has the halves, and `cols` and `step` count words; what is no element is 0.
struct Buffer {
  mlir::Value memref;
  Layout layout = Layout::Rows;
  int64_t rows = 0, cols = 1;
  int64_t step = 1;
  /// Pairs alone: the same memory as words.
  mlir::Value words;
  /// Whether the memory holds one row panel, that of the present turn of a loop over panels (`fusesPanels`).
  bool isOnePanel = false;
  bool isWide() const { return layout == Layout::RowPanels; }
  bool isPairs() const { return static_cast<bool>(words); }
};

/// How a product of panels multiplies: floats; floats whose products and sums are f64; pairs of bf16 in one
/// instruction; pairs of bf16 widened to f32.
enum class Multiply { Floats, Doubles, Pairs, WidenedPairs };

/// A product whose vectors run along panels of the left side's rows: result[r, c] = acc[r, c] + sum of lhs[r, k] *
/// rhs[c, k]. The last two are floats or pairs along k; `validCols` of the right side's rows are data.
struct PanelProduct {
  mlir::Value acc;
  /// Columns of the result.
  int64_t cols;
  Buffer lhs, rhs, result;
  mlir::Value validCols;
  Multiply multiply = Multiply::Floats;
  bool isExact() const { return multiply == Multiply::Doubles; }
  /// Columns that are computed at once.
  int64_t group = 1;
};

/// A group of rows that is computed at once: one row (vectors run along the columns), or one vector of rows of a row
/// panel. `values` caches the values that are one per row, as vectors of `width` elements.
struct RowPosition {
  mlir::Value row;
  /// Number of the row panel and lane of `row` in it; null for single rows.
  mlir::Value panel;
  int64_t lane = 0;
  int64_t width = 1;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  bool isAlongRows() const { return static_cast<bool>(panel); }
};

/// A vector of a tile of rank 2: at `rows`, from column `col` on. `values` caches what was computed there.
struct Position {
  RowPosition *rows;
  mlir::Value col;
  int64_t width;
  llvm::DenseMap<mlir::Value, mlir::Value> values = llvm::DenseMap<mlir::Value, mlir::Value>();
};

/// Something that has to be computed: a transfer, a product, a reduction, or a value that is kept in scratch. A root of
/// stage n reads scratch that roots of lower stages write.
struct Root {
  mlir::Operation *op = nullptr; // load, dot, row_reduce or store; null: `value` is written to `buffer`
  mlir::Value value;
  Buffer buffer;
  int64_t stage = 0;
  /// Whether `value` is read from `buffer` from then on; otherwise `buffer` is a copy of it.
  bool isDefinition = false;
};

/// A strided source or destination in the caller's memory, seen as a flat memref of the element type.
struct Span {
  mlir::Value flat;      // memref<?xT, strided<[1], offset: ?>>, T as `getMemoryType` says
  mlir::Type element;    // the element type of the tile
  mlir::Value rowStride; // elements from one row of the tile to the next
  mlir::Value colStride;
  mlir::Value start;     // element (0, 0) of the tile, from the start of `flat`
  mlir::Value validRows; // rows and columns inside the limits
  mlir::Value validCols;
  mlir::Value isUnit; // i1: colStride is 1
  int64_t cols = 0;   // columns that the memory has, where its type says so
};

/// Lowers the tiles of one function. The body is built anew beside the old one.
class TileLowering {
public:
  TileLowering(mlir::func::FuncOp func, const Machine &machine);
  mlir::LogicalResult run();

private:
  // Analysis.cpp: what is known before code is made.
  mlir::LogicalResult analyze();
  mlir::LogicalResult requireLayout(mlir::Value tile, Layout layout, mlir::Operation *user);
  void unifyLayouts(mlir::Operation *op);
  void unify(mlir::Value lhs, mlir::Value rhs);
  Layout getLayout(mlir::Value tile);
  /// Whether `tile` is read where it was not computed, so that it must be kept in scratch.
  bool needsBuffer(mlir::Value tile);
  bool isCheapEverywhere(mlir::Value tile, int64_t budget);
  /// Whether the products that read the load can read the caller's memory.
  bool isReadInPlace(tile::LoadOp load);
  /// Whether all products can be made of pairs of bf16.
  bool canUsePairs(llvm::ArrayRef<tile::DotOp> dots);
  bool canPairOperands(tile::DotOp dot);
  mlir::LogicalResult requireDotLayouts(tile::DotOp dot);

  // Blocks.cpp: blocks and loops.
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerRegionOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult yieldTo(mlir::Operation *yield, mlir::ValueRange targets);
  Buffer getLoopBuffer(mlir::Value init, mlir::Value arg);
  void addCopy(mlir::Value value, const Buffer &buffer, int64_t stage);
  Buffer allocate(mlir::Value tile, Layout layout, bool isOnePanel = false);
  Buffer allocatePairs(mlir::Value tile, Layout layout, bool isOnePanel = false);
  int64_t getPaddedRows(const Buffer &buffer);
  int64_t getPaddedCols(const Buffer &buffer);

  // Stages.cpp: what is computed between two loops of the source, and in which order.
  mlir::LogicalResult flush();
  void addRoot(mlir::Operation *op);
  void addKept(mlir::Value value);
  void addPairs(tile::DotOp dot);
  bool keepSharedValue();
  void walkLazy(mlir::Value tile, llvm::DenseSet<mlir::Value> &seen);
  bool isPending(mlir::Value tile);
  static bool isBarrier(mlir::Operation *op);
  /// The stage in which `op` runs, and the first one in which `tile` can be computed or read.
  int64_t getRootStage(mlir::Operation *op);
  int64_t getStage(mlir::Value tile);
  Buffer getDestination(mlir::Value value);
  bool isReadByAccumulator(mlir::Value tile, tile::DotOp dot);
  bool canFusePanels();
  bool isReadInStages(mlir::Value tile);
  mlir::LogicalResult emitStages();
  mlir::LogicalResult emitFusedPanels();
  mlir::LogicalResult emitBarrier(Root &root);

  // Rows.cpp: loops over rows and columns.
  void emitRowRoots(llvm::ArrayRef<llvm::SmallVector<Root *>> stages);
  void emitRowGroups(llvm::ArrayRef<llvm::SmallVector<Root *>> stages, int64_t rows);
  void emitPanelStage(llvm::ArrayRef<Root *> stage, mlir::Value panel);
  void emitPanel(llvm::ArrayRef<Root *> stage, mlir::Value panel);
  void emitSingleRow(llvm::ArrayRef<Root *> stage, mlir::Value row);
  void emitDomains(llvm::ArrayRef<Root *> stage, llvm::MutableArrayRef<RowPosition> rows);
  void emitPerRow(const Root &root, RowPosition &rows);
  void emitColumns(llvm::ArrayRef<Root *> stage, llvm::MutableArrayRef<RowPosition> rows, int64_t cols);
  void emitAt(llvm::ArrayRef<Root *> stage, Position &at, llvm::MutableArrayRef<mlir::Value> running);
  void prepareRows(mlir::Value tile, RowPosition &rows, llvm::DenseSet<mlir::Value> &seen);
  void finish(llvm::ArrayRef<Root *> stage);
  void finishReductions(llvm::ArrayRef<Root *> stage, llvm::MutableArrayRef<RowPosition> rows,
                        llvm::ArrayRef<mlir::Value> running, int64_t unroll);
  mlir::Value combine(tile::ReduceKind kind, mlir::Value value, mlir::Value running);
  mlir::Value maskColumns(tile::RowReduceOp reduce, mlir::Value vector, Position &at);
  Span getStoreSpan(tile::StoreOp store);
  void writePair(const Buffer &buffer, mlir::Value vector, Position &at);

  // PanelStores.cpp: stores of tiles in row panels.
  void emitPanelStore(tile::StoreOp store, RowPosition &rows);
  void emitStoreSquare(const Span &span, mlir::Value row, mlir::Value col, llvm::ArrayRef<mlir::Value> vectors);

  // Evaluate.cpp: the value of a tile at a position (`at` is null for tiles of rank 1).
  mlir::Value evaluateAt(mlir::Value tile, RowPosition &rows, Position *at);
  mlir::Value evaluateOp(mlir::Operation *op, RowPosition &rows, Position *at, int64_t width);
  mlir::Value evaluateIota(tile::IotaOp iota, RowPosition &rows, Position *at, int64_t width);
  mlir::Value evaluateExtension(mlir::Operation *op, RowPosition &rows, Position *at, int64_t width);
  mlir::Value evaluateElementwise(mlir::Operation *op, RowPosition &rows, Position *at, int64_t width);
  mlir::Value evaluateGather(tile::GatherOp gather, RowPosition &rows, Position *at, int64_t width);
  mlir::Value gatherLane(mlir::Value flat, mlir::Value position, mlir::Value mask, mlir::Value result, int64_t lane);
  mlir::Value readBuffer(const Buffer &buffer, RowPosition &rows, Position *at, int64_t width);
  void writeBuffer(const Buffer &buffer, mlir::Value vector, RowPosition &rows, Position *at);
  mlir::Value getPanelOffset(const Buffer &buffer, mlir::Value panel);
  mlir::Value getOffset(const Buffer &buffer, RowPosition &rows, Position *at);
  mlir::Value toStorage(mlir::Value vector);
  mlir::Value fromStorage(mlir::Value vector, mlir::Type element);

  // Transfers.cpp: between the caller's memory and scratch.
  mlir::Value flatten(mlir::memref::ExtractStridedMetadataOp metadata);
  Span getSpan(mlir::Value memref, mlir::ValueRange indices, mlir::Value rowLimit, mlir::Value colLimit, int64_t rowDim,
               mlir::RankedTensorType tile);
  Span getBufferSpan(const Buffer &buffer);
  mlir::Value getElementAddress(const Span &span, mlir::Value row, mlir::Value col);
  mlir::Value getElementOffset(const Buffer &buffer, mlir::Value row, mlir::Value col);
  /// Between an element or vector as it is moved and as it is computed with.
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);
  mlir::Value toMemory(mlir::Value value);
  mlir::Value getStorageZero(const Buffer &buffer);
  Span emitLoad(tile::LoadOp load, const Buffer &buffer);
  void emitLoadRow(const Span &span, const Buffer &buffer, mlir::Value row, mlir::Value first, bool vectors);
  void emitLoadPanels(const Span &span, const Buffer &buffer);
  mlir::Value loadSpan(const Span &span, mlir::Value row, mlir::Value col);
  llvm::SmallVector<mlir::Value> transpose(llvm::SmallVector<mlir::Value> vectors);
  void emitZeros(const Buffer &buffer, mlir::Value row, mlir::Value firstCol);

  // PairTransfers.cpp: from the caller's memory to pairs in scratch.
  void emitLoadPairs(const Span &span, const Buffer &buffer);
  void emitZeroFill(const Buffer &buffer, bool isAlways, const Span &span);
  void emitPairElements(const Span &span, const Buffer &buffer, mlir::Value row, mlir::Value begin);
  void emitPairSquare(const Span &span, const Buffer &buffer, mlir::Value row, mlir::Value col);
  mlir::Value emitHasSmall(const Buffer &buffer);
  void emitStoreVector(const Span &span, mlir::Value vector, RowPosition &rows, Position *at);
  void emitStoreLanes(const Span &span, mlir::Value vector, RowPosition &rows, Position *at);

  // Dots.cpp: products of blocks of queries.
  void emitDot(tile::DotOp dot, const Buffer &result);
  void forEachPanel(llvm::function_ref<void(mlir::Value)> body);
  void emitPanelProduct(const PanelProduct &product, mlir::Value panel);
  llvm::SmallVector<mlir::Value> emitStretch(const PanelProduct &product, mlir::Value panel, mlir::Value col,
                                             mlir::Value begin, int64_t length, llvm::ArrayRef<mlir::Value> init);
  mlir::Value multiplyAdd(Multiply kind, mlir::Value lhs, mlir::Value rhs, mlir::Value acc);
  void emitPanelKernel(const PanelProduct &product, mlir::Value panel, mlir::Value col, int64_t cols);
  void emitPanelInit(const PanelProduct &product, mlir::Value panel, mlir::Value col);
  void emitWideUpdate(tile::DotOp dot, const Buffer &result);
  void emitUpdateKernel(tile::DotOp dot, const Buffer &result, mlir::Value panel, mlir::Value colPanel,
                        mlir::Value group);
  mlir::Value getActiveRows(int64_t rows);
  llvm::SmallVector<RowPosition> getPanelRows(mlir::Value panel);

  // PairDots.cpp: products of pairs of bf16.
  void emitPairDot(tile::DotOp dot, const Buffer &result, mlir::Value panel);
  void emitTileProduct(const PanelProduct &product, mlir::Value panel);
  void emitTileKernel(const PanelProduct &product, mlir::Value panel, mlir::Value col);
  mlir::Value requestTiles();

  // RowDots.cpp: products of few rows.
  void emitRowDot(tile::DotOp dot, const Buffer &result);
  void emitRowScores(tile::DotOp dot, const Span &rhs, const Buffer &result);
  void emitRowScoreKernel(tile::DotOp dot, const Span &rhs, const Buffer &result, mlir::Value row, mlir::Value key,
                          int64_t keys);
  void emitRowInit(tile::DotOp dot, const Buffer &result, mlir::Value row, mlir::Value first);
  void emitRowUpdate(tile::DotOp dot, const Span &rhs, const Buffer &result);
  void emitRowUpdateKernel(tile::DotOp dot, const Span &rhs, const Buffer &result, mlir::Value row, mlir::Value col,
                           int64_t cols);
  mlir::Value loadPart(mlir::Value memref, mlir::Type element, mlir::Value offset, int64_t width, int64_t valid);

  // Builders.cpp: short forms.
  mlir::Value scalar(mlir::Value value) { return mapping.lookupOrDefault(value); }
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value lhs, int64_t rhs);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value minimum(mlir::Value lhs, mlir::Value rhs);
  /// `value` limited to [0, upper].
  mlir::Value clamp(mlir::Value value, int64_t upper);
  mlir::Value fma(mlir::Value a, mlir::Value x, mlir::Value c);
  mlir::Value zeros(int64_t width);
  mlir::Value toDoubles(mlir::Value floats);
  mlir::Value toFloats(mlir::Value doubles);
  mlir::Value splat(mlir::Value value, int64_t width);
  mlir::Value loadVector(mlir::Value memref, mlir::Value offset, int64_t width);
  mlir::Value loadBroadcast(mlir::Value memref, mlir::Value offset, int64_t width);
  void storeVector(mlir::Value vector, mlir::Value memref, mlir::Value offset);
  /// A loop over [begin, end) with a body of the induction variable and the loop-carried values.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  void loop(mlir::Value begin, mlir::Value end, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  /// Builds before the terminator of `block`.
  void inside(mlir::Block *block, llvm::function_ref<void()> body);

  mlir::func::FuncOp func;
  const Machine machine;
  mlir::ImplicitLocOpBuilder b;
  mlir::IRMapping mapping;
  /// Where the allocations of scratch go.
  mlir::Block *entry = nullptr;
  /// Classes of tiles that share a layout, and the layout of a class by its leader.
  llvm::EquivalenceClasses<void *> classes;
  llvm::DenseMap<void *, Layout> layouts;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Tiles whose buffer holds their value at the present place.
  llvm::DenseSet<mlir::Value> ready;
  /// Tiles that are computed into scratch although an expression could be computed where it is used.
  llvm::DenseSet<mlir::Value> kept;
  /// Rows inside the limit of a loaded tile.
  llvm::DenseMap<mlir::Value, mlir::Value> validRows;
  /// Rows of the block of queries; whether it is computed in row panels.
  int64_t blockRows = 0;
  bool wide = false;
  /// Whether products are made of pairs of bf16; then accumulators are in row panels too.
  bool usesPairs = false;
  /// i1: whether the operating system denies the process tile registers.
  mlir::Value areTilesDenied;
  /// i1 of each tile that is loaded as pairs: whether it has a number that products of pairs may flush to 0.
  llvm::DenseMap<mlir::Value, mlir::Value> hasSmall;
  /// The left sides that were computed, as pairs, and the vectors of even columns that wait for their neighbours.
  llvm::DenseMap<mlir::Operation *, Buffer> pairs;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> evenVectors;
  /// Whether what is pending is computed panel after panel, so that scores and weights stay in the first-level cache.
  bool fusesPanels = false;
  /// The load whose row limit is that of all stores, and the rows inside it once that is known.
  tile::LoadOp queryLoad;
  mlir::Value activeRows;

  // Since the last loop of the source: operations to be computed, roots made of them, values that end the block.
  llvm::SmallVector<mlir::Operation *> pending;
  llvm::DenseSet<mlir::Operation *> pendingSet;
  llvm::SmallVector<Root> roots;
  llvm::SmallVector<std::pair<mlir::Value, Buffer>> yields;
  llvm::DenseMap<mlir::Value, int64_t> stages;
};

/// Whether a value is a tile.
inline bool isTile(mlir::Value value) { return llvm::isa<mlir::RankedTensorType>(value.getType()); }
inline mlir::RankedTensorType getTileType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline bool hasTiles(mlir::Operation *op) {
  return llvm::any_of(op->getOperands(), isTile) || llvm::any_of(op->getResults(), isTile);
}
/// Whether the op works element by element, so that a vector of its result needs the same vectors of its operands.
bool isElementwise(mlir::Operation *op);
/// The type of an element in scratch.
mlir::Type getStorageType(mlir::Type element);
/// The type as which an element in the caller's memory is moved: integers for 16-bit floats and booleans, because LLVM
/// may convert the former on the way and packs vectors of the latter.
mlir::Type getMemoryType(mlir::Type element);

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_TILETOCPU_TILELOWERING_H
