/*===- Passes.h - Each pass, to create and to register -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_C_PASSES_H
#define FOVEA_C_PASSES_H

/* For each pass X of a part P: MlirPass mlirCreateFoveaPX(void), void mlirRegisterFoveaPX(void); and
   void mlirRegisterFoveaPPasses(void). Options are given where a pipeline is parsed. */
#include "fovea/Conversion/Passes.capi.h.inc"
#include "fovea/Dialect/Attn/Transforms/Passes.capi.h.inc"
#include "fovea/Pipelines/Passes.capi.h.inc"
#include "fovea/Target/CPU/Passes.capi.h.inc"
#include "fovea/Target/NVPTX/Passes.capi.h.inc"

#endif /* FOVEA_C_PASSES_H */
