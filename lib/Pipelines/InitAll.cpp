//===- InitAll.cpp - Registers every dialect, pass and target -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/InitAll.h"
#include "Upstream.h"
#include "fovea/Conversion/Passes.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Attn/Transforms/InterfaceImpls.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Pipelines/Passes.h"
#include "fovea/Pipelines/Pipelines.h"
#include "fovea/Target/CPU/CPUTarget.h"
#include "fovea/Target/CPU/Passes.h"
#include "fovea/Target/NVPTX/NVPTXTarget.h"

using namespace mlir;

void fovea::registerAllDialects(DialectRegistry &registry) {
  registerUpstreamDialects(registry);
  registry.insert<attn::AttnDialect, tile::TileDialect>();
  attn::registerBufferizableOpInterfaceExternalModels(registry);
  attn::registerTilingInterfaceExternalModels(registry);
  attn::registerPartialReductionExternalModels(registry);
  registerNVPTXTarget(registry);
  cpu::registerCPUTarget(registry);
}

void fovea::registerAllPasses() {
  registerPipelines();
  attn::registerAttnPasses();
  conversion::registerConversionPasses();
  cpu::registerCPUPasses();
  cpu::registerCPUPipelines();
  registerNVPTXPasses();
  pipelines::registerPipelinesPasses();
}
