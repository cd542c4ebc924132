//===- AttnVerify.cpp - Verifiers of the attn dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// Shapes and element types
//===----------------------------------------------------------------------===//

namespace {
/// Logical dimensions of a problem.
enum Dim : unsigned { B, Hq, Hkv, Sq, Skv, Dqk, Dv, Parts, kNumDims };
constexpr StringLiteral kDimNames[kNumDims] = {"B", "Hq", "Hkv", "Sq", "Skv", "Dqk", "Dv", "parts"};

/// Gathers what is statically known of the dimensions and checks each operand against what came before it.
class ShapeVerifier {
public:
  explicit ShapeVerifier(Operation *op) : op(op) {}

  /// Checks the rank of an operand and its static dimensions.
  LogicalResult check(StringRef name, Value operand, ArrayRef<Dim> dims);
  /// Checks an operand whose dimensions may be 1; with `anySize` they belong to a larger problem and are not compared.
  LogicalResult checkBroadcast(StringRef name, Value operand, ArrayRef<Dim> dims, bool anySize, size_t count = 4);
  /// As `checkBroadcast`, for an operand whose other dimensions than batch and heads are not those of the problem.
  LogicalResult checkLeading(StringRef name, Value operand, ArrayRef<Dim> dims, bool anySize) {
    return checkBroadcast(name, operand, dims, anySize, /*count=*/2);
  }
  /// Checks that depth `dim`, dimension `index` of an operand, is a static positive number.
  LogicalResult checkDepth(StringRef name, Value operand, unsigned index, Dim dim);
  /// Query heads are a multiple of key heads.
  LogicalResult checkGroups();

private:
  struct Source {
    StringRef operand;
    unsigned index;
    int64_t size = ShapedType::kDynamic;
  };
  LogicalResult checkRank(StringRef name, ShapedType type, ArrayRef<Dim> dims);
  LogicalResult checkBytes(StringRef name, ShapedType type);

  Operation *op;
  Source known[kNumDims];
};
} // namespace

/// The element type of a tensor or memref, else the type itself.
static Type getElementType(Value value) { return getElementTypeOrSelf(value.getType()); }

LogicalResult ShapeVerifier::checkRank(StringRef name, ShapedType type, ArrayRef<Dim> dims) {
  if (type.getRank() == static_cast<int64_t>(dims.size()))
    return checkBytes(name, type);
  InFlightDiagnostic diag = op->emitOpError()
                            << name << " has rank " << type.getRank() << ", expected " << dims.size() << ": [";
  llvm::interleaveComma(dims, diag, [&](Dim dim) { diag << kDimNames[dim]; });
  diag << "]";
  if (isa<AttentionOp>(op) && dims.front() == Parts)
    diag << ", since its strategy has split_kv";
  return diag;
}

/// Places of elements are numbers of 64 bits, counted in bytes; a dimension that is not known may be 1.
LogicalResult ShapeVerifier::checkBytes(StringRef name, ShapedType type) {
  int64_t bytes = getElementBytes(type.getElementType());
  bool overflows = false;
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return success();
    overflows |= !ShapedType::isDynamic(size) && llvm::MulOverflow(bytes, size, bytes);
  }
  if (!overflows)
    return success();
  return op->emitOpError() << name << " has type " << type << " of more than 2^63 - 1 bytes, which no memory holds; "
                           << "smaller sizes work";
}

LogicalResult ShapeVerifier::check(StringRef name, Value operand, ArrayRef<Dim> dims) {
  auto type = cast<ShapedType>(operand.getType());
  if (failed(checkRank(name, type, dims)))
    return failure();
  for (auto [index, dim] : llvm::enumerate(dims)) {
    int64_t size = type.getDimSize(index);
    Source &source = known[dim];
    if (ShapedType::isDynamic(size) || size == source.size)
      continue;
    if (!ShapedType::isDynamic(source.size))
      return op->emitOpError() << name << " dim " << index << " (" << kDimNames[dim] << ") is " << size << " but "
                               << source.operand << " dim " << source.index << " is " << source.size;
    source = {name, static_cast<unsigned>(index), size};
  }
  return success();
}

