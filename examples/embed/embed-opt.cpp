//===- embed-opt.cpp - An opt tool with passes of its own and of Fovea -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseCalls.h"
#include "fovea/InitAll.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  fovea::registerAllDialects(registry);
  fovea::registerAllPasses();
  mlir::registerTransformsPasses();
  embed::registerRaiseCalls();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "A compiler with Fovea inside\n", registry));
}
