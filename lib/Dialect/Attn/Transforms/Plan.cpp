//===- Plan.cpp - Plans attention ops for a target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/Plan.h"
#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "fovea/Dialect/Attn/Transforms/KernelPlan.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNPLAN
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

/// One row of all columns a task, one part at a time.
static StrategyAttr getRowCombine(MLIRContext *context, int64_t depth) {
  return StrategyAttr::get(context, /*blockM=*/1, /*blockN=*/llvm::alignTo(depth, 16), /*warps=*/1, /*stages=*/1,
                           /*vectorBytes=*/1, /*packHeads=*/false, /*splitKv=*/false, /*roundP=*/false);
}

/// The launch of a kernel that its target has still to lower.
static LaunchAttr getPlannedLaunch(MLIRContext *context, ArrayRef<AffineExpr> grid) {
  auto map = AffineMap::get(0, kNumProblemSymbols, grid, context);
  return LaunchAttr::get(context, AffineMapAttr::get(map), /*block=*/1, /*shared_bytes=*/0, /*scratch_bytes=*/0);
}

namespace {

/// Outlines the kernels of one attention op.
class OpPlanner {
public:
  OpPlanner(AttentionOp op, SymbolTable &symbols, std::string stem)
      : op(op), symbols(symbols), stem(std::move(stem)), builder(op.getContext()) {}

  FailureOr<VariantAttr> plan(const PlannedVariant &variant) {
    bool split = variant.strategy.hasPartialResults();
    std::string name = stem + "_" + variant.name;
    SmallVector<Attribute> kernels, temporaries;
    if (variant.blockMap) {
      FailureOr<func::FuncOp> map = outlineBlockMap(variant, name + "_map");
      if (failed(map))
        return failure();
      kernels.push_back(FlatSymbolRefAttr::get(*map));
      kernels.push_back(FlatSymbolRefAttr::get(outlineBlockList(variant, name + "_list")));
      kernels.push_back(FlatSymbolRefAttr::get(outlineBlockOrder(variant, name + "_order")));
      temporaries = getBlockTables(variant);
    }
    FailureOr<func::FuncOp> kernel = outlineAttention(variant, split ? name + "_parts" : name);
    if (failed(kernel))
      return failure();
    kernels.push_back(FlatSymbolRefAttr::get(*kernel));
    if (split) {
      kernels.push_back(FlatSymbolRefAttr::get(getCombine(variant, name + "_combine")));
      temporaries = getPartBuffers(variant.splits);
    }
    return VariantAttr::get(op.getContext(), builder.getStringAttr(variant.name),
                            variant.when != IntegerSet() ? IntegerSetAttr::get(variant.when) : IntegerSetAttr(),
                            builder.getArrayAttr(kernels),
                            temporaries.empty() ? ArrayAttr() : builder.getArrayAttr(temporaries));
  }

  /// Takes back the kernels outlined so far.
  void erase() {
    for (func::FuncOp kernel : outlined)
      symbols.erase(kernel);
  }

private:
  /// `[parts, B, Hq, Sq, Dv]` (with `depth`) or `[parts, B, Hq, Sq]`, f32.
  MemRefType getPartType(bool depth) {
    SmallVector<int64_t> shape = {ShapedType::kDynamic, op.getBatch(), op.getNumQueryHeads(), op.getQueryLength()};
    if (depth)
      shape.push_back(op.getVDepth());
    return MemRefType::get(shape, builder.getF32Type());
  }

  SmallVector<Attribute> getPartBuffers(AffineExpr splits) {
    MLIRContext *context = op.getContext();
    SmallVector<AffineExpr> dims = {splits, getSymbolExpr(ProblemSymbol::Batch, context),
                                    getSymbolExpr(ProblemSymbol::QueryHeads, context),
                                    getSymbolExpr(ProblemSymbol::QueryLength, context)};
    auto makeBuffer = [&]() -> Attribute {
      auto map = AffineMap::get(0, kNumProblemSymbols, dims, context);
      return TemporaryAttr::get(context, builder.getF32Type(), AffineMapAttr::get(map));
    };
    Attribute lses = makeBuffer();
    dims.push_back(getAffineConstantExpr(op.getVDepth(), context));
    return {makeBuffer(), lses};
  }

