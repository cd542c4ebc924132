//===- Wrappers.cpp - C functions around an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RuntimeCode.h"
#include "CFunction.h"
#include "fovea/Dialect/Attn/IR/Attn.h"

using namespace mlir;
using namespace fovea;

static constexpr StringLiteral kFind = "fovea_embedded_find";
static constexpr StringLiteral kLaunch = "fovea_embedded_launch";
static constexpr StringLiteral kWorkspaceSize = "fovea_embedded_workspace_size";
/// No function of C has such a name.
static constexpr StringLiteral kBytes = "artifact.bytes", kEmbedded = "artifact.embedded";

SmallVector<std::string> fovea::getRuntimeCalls() { return {kFind.str(), kLaunch.str(), kWorkspaceSize.str()}; }

namespace {
/// Writes one module of wrappers.
class WrapperBuilder {
public:
  explicit WrapperBuilder(ModuleOp module)
      : b(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())), code(b), pointer(code.pointer), i32(code.i32),
        i64(code.i64) {}

  void addArtifact(StringRef bytes);
  void addFunctions(const CFunction &function);

private:
  void declare(StringRef name, ArrayRef<Type> types);
  void addWrapper(StringRef name, ArrayRef<Type> types, llvm::function_ref<void(Block &)> build);
  void addLaunch(const CFunction &function);
  void addWorkspaceSize(const CFunction &function);
  void addFind(const CFunction &function);
  void callAndReturn(StringRef name, ArrayRef<Value> operands);
  Value getName(const CFunction &function);
  Value packValues(ArrayRef<CValue> values, ArrayRef<BlockArgument> arguments);
  void storeScalar(Value address, Value scalar, Type type);
  SmallVector<Type> getTypes(ArrayRef<CValue> values);

  ImplicitLocOpBuilder b;
  RuntimeCode code;
  Type pointer, i32, i64;
};
} // namespace

void WrapperBuilder::declare(StringRef name, ArrayRef<Type> types) {
  LLVM::LLVMFuncOp::create(b, name, LLVM::LLVMFunctionType::get(i32, types));
}

void WrapperBuilder::addArtifact(StringRef bytes) {
  code.createEmbedded(kEmbedded, code.createArtifactBytes(kBytes, bytes));
  declare(kFind, {pointer, pointer, pointer});
  declare(kWorkspaceSize, {pointer, pointer, pointer, pointer, i32, pointer});
  declare(kLaunch, {pointer, pointer, pointer, pointer, i32, pointer, i32, pointer, i64});
}

void WrapperBuilder::addWrapper(StringRef name, ArrayRef<Type> types, llvm::function_ref<void(Block &)> build) {
  auto function = LLVM::LLVMFuncOp::create(b, name, LLVM::LLVMFunctionType::get(i32, types));
  OpBuilder::InsertionGuard guard(b);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  build(*entry);
}

/// The name of the function in the artifact, a C string.
Value WrapperBuilder::getName(const CFunction &function) {
  return LLVM::AddressOfOp::create(b, pointer, function.name + ".name");
}

void WrapperBuilder::callAndReturn(StringRef name, ArrayRef<Value> operands) {
  auto call = LLVM::CallOp::create(b, TypeRange(i32), name, operands);
  LLVM::ReturnOp::create(b, call.getResults());
}

SmallVector<Type> WrapperBuilder::getTypes(ArrayRef<CValue> values) {
  return llvm::map_to_vector(values, [&](const CValue &value) -> Type {
    return value.isTensor()          ? pointer
           : value.type.isIndex()    ? i64
           : value.type.isInteger(1) ? b.getI8Type()
                                     : value.type;
  });
}

/// A `fovea_value` of rank -1.
void WrapperBuilder::storeScalar(Value address, Value scalar, Type type) {
  Type stored = scalar.getType();
  if (isa<FloatType>(stored))
    scalar = LLVM::BitcastOp::create(b, b.getIntegerType(stored.getIntOrFloatBitWidth()), scalar);
  if (scalar.getType() != i64)
    scalar = LLVM::ZExtOp::create(b, i64, scalar);
  code.storeScalar(address, type, scalar);
}

/// An array of `fovea_value`s on the stack.
Value WrapperBuilder::packValues(ArrayRef<CValue> values, ArrayRef<BlockArgument> arguments) {
  if (values.empty())
    return LLVM::ZeroOp::create(b, pointer);
  Value array = code.allocate(code.valueType, values.size());
  for (auto [index, value] : llvm::enumerate(values)) {
    Value address = code.getElement(array, code.valueType, index);
    if (value.isTensor())
      LLVM::StoreOp::create(b, LLVM::LoadOp::create(b, code.valueType, arguments[index], /*alignment=*/8), address);
    else
      storeScalar(address, arguments[index], value.type);
  }
  return array;
}

void WrapperBuilder::addLaunch(const CFunction &function) {
  size_t numArguments = function.arguments.size(), numResults = function.results.size();
  SmallVector<Type> types = {pointer};
  llvm::append_range(types, getTypes(function.arguments));
  llvm::append_range(types, getTypes(function.results));
  types.append({pointer, i64});
  addWrapper(function.name, types, [&](Block &entry) {
    ArrayRef<BlockArgument> parameters = entry.getArguments();
    Value arguments = packValues(function.arguments, parameters.slice(1, numArguments));
    Value results = packValues(function.results, parameters.slice(1 + numArguments, numResults));
    callAndReturn(kLaunch, {LLVM::AddressOfOp::create(b, pointer, kEmbedded), getName(function), parameters.front(),
                            arguments, code.constant(i32, numArguments), results, code.constant(i32, numResults),
                            parameters.drop_back().back(), parameters.back()});
  });
}

void WrapperBuilder::addWorkspaceSize(const CFunction &function) {
  size_t numArguments = function.arguments.size();
  SmallVector<Type> types = {pointer};
  llvm::append_range(types, getTypes(function.arguments));
  types.push_back(pointer);
  addWrapper(function.name + "_workspace_size", types, [&](Block &entry) {
    ArrayRef<BlockArgument> parameters = entry.getArguments();
    Value arguments = packValues(function.arguments, parameters.slice(1, numArguments));
    callAndReturn(kWorkspaceSize, {LLVM::AddressOfOp::create(b, pointer, kEmbedded), getName(function),
                                   parameters.front(), arguments, code.constant(i32, numArguments), parameters.back()});
  });
}

void WrapperBuilder::addFind(const CFunction &function) {
  addWrapper(function.name + "_find", {pointer}, [&](Block &entry) {
    callAndReturn(kFind, {LLVM::AddressOfOp::create(b, pointer, kEmbedded), getName(function), entry.getArgument(0)});
  });
}

void WrapperBuilder::addFunctions(const CFunction &function) {
  code.createString(function.name + ".name", function.name);
  addLaunch(function);
  addWorkspaceSize(function);
  addFind(function);
}

OwningOpRef<ModuleOp> fovea::buildWrappers(Location loc, ArrayRef<CFunction> functions, StringRef artifact) {
  loc.getContext()->loadDialect<LLVM::LLVMDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  WrapperBuilder builder(*module);
  builder.addArtifact(artifact);
  for (const CFunction &function : functions)
    builder.addFunctions(function);
  return module;
}
