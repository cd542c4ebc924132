//===- TileOps.cpp - Operations of the attn_tile dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace fovea::tile;

#define GET_OP_CLASSES
#include "fovea/Dialect/Tile/IR/TileOps.cpp.inc"

static RankedTensorType getTileType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Checks what loads and stores share: one index per dimension, a row dimension that exists, rank 1 or 2, columns that
/// are not the rows, a power of two as alignment.
static LogicalResult verifyTransfer(Operation *op, MemRefType memref, RankedTensorType tile, size_t numIndices,
                                    int64_t rowDim, bool hasColumnLimit, int64_t alignment) {
  if (static_cast<int64_t>(numIndices) != memref.getRank())
    return op->emitOpError() << "has " << numIndices << " indices for a memref of rank " << memref.getRank();
  if (tile.getRank() != 1 && tile.getRank() != 2)
    return op->emitOpError() << "needs a tile of rank 1 or 2, but got rank " << tile.getRank();
  if (rowDim < 0 || rowDim >= memref.getRank())
    return op->emitOpError() << "has row_dim " << rowDim << " for a memref of rank " << memref.getRank();
  if (tile.getRank() == 2 && rowDim == memref.getRank() - 1)
    return op->emitOpError() << "has row_dim " << rowDim << ", the dimension of the columns";
  if (tile.getRank() == 1 && hasColumnLimit)
    return op->emitOpError() << "limits the columns of a tile of rank 1";
  if (tile.getElementType() != memref.getElementType())
    return op->emitOpError() << "moves elements of type " << memref.getElementType() << " as " << tile.getElementType();
  if (!llvm::isPowerOf2_64(alignment))
    return op->emitOpError() << "has alignment " << alignment << ", must be a power of two";
  return success();
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

static LogicalResult verifyLanes(Operation *op, int64_t lanes) {
  if (lanes < 1 || lanes > 32 || !llvm::isPowerOf2_64(lanes))
    return op->emitOpError() << "needs a power of two of lanes from 1 to 32, but has " << lanes;
  return success();
}

LogicalResult ProgramIdOp::verify() { return verifyLanes(*this, getLanes()); }

LogicalResult LaneOp::verify() { return verifyLanes(*this, getLanes()); }

LogicalResult CountLanesOp::verify() { return verifyLanes(*this, getLanes()); }

LogicalResult ReduceLanesOp::verify() {
  Type type = getValue().getType();
  if (!type.isIndex() && type.getIntOrFloatBitWidth() > 64)
    return emitOpError() << "needs an integer of at most 64 bits, but got " << type;
  return verifyLanes(*this, getLanes());
}

LogicalResult LoadOp::verify() {
  if (getShift() && getTileType(getTile()).getRank() != 2)
    return emitOpError() << "has a shift of columns for a tile of rank " << getTileType(getTile()).getRank();
  RankedTensorType tile = getTileType(getTile());
  if (getOnes() != 0 &&
      (tile.getRank() != 2 || getOnes() < 0 || getOnes() >= static_cast<uint64_t>(tile.getDimSize(1))))
    return emitOpError() << "has " << getOnes() << " columns of ones in " << tile
                         << "; fewer than the columns of a tile of rank 2 work";
  return verifyTransfer(*this, cast<MemRefType>(getSource().getType()), getTileType(getTile()), getIndices().size(),
                        getRowDim(), static_cast<bool>(getColLimit()), getAlignment());
}

LogicalResult StoreOp::verify() {
  return verifyTransfer(*this, cast<MemRefType>(getDestination().getType()), getTileType(getTile()),
                        getIndices().size(), getRowDim(), static_cast<bool>(getColLimit()), getAlignment());
}

LogicalResult GatherOp::verify() {
  auto memref = cast<MemRefType>(getSource().getType());
  if (static_cast<int64_t>(getIndices().size()) != memref.getRank())
    return emitOpError() << "has " << getIndices().size() << " indices for a memref of rank " << memref.getRank();
  ArrayRef<int64_t> shape = getTileType(getTile()).getShape();
  for (Value index : getIndices())
    if (auto tile = dyn_cast<RankedTensorType>(index.getType()); tile && tile.getShape() != shape)
      return emitOpError() << "has an index of type " << tile << " for a result of type " << getTile().getType();
  if (getTileType(getMask()).getShape() != shape)
    return emitOpError() << "has a mask of type " << getMask().getType() << " for a result of type "
                         << getTile().getType();
  if (getTileType(getTile()).getElementType() != memref.getElementType())
    return emitOpError() << "gathers elements of type " << memref.getElementType() << " as "
                         << getTileType(getTile()).getElementType();
  return success();
}

/// Checks the shapes of `acc + lhs * rhs`.
template <typename OpT> static LogicalResult verifyProduct(OpT op) {
  RankedTensorType lhs = getTileType(op.getLhs()), rhs = getTileType(op.getRhs()), acc = getTileType(op.getAcc());
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || acc.getRank() != 2)
    return op.emitOpError() << "needs tiles of rank 2";
  int64_t k = op.getTransposeRhs() ? rhs.getDimSize(1) : rhs.getDimSize(0);
  int64_t n = op.getTransposeRhs() ? rhs.getDimSize(0) : rhs.getDimSize(1);
  if (lhs.getDimSize(1) != k)
    return op.emitOpError() << "contracts " << lhs.getDimSize(1) << " columns of lhs with " << k << " of rhs";
  if (acc.getDimSize(0) != lhs.getDimSize(0) || acc.getDimSize(1) != n)
    return op.emitOpError() << "gives " << lhs.getDimSize(0) << "x" << n << " but accumulates into " << acc;
  if (!acc.getElementType().isF32())
    return op.emitOpError() << "accumulates in f32, but got " << acc;
  return success();
}

