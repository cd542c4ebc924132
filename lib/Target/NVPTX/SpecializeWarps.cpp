//===- SpecializeWarps.cpp - attn-tile-specialize-warps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "Exchange.h"
#include "KernelInfo.h"
#include "Layouts.h"
#include "Strategy.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {

/// A ring of slots in shared memory: all loads of tiles of one type from one memref take its slots in turns.
struct BulkRing {
  Value source;
  RankedTensorType type;
  int64_t rowDim, slots, parts, cluster, ones;
  /// `type` with the place in shared memory, and the kernel's parameter that describes the source.
  RankedTensorType staged;
  BlockArgument map;
  /// Whether it is the left operand of products, of which a kernel has one tile a task.
  bool isLeft = false;
  /// Whether each tile is loaded twice, ahead and where it is read last: the copy is that of the first load.
  bool ahead = false;

  SwizzledLayout getLayout() const { return {type.getDimSize(0), type.getDimSize(1), parts, ones}; }
};

/// Where the next tile of each ring goes: its number in two rounds through the ring, of which the second has phase 1.
/// Of rings of a power of two of slots the number goes on.
using RingState = SmallVector<Value>;

class WarpSpecializer {
public:
  WarpSpecializer(func::FuncOp function, int64_t sharedLimit, StringRef chip)
      : function(function), strategy(getStrategy(function)),
        sharedLimit(getSharedBytesOfBlock(sharedLimit, strategy.getMinBlocks())), chip(chip) {}

  LogicalResult run();

private:
  int64_t getNumWarpgroups() const { return strategy.getWarps() / kWarpsOfGroup; }
  LogicalResult collectRings();
  LogicalResult addRing(tile::LoadOp load);
  void findLoadsAhead(BulkRing &ring);
  int64_t getSlotBytes();
  int64_t getRingBytes();
  void shareRest();
  LogicalResult emitLackOfMemory(int64_t bytes);
  LogicalResult placeRings();
  void addParameter(BulkRing &ring, SmallVectorImpl<Attribute> &maps);
  void addParameters();
  std::optional<size_t> getRing(tile::LoadOp load) const;
  bool holdsRingLoad(Operation *op) const;
  RingState createState(ImplicitLocOpBuilder &b);
  Value getSlot(ImplicitLocOpBuilder &b, const RingState &state, size_t ring);
  Value getPhase(ImplicitLocOpBuilder &b, const RingState &state, size_t ring);
  void advance(ImplicitLocOpBuilder &b, RingState &state, size_t ring);

  // The copying role: new code.
  LogicalResult emitCopies(Block &from, ImplicitLocOpBuilder &b, IRMapping mapping, RingState &state);
  LogicalResult emitFetch(tile::LoadOp load, ImplicitLocOpBuilder &b, IRMapping &mapping, RingState &state);
  LogicalResult emitLoop(scf::ForOp loop, ImplicitLocOpBuilder &b, IRMapping &mapping, RingState &state);
  LogicalResult emitBranch(scf::IfOp branch, ImplicitLocOpBuilder &b, IRMapping &mapping, RingState &state);
  FailureOr<Value> clonePosition(Value value, ImplicitLocOpBuilder &b, IRMapping &mapping);

  // The computing roles: the function's own code.
  void collectStores();
  void rewriteStore(BulkRing &staging, tile::StoreOp store);
  void rewriteLoads(Block &block, RingState &state);
  void rewriteLoad(tile::LoadOp load, RingState &state);
  void rewriteLoop(scf::ForOp loop, RingState &state);
  void rewriteBranch(scf::IfOp branch, RingState &state);

  func::FuncOp function;
  attn::StrategyAttr strategy;
  int64_t sharedLimit, sharedBytes = 0;
  StringRef chip;
  SmallVector<BulkRing> rings;
  /// Stores through shared memory, and the memory of each: a ring of one slot without barriers.
  SmallVector<std::pair<BulkRing, tile::StoreOp>> stores;
  Value warpgroup;
};

} // namespace

static RankedTensorType getTileType(tile::LoadOp load) { return cast<RankedTensorType>(load.getTile().getType()); }

