//===- StrategyText.h - Strategies that users write -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_STRATEGYTEXT_H
#define FOVEA_DIALECT_ATTN_IR_STRATEGYTEXT_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// The strategy that `text`, of an option or a file, stands for. Null where it is none; `fault` is then one line that
/// says so, with the text and the reason. Nothing is emitted.
StrategyAttr parseStrategy(llvm::StringRef text, mlir::MLIRContext *context, std::string &fault);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_IR_STRATEGYTEXT_H
