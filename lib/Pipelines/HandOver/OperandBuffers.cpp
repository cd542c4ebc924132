//===- OperandBuffers.cpp - The values of an op in memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandBuffers.h"
#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea;

/// A buffer for a tensor to read.
static Value toBuffer(ImplicitLocOpBuilder &b, Value value) {
  if (!isa<TensorType>(value.getType()))
    return value;
  return bufferization::ToBufferOp::create(b, attn::getKernelArgumentType(value.getType()), value, /*read_only=*/true);
}

static Value createResultBuffer(ImplicitLocOpBuilder &b, Value destination) {
  auto type = cast<RankedTensorType>(destination.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, destination, dim));
  Value fresh = bufferization::AllocTensorOp::create(b, type, sizes, /*copy=*/Value());
  return bufferization::ToBufferOp::create(b, attn::getKernelArgumentType(type), fresh);
}

OperandBuffers::OperandBuffers(ImplicitLocOpBuilder &b, DestinationStyleOpInterface op) : op(op) {
  for (OpOperand &operand : op->getOpOperands()) {
    bool isResult = op.isDpsInit(&operand) && isa<TensorType>(operand.get().getType());
    operands.push_back(isResult ? createResultBuffer(b, operand.get()) : toBuffer(b, operand.get()));
  }
  if (auto attention = dyn_cast<attn::AttentionOp>(*op))
    for (Value capture : attn::getKernelCaptures(attention))
      captures.push_back(toBuffer(b, capture));
}

void OperandBuffers::replaceOp(ImplicitLocOpBuilder &b) {
  SmallVector<Value> results;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (isa<TensorType>(init.get().getType()))
      results.push_back(bufferization::ToTensorOp::create(b, init.get().getType(), operands[init.getOperandNumber()],
                                                          /*restrict=*/true, /*writable=*/true));
  op->replaceAllUsesWith(results);
  op->erase();
}

Value fovea::toWord(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType(), word = b.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, word, value);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(b, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  return value.getType() == word ? value : arith::ExtUIOp::create(b, word, value).getResult();
}

Value fovea::getPointer(ImplicitLocOpBuilder &b, Value memref) {
  Value address = toWord(b, memref::ExtractAlignedPointerAsIndexOp::create(b, memref));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), address);
}