/// Columns that one matrix instruction contracts, at the least.
static constexpr int64_t kContractionStep = 16;

LogicalResult DotOp::verify() {
  if (std::optional<int64_t> part = getPart(); part && (*part <= 0 || *part % kContractionStep != 0))
    return emitOpError() << "sums up parts of " << *part << "; a positive multiple of " << kContractionStep << " works";
  return verifyProduct(*this);
}

template <typename OpT> static LogicalResult verifyFold(OpT op) {
  RankedTensorType tile = getTileType(op.getTile()), result = getTileType(op.getResult());
  if (tile.getRank() != 2 || result.getRank() != 2 || tile.getDimSize(0) != result.getDimSize(0) ||
      result.getDimSize(1) == 0 || tile.getDimSize(1) % result.getDimSize(1) != 0 ||
      tile.getElementType() != result.getElementType())
    return op.emitOpError() << "folds " << tile << " into " << result
                            << "; a tile of as many rows, whose columns divide those of the operand, works";
  return success();
}

LogicalResult FoldOp::verify() { return verifyFold(*this); }

LogicalResult FoldBitsOp::verify() { return verifyFold(*this); }

LogicalResult ColumnsOp::verify() {
  RankedTensorType tile = getTileType(getTile()), result = getTileType(getResult());
  int64_t first = getFirst();
  if (tile.getRank() != 2 || result.getRank() != 2 || tile.getDimSize(0) != result.getDimSize(0) ||
      tile.getElementType() != result.getElementType() || first < 0 ||
      first > tile.getDimSize(1) - result.getDimSize(1))
    return emitOpError() << "takes columns from " << first << " on of " << tile << " as " << result;
  return success();
}

/// Checks what one program of a cluster of `programs` holds of `tile`.
static LogicalResult verifySlice(ExchangeOp op, RankedTensorType tile, RankedTensorType slice, int64_t programs) {
  bool fits = tile.getRank() == 1 ? slice.getShape() == tile.getShape()
                                  : slice.getRank() == 2 && slice.getDimSize(0) == tile.getDimSize(0) &&
                                        slice.getDimSize(1) * programs >= tile.getDimSize(1);
  if (fits && slice.getElementType() == tile.getElementType())
    return success();
  InFlightDiagnostic diag = op.emitOpError() << "gives " << slice << " of " << tile << "; ";
  if (tile.getRank() == 1)
    return diag << "an equal tile works";
  return diag << "as many rows and at least " << llvm::divideCeil(tile.getDimSize(1), programs) << " columns work";
}

LogicalResult ExchangeOp::verify() {
  int64_t programs = getPrograms(), numTiles = getTiles().size(), numParts = getParts().size();
  if (programs < 2 || programs > 16)
    return emitOpError() << "has a cluster of " << programs << " programs; 2 to 16 work";
  if (numTiles == 0 || numParts != numTiles * programs)
    return emitOpError() << "has " << numTiles << " tiles and " << numParts << " results for " << programs
                         << " programs; a tile or more, and a result for each of every program, work";
  for (Value tile : getTiles())
    if (RankedTensorType type = getTileType(tile);
        type.getRank() < 1 || type.getRank() > 2 || !type.getElementType().isF32())
      return emitOpError() << "exchanges tiles of f32 of rank 1 or 2, but got " << type;
  for (auto [number, part] : llvm::enumerate(getParts())) {
    RankedTensorType tile = getTileType(getTiles()[number % numTiles]), slice = getTileType(part);
    if (failed(verifySlice(*this, tile, slice, programs)))
      return failure();
    if (slice.getShape() != getTileType(getParts()[number % numTiles]).getShape())
      return emitOpError() << "gives slices of different sizes of " << tile << "; equal ones work";
  }
  return success();
}