static bool isOperandLoad(tile::LoadOp load) {
  return isa_and_nonnull<tile::MmaOperandAttr>(getTileType(load).getEncoding());
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

std::optional<size_t> WarpSpecializer::getRing(tile::LoadOp load) const {
  if (!isOperandLoad(load))
    return std::nullopt;
  for (auto [index, ring] : llvm::enumerate(rings))
    if (ring.source == load.getSource() && ring.type == getTileType(load))
      return index;
  return std::nullopt;
}

bool WarpSpecializer::holdsRingLoad(Operation *op) const {
  return op->walk([&](tile::LoadOp load) { return getRing(load) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Bulk copies need the memory that a parameter of the kernel describes.
LogicalResult WarpSpecializer::addRing(tile::LoadOp load) {
  auto argument = dyn_cast<BlockArgument>(load.getSource());
  if (!argument || argument.getOwner() != &function.getBody().front())
    return load.emitError() << "a bulk copy needs an argument of the kernel as its source";
  RankedTensorType type = getTileType(load);
  if (type.getElementTypeBitWidth() != 16)
    return load.emitError() << "warpgroup products take elements of 16 bits, but got " << type.getElementType()
                            << "; a strategy with unit = warp works";
  bool isLeft = llvm::all_of(load->getUsers(),
                             [&](Operation *user) { return cast<tile::DotOp>(user).getLhs() == load.getTile(); });
  rings.push_back({load.getSource(),
                   type,
                   static_cast<int64_t>(load.getRowDim()),
                   isLeft ? 1 : strategy.getStages(),
                   isLeft ? getNumWarpgroups() : 1,
                   isLeft || strategy.mergesInCluster() ? 1 : strategy.getCluster(),
                   static_cast<int64_t>(load.getOnes()),
                   {},
                   {},
                   isLeft});
  return success();
}

LogicalResult WarpSpecializer::collectRings() {
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](tile::LoadOp load) -> WalkResult {
    if (!isOperandLoad(load) || getRing(load))
      return WalkResult::advance();
    return addRing(load);
  });
  if (result.wasInterrupted())
    return failure();
  for (BulkRing &ring : rings)
    findLoadsAhead(ring);
  return success();
}

/// A tile that only its first product reads, as where a task has one block of keys, is not loaded later: then the load
/// ahead is the one that gives the slot back.
void WarpSpecializer::findLoadsAhead(BulkRing &ring) {
  SmallVector<tile::LoadOp> ahead;
  bool hasLater = false;
  function.walk([&](tile::LoadOp load) {
    if (!isOperandLoad(load) || load.getSource() != ring.source || getTileType(load) != ring.type)
      return;
    if (load.getAhead())
      ahead.push_back(load);
    else
      hasLater = true;
  });
  ring.ahead = !ahead.empty() && hasLater;
  if (!hasLater)
    for (tile::LoadOp load : ahead)
      load.setAhead(false);
}

/// Whether `limit` is the size of dimension `dim` of `memref`: bulk copies fill rows past it with zeros and don't write
/// them.
static bool isSizeOf(Value limit, Value memref, int64_t dim) {
  APInt value;
  if (matchPattern(limit, m_ConstantInt(&value)))
    return value.getSExtValue() == cast<MemRefType>(memref.getType()).getDimSize(dim);
  auto size = limit.getDefiningOp<memref::DimOp>();
  return size && size.getSource() == memref && size.getConstantIndex() == dim;
}

/// Whether bulk copies can store the tile: whole rows of 16-bit elements, up to the end of the memory.
static bool isBulkStore(func::FuncOp function, tile::StoreOp store) {
  auto type = cast<RankedTensorType>(store.getTile().getType());
  auto memref = cast<MemRefType>(store.getDestination().getType());
  auto argument = dyn_cast<BlockArgument>(store.getDestination());
  APInt first;
  return type.getRank() == 2 && type.getElementTypeBitWidth() == 16 && store.getAlignment() >= 16 &&
         !store.getColLimit() && argument && argument.getOwner() == &function.getBody().front() &&
         memref.getShape().back() <= type.getDimSize(1) && matchPattern(store.getIndices().back(), m_Zero()) &&
         (!store.getRowLimit() || isSizeOf(store.getRowLimit(), store.getDestination(), store.getRowDim()));
}

void WarpSpecializer::collectStores() {
  function.walk([&](tile::StoreOp store) {
    if (!isBulkStore(function, store))
      return;
    auto tile = cast<RankedTensorType>(store.getTile().getType());
    auto type = RankedTensorType::get(tile.getShape(), tile.getElementType());
    stores.push_back({{store.getDestination(),
                       type,
                       static_cast<int64_t>(store.getRowDim()),
                       /*slots=*/1,
                       getNumWarpgroups(),
                       /*cluster=*/1,
                       /*ones=*/0,
                       {},
                       {}},
                      store});
  });
}

/// Bytes of the slots of all rings, whose memory an exchange takes when nothing is copied any more.
int64_t WarpSpecializer::getSlotBytes() {
  int64_t bytes = 0, exchanged = 0;
  for (const BulkRing &ring : rings)
    bytes += ring.slots * ring.getLayout().getSlotBytes();
  function.walk([&](tile::ExchangeOp op) {
    exchanged = std::max(exchanged, placeExchange(op, strategy.getWarps() * kLanes).back().getEnd());
  });
  return std::max(bytes, exchanged);
}

/// Bytes of the slots and barriers of all rings.
int64_t WarpSpecializer::getRingBytes() {
  int64_t bytes = getSlotBytes();
  for (const BulkRing &ring : rings)
    bytes += ring.slots * 2 * ring.parts * SwizzledLayout::kBarrierBytes;
  return bytes;
}

/// What shared memory is left for, the more useful first: stores through it, which else go their way without, and a
/// second slot for a left operand, into which the next task's is copied while this one is at work.
void WarpSpecializer::shareRest() {
  int64_t storeBytes = 0;
  for (auto &[staging, store] : stores)
    storeBytes += staging.getLayout().getSlotBytes();
  if (getRingBytes() + storeBytes > sharedLimit) {
    stores.clear();
    storeBytes = 0;
  }
  // One warpgroup alone leaves room for a second thread block, which its limit is for where the strategy asks for that.
  bool sharesRest = strategy.getPersistent() && (getNumWarpgroups() > 1 || strategy.getMinBlocks() > 1);
  for (BulkRing &ring : rings) {
    if (!ring.isLeft || !sharesRest)
      continue;
    ring.slots = 2;
    if (getRingBytes() + storeBytes > sharedLimit)
      ring.slots = 1;
  }
  sharedBytes = getRingBytes() + storeBytes;
}

LogicalResult WarpSpecializer::emitLackOfMemory(int64_t bytes) {
  int64_t blocks = strategy.getMinBlocks();
  InFlightDiagnostic diag = function.emitError();
  diag << "the kernel needs " << bytes << " bytes of shared memory, but " << chip << " has " << sharedLimit
       << " for a thread block";
  if (blocks > 1)
    diag << " where a multiprocessor holds " << blocks;
  return diag << "; smaller tiles" << (blocks > 1 ? ", fewer stages or min_blocks = 1" : " or fewer stages") << " work";
}

LogicalResult WarpSpecializer::placeRings() {
  if (int64_t bytes = getRingBytes(); bytes > sharedLimit)
    return emitLackOfMemory(bytes);
  shareRest();
  MLIRContext *context = function.getContext();
  int64_t data = 0, barriers = getSlotBytes();
  for (auto &[staging, store] : stores) {
    int64_t slotBytes = staging.getLayout().getSlotBytes();
    auto encoding = tile::SwizzledAttr::get(context, barriers, slotBytes, 1, staging.parts, /*full=*/0, /*empty=*/0,
                                            /*cluster=*/1, /*ones=*/0);
    staging.staged = RankedTensorType::get(staging.type.getShape(), staging.type.getElementType(), encoding);
    barriers += slotBytes;
  }
  for (BulkRing &ring : rings) {
    int64_t slotBytes = ring.getLayout().getSlotBytes();
    int64_t half = ring.slots * ring.parts * SwizzledLayout::kBarrierBytes;
    auto encoding = tile::SwizzledAttr::get(context, data, slotBytes, ring.slots, ring.parts, barriers, barriers + half,
                                            ring.cluster, ring.ones);
    ring.staged = RankedTensorType::get(ring.type.getShape(), ring.type.getElementType(), encoding);
    data += ring.slots * slotBytes;
    barriers += 2 * half;
  }
  return success();
}

void WarpSpecializer::addParameter(BulkRing &ring, SmallVectorImpl<Attribute> &maps) {
  MLIRContext *context = function.getContext();
  Builder b(context);
  SmallVector<NamedAttribute> attributes = {
      {LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), 128))},
      {LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64)}};
  unsigned number = function.getNumArguments();
  (void)function.insertArgument(number, LLVM::LLVMPointerType::get(context), b.getDictionaryAttr(attributes),
                                function.getLoc());
  ring.map = function.getArgument(number);
  maps.push_back(attn::TensorMapAttr::get(context, cast<BlockArgument>(ring.source).getArgNumber(),
                                          ring.type.getDimSize(0) / (ring.parts * ring.cluster),
                                          SwizzledLayout::kPanelCols, ring.rowDim));
}

