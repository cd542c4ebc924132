//===- AttnAttrs.cpp - Attributes of the attn dialect, target registry -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/Target.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

AffineExpr fovea::attn::getSymbolExpr(ProblemSymbol symbol, MLIRContext *context) {
  return getAffineSymbolExpr(static_cast<unsigned>(symbol), context);
}

LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t blockM, int64_t blockN,
                                   int64_t warps, int64_t stages, int64_t vectorBytes, bool, bool, bool, DotUnit, bool,
                                   bool, Rescale, int64_t cluster, bool) {
  // What no processor has, and what would take hours to unroll, is refused before anything computes with it.
  auto check = [&](StringRef name, int64_t value, int64_t most) -> LogicalResult {
    if (value < 1 || value > most)
      return emitError() << "strategy " << name << " is " << value << ", must be from 1 to " << most;
    return success();
  };
  return success(succeeded(check("block_m", blockM, 1024)) && succeeded(check("block_n", blockN, 1024)) &&
                 succeeded(check("warps", warps, 32)) && succeeded(check("stages", stages, 64)) &&
                 succeeded(check("vector_bytes", vectorBytes, 4096)) && succeeded(check("cluster", cluster, 8)));
}

Target::~Target() = default;

const Target *TargetRegistry::lookup(StringRef backend) const {
  for (const std::unique_ptr<Target> &target : targets)
    if (target->getBackend() == backend)
      return target.get();
  return nullptr;
}

TargetAttr TargetRegistry::parse(StringRef name, function_ref<InFlightDiagnostic()> emitError) const {
  for (const std::unique_ptr<Target> &target : targets)
    if (TargetAttr attr = target->parse(getDialect()->getContext(), name))
      return attr;
  InFlightDiagnostic diag = emitError() << "unknown target '" << name << "'; known targets: ";
  SmallVector<std::string> names;
  for (const std::unique_ptr<Target> &target : targets)
    llvm::append_range(names, target->getKnownNames());
  llvm::interleave(
      names, [&](const std::string &known) { diag << known; }, [&] { diag << ", "; });
  return nullptr;
}

TargetRegistry &fovea::getTargetRegistry(MLIRContext *context) {
  return *context->getOrLoadDialect<AttnDialect>()->getRegisteredInterface<TargetRegistry>();
}
