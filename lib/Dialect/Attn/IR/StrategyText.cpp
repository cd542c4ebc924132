//===- StrategyText.cpp - Strategies that users write -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/StrategyText.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

/// Characters of a text that a message repeats.
static constexpr size_t kMostShown = 200;

StrategyAttr fovea::attn::parseStrategy(StringRef text, MLIRContext *context, std::string &fault) {
  StrategyAttr strategy;
  std::string reason;
  // Other attributes nest: a text of brackets alone would exhaust the parser's stack.
  if (text.trim().starts_with("#attn.strategy<")) {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      reason = reason.empty() ? " (" + diagnostic.str() + ")" : reason;
      return success();
    });
    strategy = dyn_cast_or_null<StrategyAttr>(parseAttribute(text, context));
  }
  if (!strategy)
    fault = ("'" + text.take_front(kMostShown) + (text.size() > kMostShown ? "..." : "") +
             "' is no strategy; expected #attn.strategy<...>" + reason)
                .str();
  return strategy;
}
