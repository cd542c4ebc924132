//===- AttnAssembly.cpp - Custom assembly of the attn dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"

using namespace mlir;
using namespace fovea::attn;

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &) {
  return parser.emitError(parser.getCurrentLocation(), "not parsed yet");
}
void AttentionOp::print(OpAsmPrinter &) {}
ParseResult CombineOp::parse(OpAsmParser &parser, OperationState &) {
  return parser.emitError(parser.getCurrentLocation(), "not parsed yet");
}
void CombineOp::print(OpAsmPrinter &) {}
