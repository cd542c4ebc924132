//===- Builtins.h - Conversions that LLVM calls by name -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_BUILTINS_H
#define FOVEA_LIB_TARGET_CPU_BUILTINS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace fovea::cpu {
/// Where a CPU has no instruction for a conversion of f16 or bf16, LLVM calls a function of the compiler's run-time
/// library, which a kernel must not need. Adds hidden definitions of those among `names` to `module`, of which one
/// stays where objects are linked; returns whether there were any.
bool addBuiltins(llvm::Module &module, llvm::ArrayRef<std::string> names);
} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_BUILTINS_H
