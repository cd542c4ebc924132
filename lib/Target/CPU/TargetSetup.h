//===- TargetSetup.h - LLVM's code generator for this machine -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_TARGETSETUP_H
#define FOVEA_LIB_TARGET_CPU_TARGETSETUP_H

#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

namespace fovea::cpu {
/// The triple that CPU code is made for: this process's.
llvm::Triple getTriple();
/// LLVM's code generator for that triple, initialised on first use.
const llvm::Target &getNativeTarget();
} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_TARGETSETUP_H
