//===- RuntimeCode.cpp - Code that calls the runtime -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCode.h"
#include "fovea/Artifact/ArtifactBuilder.h"

using namespace mlir;
using namespace fovea;

/// `FOVEA_API_VERSION` of runtime.h.
static constexpr int32_t kApiVersion = 2;

RuntimeCode::RuntimeCode(ImplicitLocOpBuilder &b)
    : pointer(LLVM::LLVMPointerType::get(b.getContext())), i32(b.getI32Type()), i64(b.getI64Type()),
      valueType(
          LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, pointer, pointer, pointer, i64, pointer, i64})),
      deviceType(LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, pointer, i32, pointer, pointer, pointer})),
      embeddedType(LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, pointer, i64, pointer})), b(b) {}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

static LLVM::GlobalOp createBytes(ImplicitLocOpBuilder &b, StringRef name, StringRef bytes, unsigned alignment) {
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(bytes),
                                alignment);
}

LLVM::GlobalOp RuntimeCode::createString(StringRef name, StringRef text) {
  return createBytes(b, name, text.str() + '\0', /*alignment=*/0);
}

LLVM::GlobalOp RuntimeCode::createArtifactBytes(StringRef name, StringRef bytes) {
  return createBytes(b, name, bytes, /*alignment=*/16);
}

LLVM::GlobalOp RuntimeCode::createEmbedded(StringRef name, LLVM::GlobalOp bytes) {
  auto embedded =
      LLVM::GlobalOp::create(b, embeddedType, /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&embedded.getInitializerRegion());
  int64_t size = cast<LLVM::LLVMArrayType>(bytes.getType()).getNumElements();
  Value fields[] = {constant(i32, kApiVersion), LLVM::AddressOfOp::create(b, bytes), constant(i64, size),
                    LLVM::ZeroOp::create(b, pointer)};
  Value value = LLVM::UndefOp::create(b, embeddedType);
  for (auto [index, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(b, value, field, index);
  LLVM::ReturnOp::create(b, value);
  return embedded;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value RuntimeCode::allocate(Type element, int64_t count) {
  return LLVM::AllocaOp::create(b, pointer, element, constant(i64, count), /*alignment=*/16);
}

Value RuntimeCode::getElement(Value array, Type element, int64_t index) {
  return LLVM::GEPOp::create(b, pointer, element, array, ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(index)));
}

void RuntimeCode::storeField(LLVM::LLVMStructType structure, Value address, int32_t field, Value value) {
  LLVM::StoreOp::create(b, value,
                        LLVM::GEPOp::create(b, pointer, structure, address, ArrayRef<LLVM::GEPArg>{0, field}));
}

Value RuntimeCode::getElementType(Type type) { return constant(i32, static_cast<int64_t>(*lookupElementType(type))); }

void RuntimeCode::storeScalar(Value address, Type type, Value bits) {
  LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, valueType), address);
  storeField(valueType, address, ElementType, getElementType(type));
  storeField(valueType, address, Rank, constant(i32, -1));
  storeField(valueType, address, Scalar, bits);
}
