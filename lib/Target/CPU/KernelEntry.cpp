//===- KernelEntry.cpp - The entry that a CPU launch calls -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_CPUKERNELENTRY
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

namespace {
constexpr int64_t kScratchAlignment = 128;
/// Bytes of `memref.alloca` that may stay on the stack of a task.
constexpr int64_t kStackBudget = 4096;
/// Bytes of scratch memory of a task that the runtime takes.
constexpr int64_t kMaxScratchBytes = int64_t(1) << 30;
constexpr StringLiteral kLinkageAttr = "llvm.linkage";

/// Splits one kernel function into its task and its entry.
class KernelSplitter {
public:
  explicit KernelSplitter(func::FuncOp kernel) : kernel(kernel), converter(kernel.getContext()) {}
  LogicalResult run();

private:
  LogicalResult check();
  std::string getTaskName();
  void makeTask();
  LogicalResult moveBuffers();
  LogicalResult planBuffer(Operation *op, int64_t &stackBytes);
  void placeInScratch();
  void eraseDeallocs(Value buffer);
  void makeEntry();
  Value loadWord(ImplicitLocOpBuilder &b, Value words, int64_t index, Type type);
  Value unpack(ImplicitLocOpBuilder &b, Value words, int64_t &index, Type type);
  Value unpackScalar(ImplicitLocOpBuilder &b, Value word, Type type);

  func::FuncOp kernel;
  LLVMTypeConverter converter;
  SmallVector<Type> argTypes;
  /// Buffers that move to the scratch memory, with their offsets.
  SmallVector<std::pair<Operation *, int64_t>> scratchBuffers;
  int64_t scratchBytes = 0;
  std::string entryName;
  attn::LaunchAttr launch;
};
} // namespace

LogicalResult KernelSplitter::run() {
  if (failed(check()))
    return failure();
  makeTask();
  if (failed(moveBuffers()))
    return failure();
  makeEntry();
  return success();
}

LogicalResult KernelSplitter::check() {
  launch = kernel->getAttrOfType<attn::LaunchAttr>(attn::AttnDialect::getLaunchAttrName());
  if (kernel.isExternal())
    return kernel.emitOpError("is a kernel without a body");
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError("is a kernel and must have no results");
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    bool isScalar = type.isIndex() || (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
    if (!isScalar && !(isa<MemRefType>(type) && converter.convertType(type)))
      return kernel.emitOpError() << "kernel argument #" << index << " has type " << type
                                  << ", must be a scalar of at most 64 bits or a strided memref";
    argTypes.push_back(type);
  }
  return success();
}

/// A free symbol for the task.
std::string KernelSplitter::getTaskName() {
  std::string name = entryName + "_task";
  while (SymbolTable::lookupSymbolIn(kernel->getParentOp(), name))
    name += "_";
  return name;
}

/// Renames the kernel and appends the task number and the scratch memory to its arguments.
void KernelSplitter::makeTask() {
  MLIRContext *context = kernel.getContext();
  entryName = kernel.getName().str();
  kernel.setName(getTaskName());
  kernel.setPrivate();
  kernel->setAttr(kLinkageAttr, LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  kernel->removeAttr(attn::AttnDialect::getLaunchAttrName());
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
    kernel.removeArgAttr(i, attn::AttnDialect::getSourceAttrName());
  Type indexType = IndexType::get(context), pointer = LLVM::LLVMPointerType::get(context);
  unsigned taskIndex = kernel.getNumArguments();
  auto noAlias =
      DictionaryAttr::get(context, NamedAttribute(StringAttr::get(context, LLVM::LLVMDialect::getNoAliasAttrName()),
                                                  UnitAttr::get(context)));
  (void)kernel.insertArgument(taskIndex, indexType, /*argAttrs=*/{}, kernel.getLoc());
  (void)kernel.insertArgument(taskIndex + 1, pointer, noAlias, kernel.getLoc());
  Value task = kernel.getArgument(taskIndex);
  kernel.walk([&](tile::ProgramIdOp op) {
    op.getId().replaceAllUsesWith(task);
    op.erase();
  });
}

LogicalResult KernelSplitter::moveBuffers() {
  int64_t stackBytes = 0;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::AllocaOp>(op))
      return WalkResult::advance();
    return failed(planBuffer(op, stackBytes)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (scratchBytes > kMaxScratchBytes)
    return kernel.emitError() << "a task of the kernel needs " << scratchBytes
                              << " bytes of scratch memory, but the CPU has " << kMaxScratchBytes
                              << " for one; heads that are less deep work";
  if (!scratchBuffers.empty())
    placeInScratch();
  return success();
}

/// Decides where a buffer lives: scratch, stack (moved to the entry block), or the heap for an alloc of dynamic size.
LogicalResult KernelSplitter::planBuffer(Operation *op, int64_t &stackBytes) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  bool isStack = isa<memref::AllocaOp>(op);
  if (!type.hasStaticShape()) {
    if (isStack)
      return op->emitOpError("has a dynamic size, which would grow the 64 KiB stack of a task; use a static size");
    return success();
  }
  if (!type.getLayout().isIdentity())
    return op->emitOpError() << "has the layout " << type.getLayout() << ", only the identity layout is supported here";
  int64_t bytes = type.getNumElements() *
                  static_cast<int64_t>(DataLayout::closest(op).getTypeSize(type.getElementType()).getFixedValue());
  if (isStack && stackBytes + bytes <= kStackBudget) {
    stackBytes += bytes;
    op->moveBefore(&kernel.front(), kernel.front().begin());
    return success();
  }
  scratchBuffers.emplace_back(op, scratchBytes);
  scratchBytes += llvm::alignTo(bytes, kScratchAlignment);
  return success();
}

