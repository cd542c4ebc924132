//===- JoinPtx.cpp - One PTX module of several -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX that LLVM writes for a module with one kernel has three parts: a header that ends with `.address_size`,
// declarations of one line each, and the kernel from its `.entry` on. A joined module has the header once, the
// declarations of all, each once, and the kernels.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
/// The parts of one module.
struct Parts {
  StringRef header, declarations, kernel;
};
} // namespace

static Parts splitPtx(StringRef ptx) {
  size_t headerEnd = ptx.find('\n', ptx.find(".address_size")) + 1;
  size_t kernelBegin = ptx.rfind('\n', ptx.find(".entry ", headerEnd)) + 1;
  return {ptx.take_front(headerEnd), ptx.slice(headerEnd, kernelBegin), ptx.drop_front(kernelBegin)};
}

std::string nvptx::joinPtx(ArrayRef<CodeImage> kernels) {
  llvm::StringSet<> known;
  std::string declarations, bodies;
  for (const CodeImage &image : kernels) {
    Parts parts = splitPtx(image.bytes);
    for (StringRef line : llvm::split(parts.declarations, '\n'))
      if (line.starts_with(".") && known.insert(line).second)
        declarations += (line + "\n").str();
    bodies += "\n";
    bodies += parts.kernel;
  }
  return splitPtx(kernels.front().bytes).header.str() + "\n" + declarations + bodies;
}