void WarpSpecializer::addParameters() {
  SmallVector<Attribute> maps;
  for (BulkRing &ring : rings)
    addParameter(ring, maps);
  for (auto &[staging, store] : stores)
    addParameter(staging, maps);
  function->setAttr(attn::AttnDialect::getTensorMapsAttrName(), ArrayAttr::get(function.getContext(), maps));
}

RingState WarpSpecializer::createState(ImplicitLocOpBuilder &b) {
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  return RingState(rings.size(), zero);
}

// Where the slots are a power of two, slot and phase are bits of the number.

Value WarpSpecializer::getSlot(ImplicitLocOpBuilder &b, const RingState &state, size_t ring) {
  int64_t slots = rings[ring].slots;
  Value number = state[ring];
  if (llvm::isPowerOf2_64(slots))
    return b.createOrFold<arith::AndIOp>(number, arith::ConstantIntOp::create(b, slots - 1, 32));
  Value count = arith::ConstantIntOp::create(b, slots, 32);
  Value isSecond = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number, count);
  return arith::SelectOp::create(b, isSecond, arith::SubIOp::create(b, number, count), number);
}

Value WarpSpecializer::getPhase(ImplicitLocOpBuilder &b, const RingState &state, size_t ring) {
  int64_t slots = rings[ring].slots;
  Value number = state[ring];
  if (llvm::isPowerOf2_64(slots))
    return arith::AndIOp::create(
        b, b.createOrFold<arith::ShRUIOp>(number, arith::ConstantIntOp::create(b, llvm::Log2_64(slots), 32)),
        arith::ConstantIntOp::create(b, 1, 32));
  Value count = arith::ConstantIntOp::create(b, slots, 32);
  Value isSecond = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number, count);
  return arith::ExtUIOp::create(b, b.getI32Type(), isSecond);
}

