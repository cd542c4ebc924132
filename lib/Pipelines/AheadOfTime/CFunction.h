//===- CFunction.h - The C form of a host function -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_AHEADOFTIME_CFUNCTION_H
#define FOVEA_LIB_PIPELINES_AHEADOFTIME_CFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea {

/// An argument or result in C.
struct CValue {
  std::string name;
  mlir::Type type;
  /// Tensors are passed as `const fovea_value *`, scalars by value.
  bool isTensor() const { return llvm::isa<mlir::ShapedType>(type); }
};

/// A function in C, of a name that C takes.
struct CFunction {
  std::string name;
  llvm::SmallVector<CValue> arguments, results;
};

/// The functions in C; one error where a name or a type is none of C.
mlir::FailureOr<llvm::SmallVector<CFunction>> getCFunctions(mlir::ModuleOp module);

/// `fovea_status NAME(...)` and its helpers, documented. `targets` says where they run.
std::string writeHeader(llvm::ArrayRef<CFunction> functions, llvm::StringRef stem, llvm::StringRef targets);

/// The functions and the artifact as a module of the LLVM dialect; calls the names of `getRuntimeCalls()`.
mlir::OwningOpRef<mlir::ModuleOp> buildWrappers(mlir::Location loc, llvm::ArrayRef<CFunction> functions,
                                                llvm::StringRef artifact);
llvm::SmallVector<std::string> getRuntimeCalls();

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_AHEADOFTIME_CFUNCTION_H
