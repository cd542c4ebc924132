//===- Fragments.cpp - Operands of matrix instructions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

Value nvptx::offsetPointer(ImplicitLocOpBuilder &b, Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

SmallVector<Value> SharedFragments::load(int64_t constRow, int64_t constChunk) {
  auto offset = layout.getChunk(lane.row, lane.col, constRow, constChunk);
  Value &pointer = pointers[layout.getVariant(constChunk)];
  if (!pointer)
    pointer = getSharedPointer(b, (offset.thread + IRInt{&b, slotOffset}).value);
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value words = NVVM::LdMatrixOp::create(b, type, offsetPointer(b, pointer, offset.constant), 4,
                                         transpose ? NVVM::MMALayout::col : NVVM::MMALayout::row, shape,
                                         NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> result;
  for (int64_t i = 0; i < 4; ++i)
    result.push_back(LLVM::ExtractValueOp::create(b, words, i));
  return result;
}

SharedFragments nvptx::getLeftFragments(ImplicitLocOpBuilder &b, SharedLayout layout, Value slotOffset,
                                        int64_t rowsPerWarp) {
  IRInt thread = getThread(b);
  Position<IRInt> lane = getRowMajorLane(thread & 31);
  lane.row = (thread >> 5) * rowsPerWarp + lane.row;
  return SharedFragments(b, layout, slotOffset, lane, /*transpose=*/false);
}

SharedFragments nvptx::getRightFragments(ImplicitLocOpBuilder &b, SharedLayout layout, Value slotOffset,
                                         bool transposed) {
  IRInt lane = getThread(b) & 31;
  return SharedFragments(b, layout, slotOffset, transposed ? getColMajorLane(lane) : getRowMajorLane(lane),
                         /*transpose=*/!transposed);
}

/// f16 fragments are pairs, all others words.
static SmallVector<Value> castOperand(ImplicitLocOpBuilder &b, Type type, ArrayRef<Value> words) {
  if (!type.isF16())
    return SmallVector<Value>(words);
  SmallVector<Value> pairs;
  for (Value word : words)
    pairs.push_back(LLVM::BitcastOp::create(b, VectorType::get(2, type), word));
  return pairs;
}

static NVVM::MMATypes getMmaType(Type type) {
  if (type.isF16())
    return NVVM::MMATypes::f16;
  return type.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::tf32;
}

void nvptx::buildMma(ImplicitLocOpBuilder &b, Type type, ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                     MutableArrayRef<Value> acc) {
  Type f32 = b.getF32Type();
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  NVVM::MMATypes mmaType = getMmaType(type);
  Value d = NVVM::MmaOp::create(b, result, castOperand(b, type, lhs), castOperand(b, type, rhs), ValueRange(acc),
                                ArrayRef<int64_t>{kMmaRows, kMmaCols, type.isF32() ? 8 : 16}, std::nullopt,
                                std::nullopt, std::array<NVVM::MMATypes, 2>{mmaType, mmaType},
                                std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (int64_t i = 0; i < 4; ++i)
    acc[i] = LLVM::ExtractValueOp::create(b, d, i);
}
