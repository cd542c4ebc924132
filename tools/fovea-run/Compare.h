//===- Compare.h - How close is close -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUN_COMPARE_H
#define FOVEA_RUN_COMPARE_H

#include "Arguments.h"
#include "Report.h"

namespace fovea::run {

/// Compares with the references of the function by the rule of the semantics ("How close is close").
void check(const fovea_function *function, const Options &options, const std::vector<CallValue> &arguments,
           const std::vector<CallValue> &results, Report &report);

/// Compares one output with `--expect`.
Comparison compareExpected(const CallValue &output, const ValueSpec &spec);

/// Fails where memory of an output outside of its elements has changed.
void checkGuard(const CallValue &output);

} // namespace fovea::run

#endif // FOVEA_RUN_COMPARE_H