void KernelSplitter::placeInScratch() {
  ImplicitLocOpBuilder b(kernel.getLoc(), &kernel.front(), kernel.front().begin());
  auto bytesType = MemRefType::get({scratchBytes}, b.getI8Type());
  Value pointer = kernel.getArguments().back();
  Value descriptor = MemRefDescriptor::fromStaticShape(b, b.getLoc(), converter, bytesType, pointer);
  Value bytes = UnrealizedConversionCastOp::create(b, bytesType, descriptor).getResult(0);
  for (auto [op, offset] : scratchBuffers) {
    Value offsetValue = arith::ConstantIndexOp::create(b, offset);
    Value view = memref::ViewOp::create(b, op->getResult(0).getType(), bytes, offsetValue, ValueRange());
    eraseDeallocs(op->getResult(0));
    op->getResult(0).replaceAllUsesWith(view);
  }
  // The builder may stand in front of the first of them.
  for (auto [op, offset] : scratchBuffers)
    op->erase();
}

/// Erases the deallocs of a buffer and of its views.
void KernelSplitter::eraseDeallocs(Value buffer) {
  SmallVector<Value> worklist = {buffer};
  while (!worklist.empty())
    for (Operation *user : llvm::make_early_inc_range(worklist.pop_back_val().getUsers())) {
      if (isa<memref::DeallocOp>(user))
        user->erase();
      else if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(worklist, user->getResults());
    }
}

/// Makes the entry: unpack the words, call the task for each number of the range.
void KernelSplitter::makeEntry() {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel->getBlock(), std::next(kernel->getIterator()));
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  auto entry = func::FuncOp::create(b, entryName, b.getFunctionType({pointer, i64, i64, pointer}, {}));
  auto newLaunch =
      attn::LaunchAttr::get(b.getContext(), launch.getGrid(), launch.getBlock(), launch.getSharedBytes(), scratchBytes);
  entry->setAttr(attn::AttnDialect::getLaunchAttrName(), newLaunch);
  entry.setArgAttr(3, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(entry.addEntryBlock());
  Value words = entry.getArgument(0);
  int64_t index = 0;
  SmallVector<Value> operands;
  for (Type type : argTypes)
    operands.push_back(unpack(b, words, index, type));
  Value begin = arith::IndexCastOp::create(b, b.getIndexType(), entry.getArgument(1));
  Value end = arith::IndexCastOp::create(b, b.getIndexType(), entry.getArgument(2));
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, begin, end, one);
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(loop.getBody());
  operands.append({loop.getInductionVar(), entry.getArgument(3)});
  func::CallOp::create(b, kernel, operands);
}

Value KernelSplitter::loadWord(ImplicitLocOpBuilder &b, Value words, int64_t index, Type type) {
  Type pointer = words.getType();
  Value address =
      LLVM::GEPOp::create(b, pointer, b.getI64Type(), words, ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(index)));
  return LLVM::LoadOp::create(b, type, address);
}

/// The value of one argument; `index` moves past its words.
Value KernelSplitter::unpack(ImplicitLocOpBuilder &b, Value words, int64_t &index, Type type) {
  auto memrefType = dyn_cast<MemRefType>(type);
  if (!memrefType)
    return unpackScalar(b, loadWord(b, words, index++, b.getI64Type()), type);
  SmallVector<Value> fields;
  for (int64_t i = 0, e = 3 + 2 * memrefType.getRank(); i < e; ++i)
    fields.push_back(loadWord(b, words, index++, i < 2 ? words.getType() : b.getI64Type()));
  Value descriptor = MemRefDescriptor::pack(b, b.getLoc(), converter, memrefType, fields);
  return UnrealizedConversionCastOp::create(b, type, descriptor).getResult(0);
}

/// A scalar is the low bits of its word.
Value KernelSplitter::unpackScalar(ImplicitLocOpBuilder &b, Value word, Type type) {
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, word);
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value low = bits == word.getType() ? word : arith::TruncIOp::create(b, bits, word).getResult();
  return bits == type ? low : arith::BitcastOp::create(b, type, low).getResult();
}

namespace {
struct CPUKernelEntryPass : cpu::impl::CPUKernelEntryBase<CPUKernelEntryPass> {
  void runOnOperation() override {
    auto internal = LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal);
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (func->hasAttr(attn::AttnDialect::getLaunchAttrName())) {
        if (failed(KernelSplitter(func).run()))
          return signalPassFailure();
      } else if (func.isPrivate() && !func.isExternal()) {
        func->setAttr(kLinkageAttr, internal);
      }
    }
  }
};
} // namespace
