//===- NpyFile.cpp - Captured data from npy files -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NpyFile.h"
#include "Failure.h"
#include "Npy.h"

using namespace fovea;

static bool getType(const std::string &name, fovea_type &type) {
  static const struct {
    const char *name;
    fovea_type type;
  } kTypes[] = {{"f32", FOVEA_F32}, {"f16", FOVEA_F16}, {"bf16", FOVEA_BF16}, {"f64", FOVEA_F64}, {"i1", FOVEA_I1},
                {"i8", FOVEA_I8},   {"i16", FOVEA_I16}, {"i32", FOVEA_I32},   {"i64", FOVEA_I64}};
  for (const auto &known : kTypes)
    if (name == known.name) {
      type = known.type;
      return true;
    }
  return false;
}

std::string fovea::readNpyFile(const std::string &path, const std::string &typeName, Array &array) {
  fovea_type type;
  if (!getType(typeName, type))
    return "tensors of " + typeName + " cannot be read from a file";
  try {
    run::Tensor tensor = run::readNpy(path, type);
    array.dims = tensor.dims;
    array.values.resize(tensor.getNumElements());
    for (int64_t row = 0; !tensor.isEmpty() && row < tensor.getNumRows(); ++row)
      run::readRow(tensor, row, array.values.data() + row * tensor.getRowLength());
  } catch (const run::Failure &failure) {
    return failure.message;
  }
  return "";
}
