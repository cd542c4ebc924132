//===- Reference.cpp - The judge of an attention op in an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "StepBuilder.h"
#include "fovea/Artifact/ArtifactBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

static bool isArgumentOrScalar(Value value) { return isa<BlockArgument>(value) || !isa<ShapedType>(value.getType()); }

/// Where a destination of `op` leaves its function: the number of a result, or of an argument (memrefs).
static std::optional<int> getOutputNumber(AttentionOp op, OpOperand &destination) {
  if (auto argument = dyn_cast<BlockArgument>(destination.get()); argument && op.hasPureBufferSemantics())
    return static_cast<int>(argument.getArgNumber());
  if (op.hasPureBufferSemantics())
    return std::nullopt;
  for (OpOperand &use : op.getTiedOpResult(&destination).getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      return static_cast<int>(use.getOperandNumber());
  return std::nullopt;
}

std::optional<std::string> fovea::getJudgeObstacle(AttentionOp op) {
  SmallVector<Value> inputs;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isDpsInit(&operand))
      inputs.push_back(operand.get());
  llvm::append_range(inputs, op.getCaptures());
  for (Value input : inputs)
    if (!isArgumentOrScalar(input))
      return llvm::formatv("it reads a result of '{0}', where the reference reads arguments of the function alone",
                           input.getDefiningOp()->getName());
  if (!getOutputNumber(op, op.getDpsInitsMutable()[0]))
    return "its result is read by another op of the function and is no result of it";
  return std::nullopt;
}

/// The five buffers of the judge: `[B, Hq, Sq, Dv]` for O, A and rounded O, `[B, Hq, Sq]` for LSE and smax.
static void addBuffers(AttentionOp op, const StepBuilder &builder, abi::ReferenceT &reference) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> rows = {getSymbolExpr(attn::ProblemSymbol::Batch, context),
                                  getSymbolExpr(attn::ProblemSymbol::QueryHeads, context),
                                  getSymbolExpr(attn::ProblemSymbol::QueryLength, context)};
  SmallVector<AffineExpr> elements = rows;
  elements.push_back(getAffineConstantExpr(op.getVDepth(), context));
  for (bool isPerRow : {false, true, false, true, false}) {
    auto dims = AffineMap::get(0, attn::kNumProblemSymbols, isPerRow ? rows : elements, context);
    reference.temporaries.push_back(builder.buildBuffer(abi::ElementType::F64, dims));
  }
}

LogicalResult ArtifactBuilder::addReference(func::FuncOp host, AttentionOp op, func::FuncOp kernel, Operation *lowered,
                                            int code) {
  abi::FunctionT *function = lookup(host.getName());
  assert(function && "addFunction comes first");
  assert(!getJudgeObstacle(op) && "the judge reads arguments alone");
  FailureOr<ProblemExprs> problem = getProblemExprs(op);
  FailureOr<abi::ElementType> pType = getElementType(op.getLoc(), op.getValueType().getElementType());
  if (failed(problem) || failed(pType))
    return failure();
  HostStorage storage(host);
  StepBuilder builder(op, storage, lowered, *problem);
  FailureOr<std::unique_ptr<abi::KernelT>> built = builder.buildKernel(kernel);
  if (failed(built))
    return failure();
  auto reference = std::make_unique<abi::ReferenceT>();
  reference->code = code;
  reference->kernel = std::move(*built);
  reference->outputs_are_arguments = op.hasPureBufferSemantics();
  reference->output = *getOutputNumber(op, op.getDpsInitsMutable()[0]);
  if (op.getLse())
    reference->lse = getOutputNumber(op, op.getDpsInitsMutable()[1]).value_or(-1);
  reference->p_type = *pType;
  reference->allow_tf32 = op.getAllowTf32();
  reference->allow_approx = op.getAllowApprox();
  reference->kv_length = toTable((*problem)[static_cast<unsigned>(attn::ProblemSymbol::KVLength)]);
  if (Value lengths = op.getKvLengths())
    reference->kv_lengths = static_cast<int>(cast<BlockArgument>(lengths).getArgNumber());
  addBuffers(op, builder, *reference);
  if (failed(checkExpressions(host, *reference)))
    return failure();
  function->references.push_back(std::move(reference));
  return success();
}
