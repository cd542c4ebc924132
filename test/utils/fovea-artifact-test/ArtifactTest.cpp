//===- ArtifactTest.cpp - Prints what an artifact says of a planned module -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests: kernels with any attributes reach the artifact without a target that makes them. Every function with an
// attention op that carries a plan is a host function; the module's kernels count as lowered.
//
//===----------------------------------------------------------------------===//

#include "fovea/Artifact/ArtifactBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace fovea;

static void print(const abi::Expr &expr) {
  for (const abi::ExprNode *node : *expr.nodes()) {
    llvm::outs() << ' ' << abi::EnumNameExprOp(node->op());
    if (node->op() == abi::ExprOp::Const)
      llvm::outs() << '(' << node->a() << ')';
    else if (node->op() <= abi::ExprOp::ArgScalar)
      llvm::outs() << '(' << node->a() << ", " << node->b() << ')';
  }
  llvm::outs() << '\n';
}

static void print(const abi::Kernel &kernel) {
  llvm::outs() << "  kernel " << kernel.symbol()->str() << " block " << kernel.block() << " grid";
  print(*kernel.grid());
  if (!kernel.tensor_maps())
    return;
  for (const abi::TensorMap *map : *kernel.tensor_maps())
    llvm::outs() << "    tensor map of " << map->binding() << ": " << map->rows() << " x " << map->cols()
                 << ", rows in " << map->row_dim() << ", swizzle " << map->swizzle() << '\n';
}

static void print(const abi::Artifact &artifact) {
  for (const abi::Function *function : *artifact.functions())
    for (const abi::Step *step : *function->implementations()->Get(0)->steps())
      for (const abi::Variant *variant : *step->variants()) {
        llvm::outs() << "variant " << variant->name()->str() << '\n';
        for (const abi::Kernel *kernel : *variant->kernels())
          print(*kernel);
      }
}

static LogicalResult build(ModuleOp module) {
  ArtifactBuilder artifact("test");
  CodeObject object;
  object.kind = abi::CodeKind::PTX;
  object.backend = "nvptx";
  object.arch = "sm_90a";
  object.ptxVersion = 80;
  object.bytes = "code";
  int code = artifact.addCode(std::move(object));
  for (auto host : module.getOps<func::FuncOp>()) {
    bool isHost = false;
    host.walk([&](attn::AttentionOp op) { isHost |= op->hasAttr(attn::AttnDialect::getPlanAttrName()); });
    if (isHost &&
        (failed(artifact.addFunction(host)) || failed(artifact.addImplementation(host, module, module, code))))
      return failure();
  }
  print(*abi::GetArtifact(artifact.serialize().data()));
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  MLIRContext context;
  context.loadDialect<attn::AttnDialect, arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                      tensor::TensorDialect>();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argc > 1 ? argv[1] : "-", sources, &context);
  return !module || failed(build(*module));
}
