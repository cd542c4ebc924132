//===- KernelConstants.cpp - Constant tensors of kernels in memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/Transforms/KernelOutline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace fovea::attn;

/// The global of `module` that holds `value`; made in front of `kernel` where there is none. The variants of an op
/// share theirs.
static memref::GlobalOp getOrCreateGlobal(ModuleOp module, func::FuncOp kernel, ElementsAttr value, Location loc) {
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getConstant() && global.getInitialValue() == Attribute(value))
      return global;
  OpBuilder b(kernel);
  auto tensor = cast<RankedTensorType>(value.getType());
  auto global = memref::GlobalOp::create(b, loc, (kernel.getName() + "_constant").str(), b.getStringAttr("private"),
                                         MemRefType::get(tensor.getShape(), tensor.getElementType()), value,
                                         /*constant=*/true, /*alignment=*/IntegerAttr());
  SymbolTable(module).insert(global);
  return global;
}

void fovea::attn::moveConstantsToMemory(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  SmallVector<tensor::ExtractOp> reads;
  kernel.walk([&](tensor::ExtractOp read) {
    auto constant = read.getTensor().getDefiningOp<arith::ConstantOp>();
    if (constant && isa<ElementsAttr>(constant.getValue()))
      reads.push_back(read);
  });
  IRRewriter rewriter(kernel.getContext());
  for (tensor::ExtractOp read : reads) {
    auto constant = read.getTensor().getDefiningOp<arith::ConstantOp>();
    memref::GlobalOp global =
        getOrCreateGlobal(module, kernel, cast<ElementsAttr>(constant.getValue()), constant.getLoc());
    rewriter.setInsertionPoint(constant);
    Value memory = memref::GetGlobalOp::create(rewriter, constant.getLoc(), global.getType(), global.getName());
    rewriter.setInsertionPoint(read);
    rewriter.replaceOpWithNewOp<memref::LoadOp>(read, memory, read.getIndices());
    if (constant->use_empty())
      rewriter.eraseOp(constant);
  }
}