void WarpSpecializer::advance(ImplicitLocOpBuilder &b, RingState &state, size_t ring) {
  int64_t numbers = 2 * rings[ring].slots;
  Value next = arith::AddIOp::create(b, state[ring], arith::ConstantIntOp::create(b, 1, 32));
  if (llvm::isPowerOf2_64(numbers)) {
    state[ring] = next;
    return;
  }
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, arith::ConstantIntOp::create(b, numbers, 32));
  state[ring] = arith::SelectOp::create(b, wraps, arith::ConstantIntOp::create(b, 0, 32), next);
}

//===----------------------------------------------------------------------===//
// The copying role
//===----------------------------------------------------------------------===//

/// Whether both roles can compute the op: scalars, loads of them, and loops over those.
static bool isScalarCode(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  auto isScalarBlock = [](Block &block) {
    return llvm::all_of(block.without_terminator(), [](Operation &nested) { return isScalarCode(&nested); });
  };
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return llvm::all_of(op->getRegions(), [&](Region &region) { return isScalarBlock(region.front()); });
  return op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isa<memref::LoadOp>(op));
}

/// The value in the copying role: what it depends on is cloned where it is first needed.
FailureOr<Value> WarpSpecializer::clonePosition(Value value, ImplicitLocOpBuilder &b, IRMapping &mapping) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  if (!op) {
    if (cast<BlockArgument>(value).getOwner() == &function.getBody().front())
      return value;
    return emitError(value.getLoc()) << "a position of a bulk copy depends on a value that a loop carries";
  }
  if (!isScalarCode(op))
    return op->emitError() << "a position of a bulk copy depends on " << op->getName();
  llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), operands);
  for (Value operand : operands)
    if (failed(clonePosition(operand, b, mapping)))
      return failure();
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