  /// The states of the blocks (temporary 0), or the lists made of them (temporary 1).
  MemRefType getTableType(const PlannedVariant &variant) {
    BlockTable table(op, variant.strategy);
    return MemRefType::get({table.perBatch ? op.getBatch() : 1, table.perHead ? op.getNumQueryHeads() : 1,
                            ShapedType::kDynamic, ShapedType::kDynamic},
                           builder.getI32Type());
  }

  SmallVector<Attribute> getBlockTables(const PlannedVariant &variant) {
    SmallVector<Attribute> tables;
    BlockTable table(op, variant.strategy);
    for (int64_t header : {int64_t(0), kListHeader}) {
      SmallVector<AffineExpr, 4> dims = table.dims;
      dims.back() = dims.back() + header;
      auto map = AffineMap::get(0, kNumProblemSymbols, dims, op.getContext());
      tables.push_back(TemporaryAttr::get(op.getContext(), builder.getI32Type(), AffineMapAttr::get(map)));
    }
    return tables;
  }

  /// With partial results the sink and the destinations are operands of the combine kernel.
  bool belongsToCombine(OpOperand &operand) {
    MutableOperandRange sink = op.getSinkMutable();
    return op.isDpsInit(&operand) || (!sink.empty() && &sink[0] == &operand);
  }

  /// Gives the kernel a name that is free in the module and ends its body.
  func::FuncOp finish(func::FuncOp kernel) {
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    func::ReturnOp::create(builder, op.getLoc());
    // The next kernel must not be created in this one.
    builder.clearInsertionPoint();
    symbols.insert(kernel);
    moveConstantsToMemory(kernel);
    outlined.push_back(kernel);
    return kernel;
  }

  /// A kernel without a place yet (the symbol table gives it one); the builder goes to its body.
  func::FuncOp build(KernelSignature &signature, StringRef name, ArrayRef<AffineExpr> grid, IRMapping &mapping) {
    builder.clearInsertionPoint();
    func::FuncOp kernel = signature.build(builder, op.getLoc(), name, getPlannedLaunch(op.getContext(), grid), mapping);
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    return kernel;
  }

