//===- Passes.cpp - Each pass, to create and to register -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea-c/Passes.h"
#include "fovea/Conversion/Passes.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Pipelines/Passes.h"
#include "fovea/Target/CPU/Passes.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/CAPI/Pass.h"

using namespace fovea;

// The generated definitions name a function of their own prefix for all passes of a part.
static void registerFoveaAttnPasses() { attn::registerAttnPasses(); }
static void registerFoveaConversionPasses() { conversion::registerConversionPasses(); }
static void registerFoveaPipelinesPasses() { pipelines::registerPipelinesPasses(); }
static void registerFoveaCPUPasses() { cpu::registerCPUPasses(); }
static void registerFoveaNVPTXPasses() { nvptx::registerNVPTXPasses(); }

using namespace fovea::attn;
using namespace fovea::conversion;
using namespace fovea::cpu;
using namespace fovea::nvptx;
using namespace fovea::pipelines;
#include "fovea/Conversion/Passes.capi.cpp.inc"
#include "fovea/Dialect/Attn/Transforms/Passes.capi.cpp.inc"
#include "fovea/Pipelines/Passes.capi.cpp.inc"
#include "fovea/Target/CPU/Passes.capi.cpp.inc"
#include "fovea/Target/NVPTX/Passes.capi.cpp.inc"
