//===- Registration.cpp - Version and registration -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea-c/Registration.h"
#include "fovea/InitAll.h"
#include "mlir/CAPI/IR.h"

int foveaGetApiVersion() { return FOVEA_C_API_VERSION; }

MlirStringRef foveaGetVersion() { return mlirStringRefCreateFromCString(FOVEA_VERSION); }

void foveaRegisterAllDialects(MlirDialectRegistry registry) { fovea::registerAllDialects(*unwrap(registry)); }

void foveaRegisterAllPasses() { fovea::registerAllPasses(); }