LogicalResult ShapeVerifier::checkBroadcast(StringRef name, Value operand, ArrayRef<Dim> dims, bool anySize,
                                            size_t count) {
  auto type = cast<ShapedType>(operand.getType());
  if (failed(checkRank(name, type, dims)))
    return failure();
  for (auto [index, dim] : llvm::enumerate(dims.take_front(count))) {
    int64_t size = type.getDimSize(index);
    const Source &source = known[dim];
    if (anySize || size == 1 || ShapedType::isDynamic(size) || ShapedType::isDynamic(source.size) ||
        size == source.size)
      continue;
    InFlightDiagnostic error = op->emitOpError() << name << " dim " << index << " is " << size << ", expected 1";
    if (source.size != 1)
      error << " or " << source.size;
    return error << " (" << kDimNames[dim] << ", " << source.operand << " dim " << source.index << ")";
  }
  return success();
}

LogicalResult ShapeVerifier::checkDepth(StringRef name, Value operand, unsigned index, Dim dim) {
  int64_t size = cast<ShapedType>(operand.getType()).getDimSize(index);
  if (ShapedType::isDynamic(size))
    return op->emitOpError() << name << " dim " << index << " (" << kDimNames[dim]
                             << ") is dynamic, but the depth must be static";
  if (size < 1)
    return op->emitOpError() << name << " dim " << index << " (" << kDimNames[dim] << ") is " << size
                             << ", must be at least 1";
  return success();
}

LogicalResult ShapeVerifier::checkGroups() {
  int64_t queryHeads = known[Hq].size, kvHeads = known[Hkv].size;
  if (ShapedType::isDynamic(queryHeads) || ShapedType::isDynamic(kvHeads) || queryHeads == 0)
    return success();
  if (kvHeads != 0 && queryHeads % kvHeads == 0)
    return success();
  return op->emitOpError() << "query has " << queryHeads << " heads (Hq) but key has " << kvHeads
                           << " (Hkv): Hq must be a multiple of Hkv";
}

constexpr StringLiteral kComputeTypes = "f32, f16, bf16, f8E4M3FN or f8E5M2";
static bool isComputeType(Type type) {
  return isa<Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(type);
}
static bool isLengthType(Type type) { return type.isSignlessInteger(32) || type.isSignlessInteger(64); }

static LogicalResult checkType(Operation *op, StringRef name, Value operand, function_ref<bool(Type)> isAllowed,
                               StringRef allowed) {
  if (!operand || isAllowed(getElementType(operand)))
    return success();
  return op->emitOpError() << name << " has element type " << getElementType(operand) << ", expected " << allowed;
}

/// All shaped operands are tensors, or all are memrefs.
static LogicalResult checkOneForm(Operation *op, StringRef firstName, Value first,
                                  ArrayRef<std::pair<StringRef, Value>> others) {
  bool isTensor = isa<TensorType>(first.getType());
  for (auto [name, value] : others)
    if (value && isa<ShapedType>(value.getType()) && isa<TensorType>(value.getType()) != isTensor)
      return op->emitOpError() << firstName << " is a " << (isTensor ? "tensor" : "memref") << " but " << name
                               << " is a " << (isTensor ? "memref" : "tensor")
                               << ": all operands must be tensors or all memrefs";
  return success();
}

