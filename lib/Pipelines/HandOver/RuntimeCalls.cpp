//===- RuntimeCalls.cpp - Attention as calls of the runtime -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "../RuntimeCode.h"
#include "FunctionKernels.h"
#include "OperandBuffers.h"
#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "fovea/Dialect/Attn/Utils/ElementSize.h"
#include "fovea/Pipelines/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using attn::AttentionOp;

/// `fovea_backend` of runtime.h.
enum RuntimeBackend : int32_t { kCpu = 0, kCuda = 1 };

/// A function that is compiled, and its name and code.
struct RuntimeCalls::Callee {
  OwningOpRef<ModuleOp> module;
  std::string name, artifact;
  /// Null until a call needs it.
  LLVM::LLVMFuncOp function;

  func::FuncOp getSource() { return *module->getOps<func::FuncOp>().begin(); }
};

RuntimeCalls::RuntimeCalls(SymbolTable &symbols, const HandOverOptions &options, bool isHost)
    : symbols(symbols), options(options), isHost(isHost) {}
RuntimeCalls::~RuntimeCalls() = default;

//===----------------------------------------------------------------------===//
// The function in the artifact
//===----------------------------------------------------------------------===//

/// The type of `fovea_embedded_run_or_abort`.
static LLVM::LLVMFunctionType getRuntimeCallType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                     {pointer, pointer, pointer, pointer, IntegerType::get(context, 32)});
}

/// Constants are part of the function, all else that the op reads and writes is an argument of it.
static bool isArgument(Value value) { return isa<ShapedType>(value.getType()) || !matchPattern(value, m_Constant()); }

static constexpr StringLiteral kAnyName = "attention";

/// A module with the op alone, on memrefs, in a function.
static FailureOr<OwningOpRef<ModuleOp>> buildModule(AttentionOp op) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(op.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<Value> captures = attn::getKernelCaptures(op), hosts;
  llvm::append_range(hosts, llvm::make_filter_range(op->getOperands(), isArgument));
  llvm::append_range(hosts, captures);
  auto types = llvm::map_to_vector(hosts, [](Value host) { return attn::getKernelArgumentType(host.getType()); });
  auto function = func::FuncOp::create(builder, op.getLoc(), kAnyName, builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  OperationState state(op.getLoc(), op->getName());
  IRMapping mapping;
  unsigned next = 0;
  for (Value operand : op->getOperands()) {
    Value inside = isArgument(operand) ? Value(entry->getArgument(next++))
                                       : Value(builder.clone(*operand.getDefiningOp())->getResult(0));
    state.operands.push_back(inside);
    mapping.map(operand, inside);
  }
  for (Value capture : captures)
    mapping.map(capture, entry->getArgument(next++));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned region = 0; region < op->getNumRegions(); ++region)
    state.addRegion();
  auto clone = cast<AttentionOp>(builder.create(state));
  func::ReturnOp::create(builder, op.getLoc());
  if (failed(attn::cloneRegionsIntoKernel(
          op, clone, {{&op.getScoreMod(), &clone.getScoreMod()}, {&op.getMaskMod(), &clone.getMaskMod()}}, mapping)))
    return failure();
  return module;
}

/// The call goes to a function that the module declares or defines in this form, or not at all.
LogicalResult RuntimeCalls::checkRuntimeCall(Operation *op) {
  Operation *other = symbols.lookup(options.runtimeCall);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(other);
  if (!other || (function && function.getFunctionType() == getRuntimeCallType(op->getContext())))
    return success();
  return op->emitError() << "calls of the runtime go to '" << options.runtimeCall << "', which this module has as "
                         << "something else than an llvm.func of type " << getRuntimeCallType(op->getContext());
}

LogicalResult RuntimeCalls::compile(AttentionOp op, StringRef name) {
  FailureOr<OwningOpRef<ModuleOp>> module = buildModule(op);
  if (failed(checkRuntimeCall(op)) || failed(module))
    return failure();
  for (const std::unique_ptr<Callee> &callee : callees)
    if (OperationEquivalence::isEquivalentTo(**module, *callee->module, OperationEquivalence::IgnoreLocations)) {
      calleeOf[op] = callee.get();
      return success();
    }
  auto callee = std::make_unique<Callee>();
  callee->module = std::move(*module);
  callee->name = name.str();
  callee->getSource().setName(name);
  CompileOptions compile;
  compile.targets = options.targets;
  compile.withMachineCode = options.withMachineCode;
  compile.target = options.targetOptions;
  FailureOr<std::string> artifact = compileToArtifact(*callee->module, compile);
  if (failed(artifact))
    return failure();
  callee->getSource().setName(kAnyName);
  callee->artifact = std::move(*artifact);
  calleeOf[op] = callee.get();
  callees.push_back(std::move(callee));
  return success();
}

//===----------------------------------------------------------------------===//
// The function that packs arguments
//===----------------------------------------------------------------------===//

namespace {
/// Builds the body of a function that makes `fovea_value`s of its parameters: of a memref the address of its first
/// element, its sizes and its strides, of a scalar the bits.
class PackBuilder {
public:
  PackBuilder(ImplicitLocOpBuilder &b, RuntimeCode &code, Block *entry) : b(b), code(code), next(entry->args_begin()) {}

