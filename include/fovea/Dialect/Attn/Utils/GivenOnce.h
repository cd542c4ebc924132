//===- GivenOnce.h - Options of passes that are given once -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_UTILS_GIVENONCE_H
#define FOVEA_DIALECT_ATTN_UTILS_GIVENONCE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/CommandLine.h"

namespace fovea {

/// Reports an option that was given more than once, under its `name`.
inline mlir::LogicalResult checkGivenOnce(const llvm::cl::Option &option, const llvm::Twine &name,
                                          llvm::function_ref<mlir::LogicalResult(const llvm::Twine &message)> report) {
  if (int count = option.getNumOccurrences(); count > 1)
    return report(name + " is given " + llvm::Twine(count) + " times; give it once");
  return mlir::success();
}

/// After the options of a pass or pipeline are parsed: reports the first of `options` that was given more than once, of
/// which MLIR keeps the last value without a word.
inline mlir::LogicalResult checkGivenOnce(llvm::ArrayRef<const llvm::cl::Option *> options,
                                          llvm::function_ref<mlir::LogicalResult(const llvm::Twine &message)> report) {
  for (const llvm::cl::Option *option : options)
    if (mlir::failed(checkGivenOnce(*option, option->ArgStr, report)))
      return mlir::failure();
  return mlir::success();
}

} // namespace fovea

#endif // FOVEA_DIALECT_ATTN_UTILS_GIVENONCE_H
