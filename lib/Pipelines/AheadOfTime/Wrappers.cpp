//===- Wrappers.cpp - C functions around an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CFunction.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace fovea;

static constexpr StringLiteral kFind = "fovea_embedded_find";
static constexpr StringLiteral kLaunch = "fovea_embedded_launch";
static constexpr StringLiteral kWorkspaceSize = "fovea_embedded_workspace_size";
static constexpr StringLiteral kBytes = "artifact_bytes", kEmbedded = "artifact";

/// `FOVEA_API_VERSION` and `fovea_type` of runtime.h.
static constexpr int32_t kApiVersion = 1;
enum RuntimeType : int32_t { F32 = 0, F64 = 3, I1 = 6, I8 = 7, I16 = 8, I32 = 9, I64 = 10, Index = 11 };

SmallVector<std::string> fovea::getRuntimeCalls() { return {kFind.str(), kLaunch.str(), kWorkspaceSize.str()}; }

namespace {
/// Writes one module of wrappers.
class WrapperBuilder {
public:
  explicit WrapperBuilder(ModuleOp module)
      : b(module.getLoc(), OpBuilder::atBlockEnd(module.getBody())),
        pointer(LLVM::LLVMPointerType::get(b.getContext())), i32(b.getI32Type()), i64(b.getI64Type()),
        valueType(LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                   {i32, i32, pointer, pointer, pointer, i64, pointer, i64})) {}

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
  void storeField(Value address, int32_t field, Value value);
  SmallVector<Type> getTypes(ArrayRef<CValue> values);
  Value constant(Type type, int64_t value) { return LLVM::ConstantOp::create(b, type, value); }

  ImplicitLocOpBuilder b;
  Type pointer, i32, i64;
  /// `fovea_value`.
  LLVM::LLVMStructType valueType;
};
} // namespace

void WrapperBuilder::declare(StringRef name, ArrayRef<Type> types) {
  LLVM::LLVMFuncOp::create(b, name, LLVM::LLVMFunctionType::get(i32, types));
}

/// The bytes, and the `fovea_embedded` that stands for them.
void WrapperBuilder::addArtifact(StringRef bytes) {
  auto bytesType = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  LLVM::GlobalOp::create(b, bytesType, /*isConstant=*/true, LLVM::Linkage::Internal, kBytes, b.getStringAttr(bytes),
                         /*alignment=*/16);
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, pointer, i64, pointer});
  auto embedded =
      LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::Internal, kEmbedded, Attribute());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&embedded.getInitializerRegion());
  Value fields[] = {constant(i32, kApiVersion), LLVM::AddressOfOp::create(b, pointer, kBytes),
                    constant(i64, bytes.size()), LLVM::ZeroOp::create(b, pointer)};
  Value value = LLVM::UndefOp::create(b, type);
  for (auto [index, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(b, value, field, index);
  LLVM::ReturnOp::create(b, value);
  b.setInsertionPointAfter(embedded);
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

static int32_t getRuntimeType(Type type) {
  if (isa<FloatType>(type))
    return type.isF32() ? F32 : F64;
  if (type.isIndex())
    return Index;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return I1;
  case 8:
    return I8;
  case 16:
    return I16;
  case 32:
    return I32;
  default:
    return I64;
  }
}

void WrapperBuilder::storeField(Value address, int32_t field, Value value) {
  LLVM::StoreOp::create(b, value,
                        LLVM::GEPOp::create(b, pointer, valueType, address, ArrayRef<LLVM::GEPArg>{0, field}));
}

/// A `fovea_value` of rank -1.
void WrapperBuilder::storeScalar(Value address, Value scalar, Type type) {
  Type stored = scalar.getType();
  if (isa<FloatType>(stored))
    scalar = LLVM::BitcastOp::create(b, b.getIntegerType(stored.getIntOrFloatBitWidth()), scalar);
  if (scalar.getType() != i64)
    scalar = LLVM::ZExtOp::create(b, i64, scalar);
  LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, valueType), address);
  storeField(address, 0, constant(i32, getRuntimeType(type)));
  storeField(address, 1, constant(i32, -1));
  storeField(address, 5, scalar);
}

/// An array of `fovea_value`s on the stack.
Value WrapperBuilder::packValues(ArrayRef<CValue> values, ArrayRef<BlockArgument> arguments) {
  if (values.empty())
    return LLVM::ZeroOp::create(b, pointer);
  Value array = LLVM::AllocaOp::create(b, pointer, valueType, constant(i64, values.size()), /*alignment=*/16);
  for (auto [index, value] : llvm::enumerate(values)) {
    Value address =
        LLVM::GEPOp::create(b, pointer, valueType, array, ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(index)));
    if (value.isTensor())
      LLVM::StoreOp::create(b, LLVM::LoadOp::create(b, valueType, arguments[index], /*alignment=*/8), address);
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
                            arguments, constant(i32, numArguments), results, constant(i32, numResults),
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
                                   parameters.front(), arguments, constant(i32, numArguments), parameters.back()});
  });
}

void WrapperBuilder::addFind(const CFunction &function) {
  addWrapper(function.name + "_find", {pointer}, [&](Block &entry) {
    callAndReturn(kFind, {LLVM::AddressOfOp::create(b, pointer, kEmbedded), getName(function), entry.getArgument(0)});
  });
}

void WrapperBuilder::addFunctions(const CFunction &function) {
  std::string text = function.name + '\0';
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()), /*isConstant=*/true,
                         LLVM::Linkage::Internal, function.name + ".name", b.getStringAttr(text));
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