  Value packAll(ArrayRef<Type> types) {
    Value array = code.allocate(code.valueType, types.size());
    for (auto [index, type] : llvm::enumerate(types))
      pack(code.getElement(array, code.valueType, index), type);
    return array;
  }

private:
  void pack(Value address, Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return code.storeScalar(address, type, *next++);
    auto store = [&](int32_t field, Value value) { code.storeField(code.valueType, address, field, value); };
    LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, code.valueType), address);
    store(RuntimeCode::ElementType, code.getElementType(memref.getElementType()));
    store(RuntimeCode::Rank, code.constant(code.i32, memref.getRank()));
    store(RuntimeCode::Data, *next++);
    store(RuntimeCode::Sizes, packWords(memref.getRank()));
    store(RuntimeCode::Strides, packWords(memref.getRank()));
  }

  Value packWords(int64_t count) {
    Value array = code.allocate(code.i64, std::max<int64_t>(count, 1));
    for (int64_t i = 0; i < count; ++i)
      LLVM::StoreOp::create(b, *next++, code.getElement(array, code.i64, i));
    return array;
  }

  ImplicitLocOpBuilder &b;
  RuntimeCode &code;
  Block::args_iterator next;
};
} // namespace

static SmallVector<Type> getParameters(RuntimeCode &code, ArrayRef<Type> types) {
  SmallVector<Type> parameters;
  for (Type type : types) {
    auto memref = dyn_cast<MemRefType>(type);
    parameters.push_back(memref ? Type(code.pointer) : Type(code.i64));
    if (memref)
      parameters.append(2 * memref.getRank(), code.i64);
  }
  return parameters;
}

static Value buildDevice(ImplicitLocOpBuilder &b, RuntimeCode &code, bool isHost, int64_t threads) {
  Value device = code.allocate(code.deviceType, 1);
  LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, code.deviceType), device);
  code.storeField(code.deviceType, device, RuntimeCode::Backend, code.constant(code.i32, isHost ? kCpu : kCuda));
  if (isHost)
    code.storeField(code.deviceType, device, RuntimeCode::Threads, code.constant(code.i32, threads));
  return device;
}

/// Adds the artifact of `callee` and the function that calls the runtime with it to the module.
void RuntimeCalls::build(Callee &callee, Location loc) {
  auto module = cast<ModuleOp>(symbols.getOp());
  ImplicitLocOpBuilder b(loc, OpBuilder::atBlockEnd(module.getBody()));
  RuntimeCode code(b);
  auto add = [&](auto op) {
    symbols.insert(op);
    return op;
  };
  if (!symbols.lookup(options.runtimeCall))
    add(LLVM::LLVMFuncOp::create(b, options.runtimeCall, getRuntimeCallType(b.getContext())));
  LLVM::GlobalOp name = add(code.createString(callee.name + "_name", callee.name));
  LLVM::GlobalOp bytes = add(code.createArtifactBytes(callee.name + "_bytes", callee.artifact));
  LLVM::GlobalOp embedded = add(code.createEmbedded(callee.name + "_artifact", bytes));
  ArrayRef<Type> types = callee.getSource().getArgumentTypes();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), getParameters(code, types));
  callee.function = add(LLVM::LLVMFuncOp::create(b, callee.name, type, LLVM::Linkage::Internal));
  Block *entry = callee.function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Value arguments = PackBuilder(b, code, entry).packAll(types);
  Value operands[] = {LLVM::AddressOfOp::create(b, embedded), LLVM::AddressOfOp::create(b, name),
                      buildDevice(b, code, isHost, options.threads), arguments, code.constant(code.i32, types.size())};
  LLVM::CallOp::create(b, TypeRange(), options.runtimeCall, operands);
  LLVM::ReturnOp::create(b, ValueRange());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void appendParameters(ImplicitLocOpBuilder &b, Value value, SmallVectorImpl<Value> &parameters) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type) {
    parameters.push_back(toWord(b, value));
    return;
  }
  auto metadata = memref::ExtractStridedMetadataOp::create(b, value);
  Value bytes = arith::ConstantIndexOp::create(b, attn::getElementBytes(type.getElementType()));
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, value);
  address = arith::AddIOp::create(b, address, arith::MulIOp::create(b, metadata.getOffset(), bytes));
  parameters.push_back(LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), toWord(b, address)));
  for (ValueRange words : {ValueRange(metadata.getSizes()), ValueRange(metadata.getStrides())})
    for (Value word : words)
      parameters.push_back(toWord(b, word));
}

void RuntimeCalls::replaceOp(AttentionOp op) {
  Callee &callee = *calleeOf.lookup(op);
  if (!callee.function)
    build(callee, op.getLoc());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  OperandBuffers buffers(b, op);
  SmallVector<Value> parameters;
  for (auto [value, buffer] : llvm::zip_equal(op->getOperands(), buffers.operands))
    if (isArgument(value))
      appendParameters(b, buffer, parameters);
  for (Value capture : buffers.captures)
    appendParameters(b, capture, parameters);
  LLVM::CallOp::create(b, callee.function, parameters);
  buffers.replaceOp(b);
}
