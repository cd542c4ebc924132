//===- Passes.td - Conversions between dialects ---------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_CONVERSION_PASSES_TD
#define FOVEA_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // FOVEA_CONVERSION_PASSES_TD