/// A memref destination is written: no two of its elements share an address, and it is not an input.
static LogicalResult checkDestination(Operation *op, StringRef name, Value destination,
                                      ArrayRef<std::pair<StringRef, Value>> others) {
  auto type = destination ? dyn_cast<MemRefType>(destination.getType()) : MemRefType();
  if (!type)
    return success();
  for (auto [otherName, other] : others)
    if (other == destination)
      return op->emitOpError() << name << " is the same memref as " << otherName << "; a destination may not overlap";
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return success();
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (stride == 0 && type.getDimSize(dim) > 1)
      return op->emitOpError() << name << " has stride 0 in dim " << dim << " of size " << type.getDimSize(dim)
                               << ": no two elements of a destination may share an address";
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Reads of memory are allowed, nothing else is; `nested` is an op of the region.
static LogicalResult checkPure(StringRef name, Operation *nested) {
  if (isa<YieldOp>(nested) || nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return success();
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(nested);
  if (!effectOp)
    return nested->emitError() << name << " must be pure, but the effects of '" << nested->getName()
                               << "' are not known";
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (!isa<MemoryEffects::Read>(effect.getEffect()))
      return nested->emitError() << name << " must be pure, but '" << nested->getName()
                                 << "' has an effect other than a read";
  return success();
}

static LogicalResult checkArguments(Operation *op, StringRef name, Region &region, ArrayRef<StringRef> args) {
  if (region.getNumArguments() != args.size())
    return op->emitOpError() << name << " has " << region.getNumArguments() << " arguments, expected " << args.size()
                             << " (" << llvm::join(args, ", ") << ")";
  for (auto [index, arg] : llvm::enumerate(args)) {
    Type given = region.getArgument(index).getType();
    if (arg == "score" ? !given.isF32() : !given.isIndex())
      return op->emitOpError() << name << " argument " << index << " (" << arg << ") has type " << given
                               << ", expected " << (arg == "score" ? "f32" : "index");
  }
  return success();
}

static LogicalResult checkYield(StringRef name, Region &region, Type expected) {
  auto yield = cast<YieldOp>(region.front().getTerminator());
  if (!yield.getValue())
    return yield.emitError() << name << " region yields nothing, expected " << expected;
  if (yield.getValue().getType() != expected)
    return yield.emitError() << name << " region yields " << yield.getValue().getType() << ", expected " << expected;
  return success();
}

static LogicalResult checkRegion(Operation *op, StringRef name, Region &region, ArrayRef<StringRef> args,
                                 Type expected) {
  if (region.empty())
    return success();
  if (failed(checkArguments(op, name, region, args)) || failed(checkYield(name, region, expected)))
    return failure();
  WalkResult result =
      region.walk<WalkOrder::PreOrder>([&](Operation *nested) { return WalkResult(checkPure(name, nested)); });
  return failure(result.wasInterrupted());
}

static LogicalResult checkMaskMod(Operation *op, Region &region) {
  return checkRegion(op, "mask_mod", region, {"batch", "head", "query", "key"}, IntegerType::get(op->getContext(), 1));
}

LogicalResult AttentionOp::verifyRegions() {
  Builder b(getContext());
  return success(succeeded(checkRegion(*this, "score_mod", getScoreMod(), {"score", "batch", "head", "query", "key"},
                                       b.getF32Type())) &&
                 succeeded(checkMaskMod(*this, getMaskMod())));
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

static LogicalResult verifyShapes(AttentionOp op) {
  ShapeVerifier shapes(op);
  // A kernel over parts of the keys writes the partial results of its part.
  SmallVector<Dim> lseDims{B, Hq, Sq}, outputDims{B, Hq, Sq, Dv};
  if (op.getStrategy() && op.getStrategy()->hasPartialResults())
    for (SmallVector<Dim> *dims : {&lseDims, &outputDims})
      dims->insert(dims->begin(), Parts);
  auto check = [&](StringRef name, Value operand, ArrayRef<Dim> dims) {
    return !operand || !isa<ShapedType>(operand.getType()) ? success() : shapes.check(name, operand, dims);
  };
  bool inWhole = !op.getBase().empty();
  auto checkBroadcast = [&](StringRef name, Value operand) {
    return !operand ? success() : shapes.checkBroadcast(name, operand, {B, Hq, Sq, Skv}, inWhole);
  };
  return success(
      succeeded(check("query", op.getQuery(), {B, Hq, Sq, Dqk})) &&
      succeeded(shapes.checkDepth("query", op.getQuery(), 3, Dqk)) &&
      succeeded(check("key", op.getKey(), {B, Hkv, Skv, Dqk})) &&
      succeeded(shapes.checkDepth("key", op.getKey(), 3, Dqk)) &&
      succeeded(check("value", op.getValue(), {B, Hkv, Skv, Dv})) &&
      succeeded(shapes.checkDepth("value", op.getValue(), 3, Dv)) && succeeded(shapes.checkGroups()) &&
      succeeded(check("output", op.getOutput(), outputDims)) &&
      succeeded(shapes.checkDepth("output", op.getOutput(), outputDims.size() - 1, Dv)) &&
      succeeded(check("lse", op.getLse(), lseDims)) && succeeded(check("sink", op.getSink(), {Hq})) &&
      succeeded(check("kv_lengths", op.getKvLengths(), {B})) && succeeded(check("offset", op.getOffset(), {B})) &&
      succeeded(checkBroadcast("bias", op.getBias())) && succeeded(checkBroadcast("mask", op.getMask())) &&
      (!op.getBlockMap() || succeeded(shapes.checkLeading("block_map", op.getBlockMap(), {B, Hq, Sq, Skv}, inWhole))) &&
      succeeded(shapes.checkGroups()));
}

/// Of a diagonal: an index, or a vector with one integer for each batch; may be absent.
static LogicalResult verifyOffsetType(Operation *op, Value offset) {
  if (!offset || offset.getType().isIndex())
    return success();
  if (!isa<RankedTensorType, MemRefType>(offset.getType()))
    return op->emitOpError() << "offset has type " << offset.getType()
                             << ", expected index or one i32 or i64 for each batch";
  return checkType(op, "offset", offset, isLengthType, "i32 or i64");
}

static LogicalResult verifyTypes(AttentionOp op) {
  Type type = getElementType(op.getQuery());
  if (failed(checkType(op, "query", op.getQuery(), isComputeType, kComputeTypes)))
    return failure();
  for (auto [name, value] : {std::pair<StringRef, Value>("key", op.getKey()), {"value", op.getValue()}})
    if (getElementType(value) != type)
      return op.emitOpError() << name << " has element type " << getElementType(value) << " but query has " << type;
  auto isF32 = [](Type type) { return type.isF32(); };
  auto isI1 = [](Type type) { return type.isInteger(1); };
  auto isI8 = [](Type type) { return type.isSignlessInteger(8); };
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return success(succeeded(checkType(op, "output", op.getOutput(), isComputeType, kComputeTypes)) &&
                 succeeded(checkType(op, "lse", op.getLse(), isF32, "f32")) &&
                 succeeded(checkType(op, "sink", op.getSink(), isF32, "f32")) &&
                 succeeded(checkType(op, "bias", op.getBias(), isFloat, "a float type")) &&
                 succeeded(checkType(op, "mask", op.getMask(), isI1, "i1")) &&
                 succeeded(checkType(op, "kv_lengths", op.getKvLengths(), isLengthType, "i32 or i64")) &&
                 succeeded(checkType(op, "block_map", op.getBlockMap(), isI8, "i8")) &&
                 succeeded(verifyOffsetType(op, op.getOffset())));
}

static LogicalResult verifyScale(AttentionOp op) {
  std::optional<APFloat> constant = op.getStaticScale();
  if (!constant)
    return success();
  SmallString<16> text;
  constant->toString(text);
  if (op.getScale())
    return op.emitOpError() << "the scale is given twice, as an operand and as the attribute static_scale = " << text;
  if (!constant->isFinite())
    return op.emitOpError() << "static_scale is " << text << ", must be finite";
  return success();
}

/// A table of blocks: i32, [B or 1, Hq or 1, blocks of queries, columns].
static LogicalResult verifyBlockTable(Operation *op, StringRef name, Value table) {
  auto type = cast<ShapedType>(table.getType());
  if (type.getRank() != 4)
    return op->emitOpError() << name << " has rank " << type.getRank() << ", expected 4";
  return checkType(
      op, name, table, [](Type type) { return type.isSignlessInteger(32); }, "i32");
}

/// A list of blocks counts the blocks of a strategy.
static LogicalResult verifyBlockList(AttentionOp op) {
  Value list = op.getBlockList();
  if (!list)
    return success();
  if (!op.getStrategy() || !isa<MemRefType>(list.getType()))
    return op.emitOpError()
           << "block_list is given, but it has a meaning in kernels alone, on memrefs and with a strategy";
  return verifyBlockTable(op, "block_list", list);
}

/// A map of blocks has one state for each block of its sizes, of this op or of the whole.
static LogicalResult verifyBlockMap(AttentionOp op) {
  Value map = op.getBlockMap();
  std::optional<ArrayRef<int64_t>> sizes = op.getBlockMapSizes();
  if (!map && !sizes)
    return success();
  if (!map || !sizes)
    return op.emitOpError() << (map ? "block_map needs block_map_sizes, the queries and keys of a block"
                                    : "block_map_sizes are given, but there is no block_map");
  if (sizes->size() != 2 || (*sizes)[0] < 1 || (*sizes)[1] < 1) {
    InFlightDiagnostic diag = op.emitOpError() << "block_map has blocks of [";
    llvm::interleaveComma(*sizes, diag);
    return diag << "], expected the number of queries and of keys, each at least 1";
  }
  auto type = cast<ShapedType>(map.getType());
  const int64_t lengths[] = {op.getQueryLength(), op.getKVLength()};
  for (int64_t dim : {0, 1}) {
    int64_t given = type.getDimSize(dim + 2), length = lengths[dim], size = (*sizes)[dim];
    if (!op.getBase().empty() || ShapedType::isDynamic(given) || ShapedType::isDynamic(length) ||
        given == llvm::divideCeilSigned(length, size))
      continue;
    return op.emitOpError() << "block_map dim " << dim + 2 << " is " << given << ", expected "
                            << llvm::divideCeilSigned(length, size) << ": blocks of " << size << " of the " << length
                            << (dim == 0 ? " queries" : " keys");
  }
  return success();
}

/// A window bound and the diagonal that it and causal need.
static LogicalResult verifyDiagonal(MaskOpInterface op) {
  for (auto [name, bound] : {std::pair<StringRef, std::optional<uint64_t>>("window_left", op.getWindowLeft()),
                             {"window_right", op.getWindowRight()}})
    if (bound && static_cast<int64_t>(*bound) < 0)
      return op->emitOpError() << name << " is " << static_cast<int64_t>(*bound)
                               << ", must be at least 0; leave it out (written *) for an unbounded side";
  bool isNeeded = op.hasBand();
  std::optional<Diagonal> diagonal = op.getDiagonal();
  if (isNeeded && !diagonal)
    return op->emitOpError() << (op.getCausal() ? "causal" : "window")
                             << " needs the diagonal: top_left, bottom_right or an offset operand";
  if (!isNeeded && diagonal)
    return op->emitOpError() << "diagonal " << stringifyDiagonal(*diagonal)
                             << " is given, but neither causal nor a window uses it";
  if (diagonal == Diagonal::Offset && !op.getOffset())
    return op->emitOpError() << "diagonal offset needs the offset operand";
  if (diagonal != Diagonal::Offset && op.getOffset())
    return op->emitOpError() << "the offset operand is given, but the diagonal is "
                             << (diagonal ? stringifyDiagonal(*diagonal) : StringRef("not named"));
  return success();
}

LogicalResult AttentionOp::verify() {
  if (!getBase().empty() && getBase().size() != 4)
    return emitOpError() << "base takes 4 indices (batch, head, query, key), got " << getBase().size();
  std::pair<StringRef, Value> inputs[] = {
      {"key", getKey()},       {"value", getValue()}, {"bias", getBias()},
      {"mask", getMask()},     {"sink", getSink()},   {"kv_lengths", getKvLengths()},
      {"offset", getOffset()}, {"query", getQuery()}, {"block_map", getBlockMap()}};
  SmallVector<std::pair<StringRef, Value>> others(inputs, std::end(inputs));
  others.emplace_back("output", getOutput());
  if (failed(verifyTypes(*this)) || failed(checkOneForm(*this, "query", getQuery(), others)) ||
      failed(checkOneForm(*this, "query", getQuery(), std::pair<StringRef, Value>("lse", getLse()))) ||
      failed(verifyShapes(*this)) || failed(verifyScale(*this)) || failed(verifyDiagonal(*this)) ||
      failed(verifyBlockMap(*this)) || failed(verifyBlockList(*this)))
    return failure();
  return success(succeeded(checkDestination(*this, "output", getOutput(), inputs)) &&
                 succeeded(checkDestination(*this, "lse", getLse(), others)));
}

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

LogicalResult CombineOp::verify() {
  ShapeVerifier shapes(*this);
  auto isF32 = [](Type type) { return type.isF32(); };
  SmallVector<std::pair<StringRef, Value>> inputs = {{"partial_lses", getPartialLses()}, {"sink", getSink()}};
  SmallVector<std::pair<StringRef, Value>> others = inputs;
  others.append({{"output", getOutput()}, {"lse", getLse()}});
  if (failed(checkType(*this, "partial_outputs", getPartialOutputs(), isComputeType, kComputeTypes)) ||
      failed(checkType(*this, "partial_lses", getPartialLses(), isF32, "f32")) ||
      failed(checkType(*this, "sink", getSink(), isF32, "f32")) ||
      failed(checkType(*this, "output", getOutput(), isComputeType, kComputeTypes)) ||
      failed(checkType(*this, "lse", getLse(), isF32, "f32")) ||
      failed(checkOneForm(*this, "partial_outputs", getPartialOutputs(), others)))
    return failure();
  if (failed(shapes.check("partial_outputs", getPartialOutputs(), {Parts, B, Hq, Sq, Dv})) ||
      failed(shapes.checkDepth("partial_outputs", getPartialOutputs(), 4, Dv)) ||
      failed(shapes.check("partial_lses", getPartialLses(), {Parts, B, Hq, Sq})) ||
      (getSink() && failed(shapes.check("sink", getSink(), {Hq}))) ||
      failed(shapes.check("output", getOutput(), {B, Hq, Sq, Dv})) ||
      failed(shapes.checkDepth("output", getOutput(), 3, Dv)) ||
      (getLse() && failed(shapes.check("lse", getLse(), {B, Hq, Sq}))))
    return failure();
  inputs.emplace_back("partial_outputs", getPartialOutputs());
  return success(succeeded(checkDestination(*this, "output", getOutput(), inputs)) &&
                 succeeded(checkDestination(*this, "lse", getLse(), inputs)));
}

//===----------------------------------------------------------------------===//
// block_map, block_list
//===----------------------------------------------------------------------===//

LogicalResult BlockMapOp::verifyRegions() { return checkMaskMod(*this, getMaskMod()); }

LogicalResult BlockMapOp::verify() {
  if (!getBase().empty() && getBase().size() != 4)
    return emitOpError() << "base takes 4 indices (batch, head, query, key), got " << getBase().size();
  ShapeVerifier shapes(*this);
  auto isI1 = [](Type type) { return type.isInteger(1); };
  if (failed(shapes.check("query", getQuery(), {B, Hq, Sq, Dqk})) ||
      failed(shapes.check("key", getKey(), {B, Hkv, Skv, Dqk})) ||
      (getMask() && failed(shapes.checkBroadcast("mask", getMask(), {B, Hq, Sq, Skv}, !getBase().empty()))) ||
      failed(checkType(*this, "mask", getMask(), isI1, "i1")) ||
      (getKvLengths() && failed(shapes.check("kv_lengths", getKvLengths(), {B}))) ||
      failed(checkType(*this, "kv_lengths", getKvLengths(), isLengthType, "i32 or i64")) ||
      failed(verifyOffsetType(*this, getOffset())) ||
      (getOffset() && !getOffset().getType().isIndex() && failed(shapes.check("offset", getOffset(), {B}))) ||
      failed(checkOneForm(*this, "states", getStates(),
                          {{"query", getQuery()},
                           {"key", getKey()},
                           {"mask", getMask()},
                           {"kv_lengths", getKvLengths()},
                           {"offset", getOffset()}})))
    return failure();
  if (failed(verifyDiagonal(*this)) || failed(verifyBlockTable(*this, "states", getStates())))
    return failure();
  if (!getMask() && !hasMaskMod())
    return emitOpError() << "has neither a mask nor a mask_mod, so there is nothing to say of blocks";
  return success();
}

LogicalResult BlockListOp::verify() {
  return success(succeeded(verifyBlockTable(*this, "states", getStates())) &&
                 succeeded(verifyBlockTable(*this, "list", getList())));
}

LogicalResult BlockOrderOp::verify() { return verifyBlockTable(*this, "list", getList()); }
