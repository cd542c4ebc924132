//===- LimitPasses.h - LLVM's passes that large kernels go without -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_LIMITPASSES_H
#define FOVEA_LIB_TARGET_NVPTX_LIMITPASSES_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
} // namespace llvm

namespace fovea::nvptx {

/// Leaves a pass of LLVM's code generator out where it would take minutes: one that compares the instructions of a
/// kernel with each other, without a limit of its own. The code is right without it, if longer by some additions.
class PassLimits final : public llvm::OptPassGate {
public:
  explicit PassLimits(const llvm::Module &module);

  bool isEnabled() const override { return !large.empty(); }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const override;

private:
  /// Functions, as LLVM describes them to `shouldRunPass`.
  llvm::StringSet<> large;
};

} // namespace fovea::nvptx

#endif // FOVEA_LIB_TARGET_NVPTX_LIMITPASSES_H