LogicalResult RowReduceOp::verify() {
  RankedTensorType tile = getTileType(getTile()), init = getTileType(getInit()), result = getTileType(getResult());
  if (tile.getRank() != 2 || init.getRank() != 1 || init.getShape() != result.getShape() ||
      init.getDimSize(0) != tile.getDimSize(0) || init.getElementType() != tile.getElementType())
    return emitOpError() << "reduces " << tile << " from " << init << " to " << result;
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType rows = getTileType(getRows()), tile = getTileType(getTile());
  if (rows.getRank() != 1 || tile.getRank() != 2 || rows.getDimSize(0) != tile.getDimSize(0) ||
      rows.getElementType() != tile.getElementType())
    return emitOpError() << "broadcasts " << rows << " to " << tile;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (auto rows = dyn_cast_or_null<SplatElementsAttr>(adaptor.getRows()))
    return DenseElementsAttr::get(getTileType(getTile()), rows.getSplatValue<Attribute>());
  return {};
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  auto splat = op.getRows().getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getTile().getType(), splat.getScalar());
  return success();
}

LogicalResult SplatOp::verify() {
  if (getScalar().getType() != getTileType(getTile()).getElementType())
    return emitOpError() << "splats " << getScalar().getType() << " to " << getTile().getType();
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getScalar()))
    return DenseElementsAttr::get(getTileType(getTile()), adaptor.getScalar());
  return {};
}

LogicalResult IotaOp::verify() {
  RankedTensorType tile = getTileType(getTile());
  if (getDim() < 0 || getDim() >= tile.getRank())
    return emitOpError() << "has dim " << getDim() << " for a tile of rank " << tile.getRank();
  if (!tile.getElementType().isIndex() && !tile.getElementType().isInteger(32))
    return emitOpError() << "counts in i32 or index, but got " << tile;
  return success();
}

LogicalResult FetchOp::verify() {
  auto tile = dyn_cast<RankedTensorType>(getLayout());
  if (!tile || !tile.hasStaticShape() || !isa_and_nonnull<SharedAttr>(tile.getEncoding()))
    return emitOpError() << "needs a tile with the encoding #attn_tile.shared, but got " << getLayout();
  return verifyTransfer(*this, cast<MemRefType>(getSource().getType()), tile, getIndices().size(), getRowDim(),
                        static_cast<bool>(getColLimit()), getAlignment());
}

LogicalResult StagedOp::verify() {
  if (!isa_and_nonnull<SharedAttr>(getTileType(getTile()).getEncoding()))
    return emitOpError() << "needs the encoding #attn_tile.shared, but got " << getTile().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Layouts over warps
//===----------------------------------------------------------------------===//

/// Warps of a thread block, at the most.
static constexpr int64_t kMaxWarps = 32;

static LogicalResult verifyWarps(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef name, int64_t warps) {
  if (warps >= 1 && warps <= kMaxWarps)
    return success();
  return emitError() << name << " is spread over 1 to " << kMaxWarps << " warps, but got " << warps;
}

LogicalResult MmaAccAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t warps) {
  return verifyWarps(emitError, "#attn_tile.mma_acc", warps);
}

LogicalResult MmaRowsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t warps) {
  return verifyWarps(emitError, "#attn_tile.mma_rows", warps);
}

//===----------------------------------------------------------------------===//
// Warps with roles
//===----------------------------------------------------------------------===//

/// The ring of a tile of 16-bit elements that bulk copies fill, whose rows divide into bands and parts of a cluster.
static FailureOr<SwizzledAttr> verifyRing(Operation *op, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  auto ring = tile ? dyn_cast_or_null<SwizzledAttr>(tile.getEncoding()) : SwizzledAttr();
  if (!ring)
    return op->emitOpError() << "needs a tile with the encoding #attn_tile.swizzled, but got " << type;
  if (tile.getRank() != 2 || !tile.hasStaticShape() || !tile.getElementType().isIntOrFloat() ||
      tile.getElementTypeBitWidth() != 16)
    return op->emitOpError() << "needs a tile of rank 2 of 16-bit elements, but got " << type;
  if (int64_t parts = ring.getParts() * ring.getCluster(); tile.getDimSize(0) % parts != 0)
    return op->emitOpError() << "has a tile of " << tile.getDimSize(0) << " rows, which don't divide into " << parts
                             << " equal parts";
  return ring;
}

