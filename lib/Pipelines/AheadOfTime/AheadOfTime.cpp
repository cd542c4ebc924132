//===- AheadOfTime.cpp - Functions of C from attention -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Pipelines/AheadOfTime.h"
#include "CFunction.h"
#include "CNames.h"
#include "fovea/Target/CPU/CPUEmit.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fovea;

/// Scalars that a C function takes by value.
static bool isScalar(Type type) {
  return type.isF32() || type.isF64() || type.isIndex() || type.isInteger(1) || type.isInteger(8) ||
         type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
}

static LogicalResult checkName(func::FuncOp function, llvm::StringSet<> &names) {
  StringRef name = function.getName();
  if (std::string fault = findFaultOfCName(name); !fault.empty())
    return function.emitError() << "'" << name << "' cannot be the name of a C function: " << fault
                                << "; rename the function";
  for (const char *suffix : {"", "_find", "_workspace_size"})
    if (!names.insert((name + suffix).str()).second)
      return function.emitError() << "the C function '" << name << suffix << "' would be there twice; rename it";
  return success();
}

static FailureOr<CFunction> getCFunction(func::FuncOp function) {
  CFunction result;
  result.name = function.getName().str();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<ShapedType>(type) && !isScalar(type))
      return function.emitError() << "argument " << index << " of type " << type
                                  << " cannot be passed in C; use f32, f64, index or an integer";
    result.arguments.push_back({"arg" + std::to_string(index), type});
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    result.results.push_back({"result" + std::to_string(index), type});
  return result;
}

FailureOr<SmallVector<CFunction>> fovea::getCFunctions(ModuleOp module) {
  SmallVector<CFunction> result;
  llvm::StringSet<> names;
  for (func::FuncOp host : getHostFunctions(module)) {
    if (failed(checkName(host, names)))
      return failure();
    FailureOr<CFunction> function = getCFunction(host);
    if (failed(function))
      return failure();
    result.push_back(std::move(*function));
  }
  return result;
}

FailureOr<AheadOfTimeCode> fovea::compileAheadOfTime(ModuleOp module, const CompileOptions &options, StringRef stem) {
  FailureOr<SmallVector<CFunction>> functions = getCFunctions(module);
  if (failed(functions))
    return failure();
  FailureOr<std::string> artifact = compileToArtifact(module, options);
  if (failed(artifact))
    return failure();
  OwningOpRef<ModuleOp> wrappers = buildWrappers(module.getLoc(), *functions, *artifact);
  cpu::EmitOptions emit;
  // They move pointers: nothing that a processor of this kind would lack.
  emit.cpu = {"generic", ""};
  emit.allowedCalls = getRuntimeCalls();
  FailureOr<std::string> object = cpu::emitCode(*wrappers, CodeKind::Object, emit);
  if (failed(object))
    return failure();
  return AheadOfTimeCode{writeHeader(*functions, stem, llvm::join(options.targets, ", ")), std::move(*object)};
}