  FailureOr<func::FuncOp> outlineAttention(const PlannedVariant &variant, StringRef name) {
    bool split = variant.strategy.hasPartialResults();
    KernelSignature signature;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!split || !belongsToCombine(operand))
        signature.addOperand(operand);
    }
    signature.addCaptures(op);
    if (split) {
      signature.addTemporary(0, getPartType(/*depth=*/true));
      signature.addTemporary(1, getPartType(/*depth=*/false));
    }
    if (variant.blockMap)
      signature.addTemporary(1, getTableType(variant));
    IRMapping mapping;
    SmallVector<AffineExpr> grid = getKernelGrid(variant.strategy, split ? variant.splits : nullptr);
    func::FuncOp kernel = build(signature, name, grid, mapping);
    Block &body = kernel.getBody().front();
    AttentionOp clone = cloneAttention(variant, signature, body);
    if (failed(cloneRegionsIntoKernel(
            op, clone, {{&op.getScoreMod(), &clone.getScoreMod()}, {&op.getMaskMod(), &clone.getMaskMod()}},
            mapping))) {
      kernel->erase();
      return failure();
    }
    return finish(kernel);
  }

  /// The kernel's argument for an operand of the op; null where it is absent.
  static Value getArgument(const KernelSignature &signature, OpOperand &operand) {
    return signature.getOperandArgument(operand.getOperandNumber());
  }
  static Value getArgument(const KernelSignature &signature, MutableOperandRange operand) {
    return operand.empty() ? Value() : getArgument(signature, operand[0]);
  }

  AttentionOp cloneAttention(const PlannedVariant &variant, const KernelSignature &signature, Block &body) {
    auto get = [&](auto &&operand) { return getArgument(signature, operand); };
    Value output = get(op.getOutputMutable()), lse = get(op.getLseMutable());
    if (variant.strategy.hasPartialResults()) {
      output = body.getArgument(body.getNumArguments() - 2);
      lse = body.getArgument(body.getNumArguments() - 1);
    }
    SmallVector<Value> base;
    for (OpOperand &operand : op.getBaseMutable())
      base.push_back(get(operand));
    Value blockList = variant.blockMap ? Value(body.getArguments().back()) : Value();
    return AttentionOp::create(
        builder, op.getLoc(), TypeRange{}, get(op.getQueryMutable()), get(op.getKeyMutable()),
        get(op.getValueMutable()), get(op.getScaleMutable()), get(op.getBiasMutable()), get(op.getMaskMutable()),
        get(op.getSinkMutable()), get(op.getKvLengthsMutable()), get(op.getOffsetMutable()), base,
        get(op.getBlockMapMutable()), blockList, output, lse, op.getStaticScaleAttr(), op.getCausalAttr(),
        op.getDiagonalAttr(), op.getWindowLeftAttr(), op.getWindowRightAttr(), op.getBlockMapSizesAttr(),
        op.getAllowTf32Attr(), op.getAllowApproxAttr(), op.getAllowNondeterminismAttr(), variant.strategy);
  }

  /// The combine kernel of a variant; variants that merge in the same way share one.
  func::FuncOp getCombine(const PlannedVariant &variant, StringRef name) {
    StrategyAttr strategy = variant.combine;
    if (!strategy)
      strategy = getRowCombine(op.getContext(), op.getVDepth());
    func::FuncOp &kernel = combines[strategy];
    if (!kernel)
      kernel = outlineCombine(strategy, name);
    return kernel;
  }

  func::FuncOp outlineCombine(StrategyAttr strategy, StringRef name) {
    KernelSignature signature;
    signature.addTemporary(0, getPartType(/*depth=*/true));
    signature.addTemporary(1, getPartType(/*depth=*/false));
    for (OpOperand &operand : op->getOpOperands())
      if (belongsToCombine(operand))
        signature.addOperand(operand);
    IRMapping mapping;
    func::FuncOp kernel = build(signature, name, getCombineGrid(strategy, op.getVDepth()), mapping);
    Block &body = kernel.getBody().front();
    auto combine =
        CombineOp::create(builder, op.getLoc(), TypeRange{}, body.getArgument(0), body.getArgument(1),
                          getArgument(signature, op.getSinkMutable()), getArgument(signature, op.getOutputMutable()),
                          getArgument(signature, op.getLseMutable()));
    combine->setAttr(kStrategyAttrName, strategy);
    return finish(kernel);
  }

  /// The operands that masks read.
  SmallVector<OpOperand *> getMaskOperands() {
    SmallVector<OpOperand *> operands = {&op.getQueryMutable(), &op.getKeyMutable()};
    for (MutableOperandRange range : {op.getMaskMutable(), op.getBlockMapMutable(), op.getKvLengthsMutable(),
                                      op.getOffsetMutable(), op.getBaseMutable()})
      for (OpOperand &operand : range)
        operands.push_back(&operand);
    return operands;
  }

  /// Gives each of the `tasks` of a kernel of scalar code `lanes` lanes; `computed` is its op.
  void shareTasks(func::FuncOp kernel, Operation *computed, StrategyAttr strategy, AffineExpr tasks, int64_t lanes) {
    if (lanes > 1)
      computed->setAttr(kLanesAttrName, builder.getI64IntegerAttr(lanes));
    kernel->setAttr(AttnDialect::getLaunchAttrName(),
                    getPlannedLaunch(op.getContext(), getScalarGrid(strategy, tasks, lanes)));
  }

  FailureOr<func::FuncOp> outlineBlockMap(const PlannedVariant &variant, StringRef name) {
    KernelSignature signature;
    for (OpOperand *operand : getMaskOperands())
      signature.addOperand(*operand);
    signature.addCaptures(op);
    signature.addTemporary(0, getTableType(variant));
    IRMapping mapping;
    SmallVector<AffineExpr, 4> dims = BlockTable(op, variant.blockMap).dims;
    AffineExpr tasks = dims[0] * dims[1] * dims[2] * dims[3];
    func::FuncOp kernel = build(signature, name, tasks, mapping);
    auto get = [&](auto &&operand) { return getArgument(signature, operand); };
    SmallVector<Value> base;
    for (OpOperand &operand : op.getBaseMutable())
      base.push_back(get(operand));
    auto map = BlockMapOp::create(builder, op.getLoc(), get(op.getQueryMutable()), get(op.getKeyMutable()),
                                  get(op.getMaskMutable()), get(op.getKvLengthsMutable()), get(op.getOffsetMutable()),
                                  base, kernel.getArguments().back(), op.getCausalAttr(), op.getDiagonalAttr(),
                                  op.getWindowLeftAttr(), op.getWindowRightAttr(), variant.blockMap);
    if (failed(cloneRegionsIntoKernel(op, map, {{&op.getMaskMod(), &map.getMaskMod()}}, mapping))) {
      kernel->erase();
      return failure();
    }
    if (Value given = get(op.getBlockMapMutable())) {
      inlineBlockMap(map.getMaskMod(), op.getLoc(), given, *op.getBlockMapSizes(), map.getMask());
      map.getMaskMutable().clear();
    }
    shareTasks(kernel, map, variant.blockMap, tasks, getMapLanes(map));
    return finish(kernel);
  }

  func::FuncOp outlineBlockList(const PlannedVariant &variant, StringRef name) {
    KernelSignature signature;
    signature.addTemporary(0, getTableType(variant));
    signature.addTemporary(1, getTableType(variant));
    IRMapping mapping;
    SmallVector<AffineExpr, 4> dims = BlockTable(op, variant.blockMap).dims;
    AffineExpr tasks = dims[0] * dims[1] * dims[2];
    func::FuncOp kernel = build(signature, name, tasks, mapping);
    auto list = BlockListOp::create(builder, op.getLoc(), kernel.getArgument(0), kernel.getArgument(1));
    list->setAttr(kStrategyAttrName, variant.blockMap);
    shareTasks(kernel, list, variant.blockMap, tasks, getListLanes(variant.blockMap));
    return finish(kernel);
  }

  func::FuncOp outlineBlockOrder(const PlannedVariant &variant, StringRef name) {
    KernelSignature signature;
    signature.addTemporary(1, getTableType(variant));
    IRMapping mapping;
    SmallVector<AffineExpr, 4> dims = BlockTable(op, variant.blockMap).dims;
    AffineExpr tasks = dims[0] * dims[1] * dims[2];
    func::FuncOp kernel = build(signature, name, tasks, mapping);
    auto order = BlockOrderOp::create(builder, op.getLoc(), kernel.getArgument(0));
    order->setAttr(kStrategyAttrName, variant.blockMap);
    shareTasks(kernel, order, variant.blockMap, tasks, getListLanes(variant.blockMap));
    return finish(kernel);
  }

  AttentionOp op;
  DenseMap<StrategyAttr, func::FuncOp> combines;
  SymbolTable &symbols;
  std::string stem;
  OpBuilder builder;
  SmallVector<func::FuncOp> outlined;
};
} // namespace