/// A tile of several bands has a band's number, another one has none.
static LogicalResult verifyBand(Operation *op, Type type, bool hasBand) {
  FailureOr<SwizzledAttr> ring = verifyRing(op, type);
  if (failed(ring))
    return failure();
  if (hasBand && ring->getParts() == 1)
    return op->emitOpError() << "names a band of a tile that has one";
  if (!hasBand && ring->getParts() > 1)
    return op->emitOpError() << "needs the number of a band: the tile has " << ring->getParts();
  return success();
}

/// Positions have an index per dimension; the rows run along one of them but the last, which the columns run along.
static LogicalResult verifyPosition(Operation *op, size_t numIndices, int64_t rowDim) {
  if (rowDim < 0 || rowDim + 1 >= static_cast<int64_t>(numIndices))
    return op->emitOpError() << "has row_dim " << rowDim << " for " << numIndices << " indices, of which the last is "
                             << "that of the columns";
  return success();
}

LogicalResult SwizzledAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t, int64_t, int64_t slots,
                                   int64_t parts, int64_t, int64_t, int64_t cluster, int64_t ones) {
  if (slots < 1 || parts < 1)
    return emitError() << "#attn_tile.swizzled needs at least one slot and one part, but got " << slots << " and "
                       << parts;
  if (parts > kMaxWarps / 4)
    return emitError() << "#attn_tile.swizzled has a part for each warpgroup at the most, but got " << parts
                       << "; a thread block has up to " << kMaxWarps / 4;
  if (cluster < 1 || cluster > 16)
    return emitError() << "#attn_tile.swizzled needs a cluster of 1 to 16 thread blocks, but got " << cluster;
  if (ones < 0 || ones > 64)
    return emitError() << "#attn_tile.swizzled has a panel of at most 64 columns of ones, but got " << ones;
  return success();
}

LogicalResult RolesOp::verify() {
  if (int64_t consumers = getConsumers(); consumers < 1)
    return emitOpError() << "needs a warpgroup that computes, but got " << consumers << " consumers";
  for (int64_t registers : {getComputeRegisters(), getCopyRegisters()})
    if (registers != 0 && (registers < 24 || registers > 256 || registers % 8 != 0))
      return emitOpError() << "gives a thread " << registers << " registers; 0 and multiples of 8 from 24 to 256 work";
  for (Attribute ring : getRings())
    if (failed(verifyRing(*this, cast<TypeAttr>(ring).getValue())))
      return failure();
  return success();
}

LogicalResult BulkFetchOp::verify() {
  if (failed(verifyRing(*this, getLayout())))
    return failure();
  return verifyPosition(*this, getIndices().size(), getRowDim());
}

LogicalResult AwaitTileOp::verify() { return verifyBand(*this, getTile().getType(), static_cast<bool>(getBand())); }

LogicalResult ReleaseOp::verify() {
  if (getAfter() && getTileType(getAfter()).getElementTypeBitWidth() != 32)
    return emitOpError() << "comes after a tile of 32-bit elements, but got " << getAfter().getType();
  return verifyBand(*this, getTile().getType(), static_cast<bool>(getBand()));
}

LogicalResult BulkStoreOp::verify() {
  if (failed(verifyRing(*this, getLayout())))
    return failure();
  RankedTensorType tile = getTileType(getTile());
  auto layout = cast<RankedTensorType>(getLayout());
  if (tile.getShape() != layout.getShape() || tile.getElementType() != layout.getElementType())
    return emitOpError() << "stores " << tile << " through " << layout;
  return verifyPosition(*this, getIndices().size(), getRowDim());
}

LogicalResult ClearRowsOp::verify() { return verifyBand(*this, getTile().getType(), /*hasBand=*/false); }

LogicalResult IssueDotOp::verify() {
  if (failed(verifyProduct(*this)))
    return failure();
  std::optional<ArrayRef<int64_t>> range = getContracted();
  if (!range)
    return success();
  int64_t depth = getTileType(getLhs()).getDimSize(1);
  if (range->size() != 2 || (*range)[0] < 0 || (*range)[0] >= (*range)[1] || (*range)[1] > depth ||
      (*range)[0] % kContractionStep != 0 || (*range)[1] % kContractionStep != 0)
    return emitOpError() << "contracts [" << *range << "] of " << depth << "; two multiples of " << kContractionStep
                         << ", the first below the second, work";
  return success();
}

LogicalResult AwaitDotsOp::verify() {
  if (int64_t pending = getPending(); pending < 0)
    return emitOpError() << "lets " << pending << " products run on";
  return success();
}
