//===- Json.h - JSON that people and tools write -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_TARGET_NVPTX_JSON_H
#define FOVEA_LIB_TARGET_NVPTX_JSON_H

#include "llvm/Support/JSON.h"

namespace fovea {

/// Parses the text of a file that the compiler did not write itself. Beside what `llvm::json::parse` refuses it is an
/// error to nest arrays and objects deeper than 64, which would exhaust the stack of that parser, and to name a key of
/// an object twice, of which the parser would keep one. Every message is one line with the place in the text.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace fovea

#endif // FOVEA_LIB_TARGET_NVPTX_JSON_H