/// A part of names that every code generator and assembler takes: letters, digits and underscores, not too many.
static std::string makeKernelStem(StringRef stem) {
  std::string result = stem.take_front(/*N=*/256).str();
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '_')
      c = '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  return result;
}

FailureOr<ArrayAttr> fovea::attn::outlineVariants(AttentionOp op, ArrayRef<PlannedVariant> variants,
                                                  SymbolTable &symbols, StringRef stem) {
  OpPlanner planner(op, symbols, makeKernelStem(stem));
  SmallVector<Attribute> plan;
  for (const PlannedVariant &variant : variants) {
    FailureOr<VariantAttr> planned = planner.plan(variant);
    if (failed(planned)) {
      planner.erase();
      return failure();
    }
    plan.push_back(*planned);
  }
  return ArrayAttr::get(op.getContext(), plan);
}

FailureOr<ArrayAttr> fovea::attn::outlineVariants(CombineOp op, const Target &backend, TargetAttr target,
                                                  SymbolTable &symbols, StringRef stem) {
  FailureOr<StrategyAttr> strategy = backend.planCombine(op, target);
  if (failed(strategy))
    return failure();
  MLIRContext *context = op.getContext();
  int64_t depth = cast<ShapedType>(op.getOutput().getType()).getShape().back();
  if (!*strategy)
    strategy = getRowCombine(context, depth);
  KernelSignature signature;
  for (OpOperand &operand : op->getOpOperands())
    signature.addOperand(operand);
  IRMapping mapping;
  OpBuilder builder(context);
  LaunchAttr launch = getPlannedLaunch(context, getCombineGrid(*strategy, depth));
  func::FuncOp kernel = signature.build(builder, op.getLoc(), makeKernelStem(stem) + "_combine", launch, mapping);
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  auto get = [&](MutableOperandRange operand) {
    return operand.empty() ? Value() : signature.getOperandArgument(operand[0].getOperandNumber());
  };
  auto getOne = [&](OpOperand &operand) { return signature.getOperandArgument(operand.getOperandNumber()); };
  auto clone = CombineOp::create(builder, op.getLoc(), TypeRange{}, getOne(op.getPartialOutputsMutable()),
                                 getOne(op.getPartialLsesMutable()), get(op.getSinkMutable()),
                                 getOne(op.getOutputMutable()), get(op.getLseMutable()));
  clone->setAttr(kStrategyAttrName, *strategy);
  func::ReturnOp::create(builder, op.getLoc());
  symbols.insert(kernel);
  Builder b(context);
  Attribute variant = VariantAttr::get(context, b.getStringAttr("combine"), IntegerSetAttr(),
                                       b.getArrayAttr(FlatSymbolRefAttr::get(kernel)), ArrayAttr());
  return b.getArrayAttr(variant);
}

