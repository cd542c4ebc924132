//===- GPULauncher.cpp - Kernels as gpu.binary and gpu.launch_func -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLauncher.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fovea;

namespace {
class GPULauncher : public KernelLauncher {
public:
  explicit GPULauncher(const HandOverOptions &options) : options(options) {}

  LogicalResult addKernels(PlannedModule &kernels, StringRef name, SymbolTable &symbols) override;

  void begin(ImplicitLocOpBuilder &b) override {
    tokenType = gpu::AsyncTokenType::get(b.getContext());
    token = gpu::WaitOp::create(b, tokenType, ValueRange()).getAsyncToken();
  }

  void end(ImplicitLocOpBuilder &b) override {
    for (Value buffer : buffers)
      token = gpu::DeallocOp::create(b, tokenType, token, buffer).getAsyncToken();
    buffers.clear();
    gpu::WaitOp::create(b, Type(), token);
  }

  Value allocate(ImplicitLocOpBuilder &b, MemRefType type, ValueRange sizes) override {
    auto alloc = gpu::AllocOp::create(b, type, tokenType, token, sizes, /*symbolOperands=*/ValueRange());
    token = alloc.getAsyncToken();
    buffers.push_back(alloc.getMemref());
    return buffers.back();
  }

  void launch(ImplicitLocOpBuilder &b, const Kernel &kernel, OpFoldResult tasks, ValueRange arguments) override {
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
    gpu::KernelDim3 grid = {getValueOrCreateConstantIndexOp(b, b.getLoc(), tasks), index(1), index(1)};
    gpu::KernelDim3 block = {index(kernel.launch.getBlock()), index(1), index(1)};
    auto symbol = SymbolRefAttr::get(binary.getSymNameAttr(), FlatSymbolRefAttr::get(b.getContext(), kernel.name));
    Value sharedBytes = arith::ConstantIntOp::create(b, kernel.launch.getSharedBytes(), 32);
    token = gpu::LaunchFuncOp::create(b, symbol, grid, block, sharedBytes, arguments, tokenType, token).getAsyncToken();
  }

private:
  const HandOverOptions &options;
  gpu::BinaryOp binary;
  Type tokenType;
  Value token;
  SmallVector<Value> buffers;
};
} // namespace

LogicalResult GPULauncher::addKernels(PlannedModule &kernels, StringRef name, SymbolTable &symbols) {
  CodeKind kind = options.withMachineCode ? CodeKind::Cubin : CodeKind::PTX;
  FailureOr<std::string> code = kernels.backend->emit(*kernels.kernels, kind, kernels.target, options.targetOptions);
  if (failed(code))
    return failure();
  MLIRContext *context = kernels.target.getContext();
  Operation *module = symbols.getOp();
  OpBuilder builder(context);
  auto target = NVVM::NVVMTargetAttr::get(context, options.targetOptions.optLevel, "nvptx64-nvidia-cuda",
                                          kernels.target.getArch());
  auto format = options.withMachineCode ? gpu::CompilationTarget::Binary : gpu::CompilationTarget::Assembly;
  auto properties =
      builder.getDictionaryAttr(builder.getNamedAttr("O", builder.getI32IntegerAttr(options.targetOptions.optLevel)));
  Attribute object = gpu::ObjectAttr::get(context, target, format, builder.getStringAttr(*code), properties, nullptr);
  binary = gpu::BinaryOp::create(builder, module->getLoc(), (name + "_attn").str(), /*offloadingHandler=*/Attribute(),
                                 ArrayRef(object));
  symbols.insert(binary, module->getRegion(0).front().begin());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
  return success();
}

std::unique_ptr<KernelLauncher> fovea::createGPULauncher(const HandOverOptions &options) {
  return std::make_unique<GPULauncher>(options);
}
