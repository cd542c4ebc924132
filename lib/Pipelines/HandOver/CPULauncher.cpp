//===- CPULauncher.cpp - Kernels as functions of the same module -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLauncher.h"
#include "OperandBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fovea;

/// Alignment of the scratch memory of a worker.
static constexpr int64_t kScratchAlignment = 128;

namespace {
class CPULauncher : public KernelLauncher {
public:
  explicit CPULauncher(const HandOverOptions &options) : options(options) {}

  LogicalResult addKernels(PlannedModule &kernels, StringRef name, SymbolTable &symbols) override;
  void begin(ImplicitLocOpBuilder &b) override {}
  void end(ImplicitLocOpBuilder &b) override;
  Value allocate(ImplicitLocOpBuilder &b, MemRefType type, ValueRange sizes) override;
  void launch(ImplicitLocOpBuilder &b, const Kernel &kernel, OpFoldResult tasks, ValueRange arguments) override;

private:
  Value packWords(ImplicitLocOpBuilder &b, ValueRange arguments);
  void callEntry(ImplicitLocOpBuilder &b, const Kernel &kernel, Value words, Value begin, Value end);

  const HandOverOptions &options;
  SmallVector<Value> buffers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Addresses may go down where a stride is negative: no promise about unsigned numbers holds. Products and sums may be
/// fused, nothing else is relaxed.
static void adaptArithmetic(Operation *op) {
  if (auto gep = dyn_cast<LLVM::GEPOp>(op))
    gep.setNoWrapFlags(gep.getNoWrapFlags() & ~LLVM::GEPNoWrapFlags::nuw);
  else if (isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp>(op))
    cast<LLVM::IntegerOverflowFlagsInterface>(op).setOverflowFlags(LLVM::IntegerOverflowFlags::none);
  else if (isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp>(op))
    op->setAttr(LLVM::FAddOp::getFastmathAttrName(),
                LLVM::FastmathFlagsAttr::get(op->getContext(), LLVM::FastmathFlags::contract));
}

/// Makes a lowered function fit a module compiled for another processor.
static void adaptFunction(LLVM::LLVMFuncOp function, const CodeRequirements &requirements) {
  MLIRContext *context = function.getContext();
  for (NamedAttribute attr : llvm::to_vector(function->getDiscardableAttrs()))
    if (isa_and_nonnull<attn::AttnDialect>(attr.getNameDialect()))
      function->removeAttr(attr.getName());
  function.setLinkage(LLVM::Linkage::Internal);
  function.setTargetCpu(requirements.arch);
  SmallVector<StringRef> features;
  StringRef(requirements.features).split(features, ',', -1, /*KeepEmpty=*/false);
  function.setTargetFeaturesAttr(LLVM::TargetFeaturesAttr::get(context, features));
  function.walk(adaptArithmetic);
}

/// Whether `op` declares a function that the module declares, too, or may declare.
static FailureOr<bool> isDeclared(LLVM::LLVMFuncOp declaration, SymbolTable &symbols) {
  Operation *other = symbols.lookup(declaration.getName());
  if (!other)
    return false;
  auto function = dyn_cast<LLVM::LLVMFuncOp>(other);
  if (function && function.getFunctionType() == declaration.getFunctionType())
    return true;
  return other->emitError() << "a kernel calls '" << declaration.getName() << "' with the type "
                            << declaration.getFunctionType() << ", which this symbol does not have";
}

LogicalResult CPULauncher::addKernels(PlannedModule &kernels, StringRef name, SymbolTable &symbols) {
  CodeRequirements requirements = kernels.backend->getRequirements(kernels.target, *kernels.kernels);
  SymbolTable inner(*kernels.kernels);
  SmallVector<Operation *> moved;
  for (Operation &op : *kernels.kernels->getBody()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function || !function.isExternal()) {
      moved.push_back(&op);
      continue;
    }
    FailureOr<bool> declared = isDeclared(function, symbols);
    if (failed(declared))
      return failure();
    if (!*declared)
      moved.push_back(&op);
  }
  for (Operation *op : moved) {
    if (symbols.lookup(SymbolTable::getSymbolName(op)) && failed(inner.renameToUnique(op, {&symbols})))
      return op->emitError("cannot be given a free name");
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op); function && !function.isExternal())
      adaptFunction(function, requirements);
  }
  for (Operation *op : moved) {
    op->remove();
    symbols.insert(op);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void CPULauncher::end(ImplicitLocOpBuilder &b) {
  for (Value buffer : buffers)
    memref::DeallocOp::create(b, buffer);
  buffers.clear();
}

Value CPULauncher::allocate(ImplicitLocOpBuilder &b, MemRefType type, ValueRange sizes) {
  buffers.push_back(memref::AllocOp::create(b, type, sizes));
  return buffers.back();
}

/// The words of one argument: a scalar, or a memref descriptor.
static void appendWords(ImplicitLocOpBuilder &b, Value argument, SmallVectorImpl<Value> &words) {
  if (!isa<MemRefType>(argument.getType())) {
    words.push_back(toWord(b, argument));
    return;
  }
  auto metadata = memref::ExtractStridedMetadataOp::create(b, argument);
  Value address = toWord(b, memref::ExtractAlignedPointerAsIndexOp::create(b, argument));
  words.append({address, address, toWord(b, metadata.getOffset())});
  for (ValueRange values : {ValueRange(metadata.getSizes()), ValueRange(metadata.getStrides())})
    for (Value value : values)
      words.push_back(toWord(b, value));
}

Value CPULauncher::packWords(ImplicitLocOpBuilder &b, ValueRange arguments) {
  SmallVector<Value> words;
  for (Value argument : arguments)
    appendWords(b, argument, words);
  Value buffer = allocate(b, MemRefType::get({static_cast<int64_t>(words.size())}, b.getI64Type()), {});
  for (auto [index, word] : llvm::enumerate(words))
    memref::StoreOp::create(b, word, buffer, Value(arith::ConstantIndexOp::create(b, index)));
  return getPointer(b, buffer);
}

/// Runs the tasks [begin, end) with scratch memory of their own.
void CPULauncher::callEntry(ImplicitLocOpBuilder &b, const Kernel &kernel, Value words, Value begin, Value end) {
  int64_t bytes = std::max<int64_t>(kernel.launch.getScratchBytes(), 1);
  auto type = MemRefType::get({bytes}, b.getI8Type());
  Value scratch = memref::AllocOp::create(b, type, b.getI64IntegerAttr(kScratchAlignment));
  SmallVector<Value> operands = {words, toWord(b, begin), toWord(b, end), getPointer(b, scratch)};
  LLVM::CallOp::create(b, TypeRange(), kernel.name, operands);
  memref::DeallocOp::create(b, scratch);
}

void CPULauncher::launch(ImplicitLocOpBuilder &b, const Kernel &kernel, OpFoldResult tasks, ValueRange arguments) {
  Value words = packWords(b, arguments), zero = arith::ConstantIndexOp::create(b, 0);
  Value count = getValueOrCreateConstantIndexOp(b, b.getLoc(), tasks);
  if (options.threads == 1 || isConstantIntValue(tasks, 1))
    return callEntry(b, kernel, words, zero, count);
  Value threads = arith::ConstantIndexOp::create(b, options.threads), one = arith::ConstantIndexOp::create(b, 1);
  Value workers = arith::MinSIOp::create(b, threads, count);
  auto loop = scf::ParallelOp::create(b, zero, workers, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  // Worker w has the tasks from w * count / workers.
  auto first = [&](Value worker) -> Value {
    return arith::DivSIOp::create(b, arith::MulIOp::create(b, worker, count), workers);
  };
  Value worker = loop.getInductionVars()[0];
  callEntry(b, kernel, words, first(worker), first(arith::AddIOp::create(b, worker, one)));
}

std::unique_ptr<KernelLauncher> fovea::createCPULauncher(const HandOverOptions &options) {
  return std::make_unique<CPULauncher>(options);
}
