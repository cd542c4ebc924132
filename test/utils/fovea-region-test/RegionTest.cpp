//===- RegionTest.cpp - Regions made by their builders -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a function for each name, its attention op with the region that the builder of that name makes.
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Utils/Regions.h"
#include "fovea/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace fovea::attn;

namespace {
/// Makes functions of Q, K, V, O and one captured value.
class Printer {
public:
  explicit Printer(ModuleOp module) : builder(OpBuilder::atBlockEnd(module.getBody())), loc(module.getLoc()) {}

  Type tensor(ArrayRef<int64_t> dims, Type element) { return RankedTensorType::get(dims, element); }

  template <typename Build> void add(StringRef name, Type capture, Build build) {
    int64_t any = ShapedType::kDynamic;
    Type type = tensor({any, any, any, 64}, builder.getF16Type());
    SmallVector<Type> inputs = {type, type, type, type};
    if (capture)
      inputs.push_back(capture);
    OpBuilder::InsertionGuard guard(builder);
    auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(inputs, type));
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    auto argument = [&](unsigned i) { return entry->getArgument(i); };
    auto op = AttentionOp::create(
        builder, loc, TypeRange(type), argument(0), argument(1), argument(2), Value(), Value(), Value(), Value(),
        Value(), Value(), ValueRange(), Value(), Value(), argument(3), Value(), FloatAttr(), UnitAttr(), DiagonalAttr(),
        IntegerAttr(), IntegerAttr(), DenseI64ArrayAttr(), UnitAttr(), UnitAttr(), UnitAttr(), StrategyAttr());
    func::ReturnOp::create(builder, loc, op->getResults());
    build(op, capture ? argument(4) : Value());
  }

  template <typename Make> void mask(StringRef name, Type capture, Make make) {
    add(name, capture, [&](AttentionOp op, Value value) { setMaskMod(builder, op, make(value)); });
  }
  template <typename Make> void score(StringRef name, Type capture, Make make) {
    add(name, capture, [&](AttentionOp op, Value value) { setScoreMod(builder, op, make(value)); });
  }

  OpBuilder builder;

private:
  Location loc;
};
} // namespace

static void addMasks(Printer &p) {
  int64_t any = ShapedType::kDynamic;
  Type i32 = p.builder.getI32Type(), i1 = p.builder.getI1Type(), index = p.builder.getIndexType();
  Type lengths = p.tensor({any}, i32), documents = p.tensor({any, any}, i32), table = p.tensor({any, any}, i1);
  p.mask("causal", Type(), [](Value) { return causalMask(); });
  p.mask("causal_offset", index, [](Value offset) { return causalMask(offset); });
  p.mask("sliding_window", Type(), [](Value) { return slidingWindowMask(127); });
  p.mask("local_global", Type(), [](Value) { return localGlobalMask(128, 64); });
  p.mask("prefix_lm", lengths, [](Value value) { return prefixLMMask(value); });
  p.mask("document_causal", documents, [](Value value) { return allOf(causalMask(), documentMask(value)); });
  p.mask("not_document", MemRefType::get({any, any}, i32), [](Value value) { return notOf(documentMask(value)); });
  p.mask("chunked", Type(), [](Value) { return allOf(causalMask(), chunkedMask(128)); });
  p.mask("dilated", Type(), [](Value) { return allOf(slidingWindowMask(255), dilatedMask(4)); });
  p.mask("strided", Type(), [](Value) { return stridedMask(64, 8); });
  p.mask("block_sparse", table, [](Value value) { return blockSparseMask(value, 128); });
  p.mask("neighbourhood", index, [](Value value) { return neighbourhoodMask(value, value, 3); });
  p.add("tree", p.tensor({any, any, any}, i1), [&](AttentionOp op, Value value) {
    OpBuilder::InsertionGuard guard(p.builder);
    p.builder.setInsertionPoint(op);
    Value past = arith::ConstantIndexOp::create(p.builder, op.getLoc(), 100);
    setMaskMod(p.builder, op, treeMask(value, past));
  });
}

static void addScores(Printer &p) {
  int64_t any = ShapedType::kDynamic;
  Type f32 = p.builder.getF32Type(), perHead = p.tensor({any}, f32), table = p.tensor({any, any}, f32);
  p.score("softcap", Type(), [](Value) { return softcap(30.0); });
  p.score("alibi", perHead, [](Value value) { return alibi(value); });
  p.score("t5_buckets", table, [](Value value) { return t5BucketBias(value); });
  p.score("head_temperature", perHead, [](Value value) { return headTemperature(value); });
  p.score("chain", perHead, [](Value value) { return chain(alibi(value), softcap(30.0)); });
  p.score("where", perHead, [](Value value) { return where(causalMask(), alibi(value)); });
  p.add("t5_table", table, [&](AttentionOp op, Value value) {
    OpBuilder::InsertionGuard guard(p.builder);
    p.builder.setInsertionPoint(op);
    Value last = arith::ConstantIndexOp::create(p.builder, op.getLoc(), 511);
    setScoreMod(p.builder, op, softcap(1.0));
    setScoreMod(p.builder, op, t5Bias(value, last));
  });
}

int main() {
  DialectRegistry registry;
  fovea::registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadDialect<AttnDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, memref::MemRefDialect,
                      scf::SCFDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  Printer printer(*module);
  addMasks(printer);
  addScores(printer);
  if (failed(verify(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
