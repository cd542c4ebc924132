//===- CNames.h - Names of functions in C and C++ -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_PIPELINES_AHEADOFTIME_CNAMES_H
#define FOVEA_LIB_PIPELINES_AHEADOFTIME_CNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace fovea {

/// Whether a name is made of the letters, digits and underscores that every C compiler takes.
bool isCIdentifier(llvm::StringRef name);

/// Why a program in C or C++ cannot have a function of this name, as the end of a message; empty where it can. A name
/// of the C library would link, and be called by others in its place.
std::string findFaultOfCName(llvm::StringRef name);

} // namespace fovea

#endif // FOVEA_LIB_PIPELINES_AHEADOFTIME_CNAMES_H
