//===- RuntimeCode.h - Code that calls the runtime -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_RUNTIMECODE_H
#define FOVEA_LIB_PIPELINES_RUNTIMECODE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea {

/// Builds code of the LLVM dialect on the structs of runtime.h.
class RuntimeCode {
public:
  /// Fields of `fovea_value` and of `fovea_device`.
  enum ValueField : int32_t { ElementType, Rank, Data, Sizes, Strides, Scalar };
  enum DeviceField : int32_t { Backend, Arch, Threads };

  explicit RuntimeCode(mlir::ImplicitLocOpBuilder &b);

  /// A constant C string.
  mlir::LLVM::GlobalOp createString(llvm::StringRef name, llvm::StringRef text);
  /// The bytes of an artifact, and the `fovea_embedded` that stands for them.
  mlir::LLVM::GlobalOp createArtifactBytes(llvm::StringRef name, llvm::StringRef bytes);
  mlir::LLVM::GlobalOp createEmbedded(llvm::StringRef name, mlir::LLVM::GlobalOp bytes);

  mlir::Value constant(mlir::Type type, int64_t value) { return mlir::LLVM::ConstantOp::create(b, type, value); }
  mlir::Value allocate(mlir::Type element, int64_t count);
  mlir::Value getElement(mlir::Value array, mlir::Type element, int64_t index);
  void storeField(mlir::LLVM::LLVMStructType structure, mlir::Value address, int32_t field, mlir::Value value);
  /// The `fovea_type` of a type that an artifact has.
  mlir::Value getElementType(mlir::Type type);
  /// A `fovea_value` of rank -1 whose bits are the i64 `bits`.
  void storeScalar(mlir::Value address, mlir::Type type, mlir::Value bits);

  mlir::LLVM::LLVMPointerType pointer;
  mlir::IntegerType i32, i64;
  mlir::LLVM::LLVMStructType valueType, deviceType, embeddedType;

private:
  mlir::ImplicitLocOpBuilder &b;
};

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_RUNTIMECODE_H