LogicalResult WarpSpecializer::emitFetch(tile::LoadOp load, ImplicitLocOpBuilder &b, IRMapping &mapping,
                                         RingState &state) {
  size_t number = *getRing(load);
  BulkRing &ring = rings[number];
  if (ring.ahead && !load.getAhead())
    return success();
  SmallVector<Value> indices;
  for (Value index : load.getIndices()) {
    FailureOr<Value> clone = clonePosition(index, b, mapping);
    if (failed(clone))
      return failure();
    indices.push_back(*clone);
  }
  tile::BulkFetchOp::create(b, ring.map, indices, getSlot(b, state, number), getPhase(b, state, number), ring.rowDim,
                            ring.staged);
  advance(b, state, number);
  return success();
}

LogicalResult WarpSpecializer::emitLoop(scf::ForOp loop, ImplicitLocOpBuilder &b, IRMapping &mapping,
                                        RingState &state) {
  SmallVector<Value> bounds;
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
    FailureOr<Value> clone = clonePosition(bound, b, mapping);
    if (failed(clone))
      return failure();
    bounds.push_back(*clone);
  }
  auto copy = scf::ForOp::create(b, bounds[0], bounds[1], bounds[2], state);
  ImplicitLocOpBuilder inside(b.getLoc(), copy.getBody(), copy.getBody()->end());
  IRMapping nested = mapping;
  nested.map(loop.getInductionVar(), copy.getInductionVar());
  RingState carried(copy.getRegionIterArgs().begin(), copy.getRegionIterArgs().end());
  if (failed(emitCopies(*loop.getBody(), inside, nested, carried)))
    return failure();
  scf::YieldOp::create(inside, carried);
  state.assign(copy.getResults().begin(), copy.getResults().end());
  return success();
}

LogicalResult WarpSpecializer::emitBranch(scf::IfOp branch, ImplicitLocOpBuilder &b, IRMapping &mapping,
                                          RingState &state) {
  FailureOr<Value> condition = clonePosition(branch.getCondition(), b, mapping);
  if (failed(condition))
    return failure();
  auto copy = scf::IfOp::create(b, ValueRange(state).getTypes(), *condition, /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    ImplicitLocOpBuilder inside(b.getLoc(), &to.front(), to.front().end());
    RingState carried = state;
    if (!from.empty() && failed(emitCopies(from.front(), inside, mapping, carried)))
      return failure();
    scf::YieldOp::create(inside, carried);
  }
  state.assign(copy.getResults().begin(), copy.getResults().end());
  return success();
}

LogicalResult WarpSpecializer::emitCopies(Block &from, ImplicitLocOpBuilder &b, IRMapping mapping, RingState &state) {
  for (Operation &op : from) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!(load && getRing(load)) && !(op.getNumRegions() > 0 && holdsRingLoad(&op)))
      continue;
    b.setLoc(op.getLoc());
    LogicalResult result = success();
    if (load)
      result = emitFetch(load, b, mapping, state);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      result = emitLoop(loop, b, mapping, state);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = emitBranch(branch, b, mapping, state);
    else
      return op.emitError() << "operands of dots can be loaded in scf.for and scf.if alone";
    if (failed(result))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The computing roles
//===----------------------------------------------------------------------===//

void WarpSpecializer::rewriteLoad(tile::LoadOp load, RingState &state) {
  size_t number = *getRing(load);
  BulkRing &ring = rings[number];
  ImplicitLocOpBuilder b(load.getLoc(), load);
  Value band = ring.parts > 1 ? warpgroup : Value();
  auto tile = tile::AwaitTileOp::create(b, ring.staged, getSlot(b, state, number), getPhase(b, state, number), band,
                                        load.getAhead());
  load.replaceAllUsesWith(tile.getTile());
  if (load.getAhead()) {
    load.erase();
    return;
  }
  if (load.getRowLimit() && !isSizeOf(load.getRowLimit(), load.getSource(), ring.rowDim) && ring.parts == 1)
    tile::ClearRowsOp::create(b, tile, load.getIndices()[ring.rowDim], load.getRowLimit());
  advance(b, state, number);
  load.erase();
}

void WarpSpecializer::rewriteStore(BulkRing &staging, tile::StoreOp store) {
  ImplicitLocOpBuilder b(store.getLoc(), store);
  tile::BulkStoreOp::create(b, store.getTile(), staging.map, store.getIndices(), warpgroup, staging.rowDim,
                            staging.staged);
  store.erase();
}