/// The variant of a given strategy.
static PlannedVariant makeGivenVariant(StrategyAttr strategy) {
  PlannedVariant variant{"given", IntegerSet(), strategy, AffineExpr(), {}, {}};
  SmallVector<AffineExpr> conditions = getStrategyConditions(strategy);
  if (!conditions.empty())
    variant.when = IntegerSet::get(0, kNumProblemSymbols, conditions, SmallVector<bool>(conditions.size(), false));
  if (strategy.hasPartialResults())
    variant.splits = getBalancedSplits(strategy, /*tasksEach=*/2);
  return variant;
}

namespace {
struct AttnPlan : attn::impl::AttnPlanBase<AttnPlan> {
  using AttnPlanBase::AttnPlanBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetRegistry &registry = getTargetRegistry(&getContext());
    TargetAttr attr = registry.parse(target, [&] { return module.emitError(); });
    if (!attr || failed(parseStrategy()))
      return signalPassFailure();
    if (!tuning.empty() && !registry.lookup(attr.getBackend())->hasTuning(attr)) {
      module.emitError() << "tuning is '" << tuning << "', but the target '" << target
                         << "' has no tuned strategies; leave it out";
      return signalPassFailure();
    }
    if (!tuning.empty()) {
      Builder b(&getContext());
      NamedAttribute file(kTuningOptionName, b.getStringAttr(tuning));
      attr = TargetAttr::get(&getContext(), attr.getBackend(), attr.getArch(), b.getDictionaryAttr(file));
    }
    SymbolTable symbols(module);
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!function->hasAttr(AttnDialect::getLaunchAttrName()) &&
          failed(planFunction(function, *registry.lookup(attr.getBackend()), attr, symbols)))
        return signalPassFailure();
  }

  /// Reads the option `strategy`; what the parser says is the reason of the one error.
  LogicalResult parseStrategy() {
    if (strategy.empty())
      return success();
    std::string reason;
    {
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
        reason = reason.empty() ? " (" + diagnostic.str() + ")" : reason;
        return success();
      });
      given = dyn_cast_or_null<StrategyAttr>(parseAttribute(strategy, &getContext()));
    }
    if (given)
      return success();
    return getOperation().emitError() << "'" << strategy << "' is no strategy; expected #attn.strategy<...>" << reason;
  }

  /// The target's variants, or the given one and the target's last.
  FailureOr<SmallVector<PlannedVariant>> choose(AttentionOp op, const Target &backend, TargetAttr attr) {
    FailureOr<SmallVector<PlannedVariant>> variants = backend.plan(op, attr);
    if (failed(variants) || !given)
      return variants;
    PlannedVariant variant = makeGivenVariant(given);
    for (const PlannedVariant &own : *variants)
      if (own.combine)
        variant.combine = own.combine;
    return SmallVector<PlannedVariant>{variant, variants->back()};
  }

  LogicalResult planFunction(func::FuncOp function, const Target &backend, TargetAttr attr, SymbolTable &symbols) {
    SmallVector<AttentionOp> ops;
    function.walk([&](AttentionOp op) { ops.push_back(op); });
    for (auto [number, op] : llvm::enumerate(ops)) {
      if (op->hasAttr(AttnDialect::getPlanAttrName()))
        continue;
      FailureOr<SmallVector<PlannedVariant>> variants = choose(op, backend, attr);
      if (failed(variants))
        return failure();
      FailureOr<ArrayAttr> plan =
          outlineVariants(op, *variants, symbols, (function.getName() + "_attn" + Twine(number)).str());
      if (failed(plan))
        return failure();
      op->setAttr(AttnDialect::getPlanAttrName(), *plan);
    }
    return success();
  }

  /// The strategy of the options; null: the target chooses.
  StrategyAttr given;
};

} // namespace
