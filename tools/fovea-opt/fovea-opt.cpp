//===- fovea-opt.cpp - Runs passes on a module -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  fovea::registerToolDialects(registry);
  fovea::registerToolPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Fovea optimizer driver\n", registry));
}