void WarpSpecializer::rewriteLoop(scf::ForOp loop, RingState &state) {
  IRRewriter rewriter(loop.getContext());
  auto newLoop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, state, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> newArgs) { return SmallVector<Value>(newArgs); }));
  size_t count = state.size();
  auto arguments = newLoop.getRegionIterArgs().take_back(count);
  RingState carried(arguments.begin(), arguments.end());
  rewriteLoads(*newLoop.getBody(), carried);
  Operation *yield = newLoop.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - count, count, carried);
  auto results = newLoop.getResults().take_back(count);
  state.assign(results.begin(), results.end());
}

void WarpSpecializer::rewriteBranch(scf::IfOp branch, RingState &state) {
  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, ValueRange(state).getTypes());
  auto copy = scf::IfOp::create(b, types, branch.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    to.takeBody(from);
    if (to.empty()) {
      ImplicitLocOpBuilder inside(b.getLoc(), b.getContext());
      inside.setInsertionPointToEnd(&to.emplaceBlock());
      scf::YieldOp::create(inside);
    }
    RingState carried = state;
    rewriteLoads(to.front(), carried);
    Operation *yield = to.front().getTerminator();
    yield->insertOperands(yield->getNumOperands(), carried);
  }
  branch->replaceAllUsesWith(copy.getResults().drop_back(state.size()));
  branch.erase();
  auto results = copy.getResults().take_back(state.size());
  state.assign(results.begin(), results.end());
}

void WarpSpecializer::rewriteLoads(Block &block, RingState &state) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && getRing(load))
      rewriteLoad(load, state);
    else if (auto loop = dyn_cast<scf::ForOp>(op); loop && holdsRingLoad(loop))
      rewriteLoop(loop, state);
    else if (auto branch = dyn_cast<scf::IfOp>(op); branch && holdsRingLoad(branch))
      rewriteBranch(branch, state);
  }
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

namespace {
/// Registers of a thread of each role; 0: as many as at the start. The pool of a multiprocessor is 65536, and what the
/// roles take together must not exceed what the block had at its start.
struct RoleRegisters {
  int64_t compute, copy;

  static RoleRegisters get(int64_t numWarpgroups, int64_t minBlocks) {
    if (minBlocks == 2)
      return {216, 40};
    if (numWarpgroups == 2)
      return {240, 24};
    if (numWarpgroups == 3)
      return {160, 32};
    return {0, 0};
  }
};
} // namespace

LogicalResult WarpSpecializer::run() {
  Block &body = function.getBody().front();
  if (failed(collectRings()))
    return failure();
  collectStores();
  if (failed(placeRings()))
    return failure();
  addParameters();
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPoint(body.getTerminator());
  RoleRegisters registers = RoleRegisters::get(getNumWarpgroups(), strategy.getMinBlocks());
  SmallVector<Type> types = llvm::map_to_vector(rings, [](BulkRing &ring) -> Type { return ring.staged; });
  auto roles =
      tile::RolesOp::create(b, getNumWarpgroups(), registers.compute, registers.copy, b.getTypeArrayAttr(types));
  Block &copy = roles.getCopy().emplaceBlock(), &compute = roles.getCompute().emplaceBlock();
  ImplicitLocOpBuilder copying(function.getLoc(), &copy, copy.end());
  RingState state = createState(copying);
  if (failed(emitCopies(body, copying, IRMapping(), state)))
    return failure();

  compute.getOperations().splice(compute.end(), body.getOperations(), body.begin(), roles->getIterator());
  b.setInsertionPointToStart(&compute);
  warpgroup = tile::WarpgroupOp::create(b, b.getI32Type());
  state = createState(b);
  rewriteLoads(compute, state);
  for (auto &[staging, store] : stores)
    rewriteStore(staging, store);
  updateLaunch(function, (strategy.getWarps() + kWarpsOfGroup) * kLanes, sharedBytes);
  return success();
}

namespace {
struct SpecializeWarpsPass : nvptx::impl::SpecializeWarpsBase<SpecializeWarpsPass> {
  using SpecializeWarpsBase::SpecializeWarpsBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (getLaunch(function) && isWarpgroupKernel(function) &&
          (failed(verifyWarpgroups(getStrategy(function), chip, [&] { return function.emitError(); })) ||
           failed(verifyAssigned(function)) || failed(WarpSpecializer(function, sharedLimit, chip).run())))
        return signalPassFailure();
  }
};
} // namespace
