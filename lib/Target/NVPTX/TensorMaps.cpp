//===- TensorMaps.cpp - Parameters that describe memory to bulk copies -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkRings.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

static void addParameter(func::FuncOp function, BulkRing &ring, SmallVectorImpl<Attribute> &maps) {
  MLIRContext *context = function.getContext();
  Builder b(context);
  SmallVector<NamedAttribute> attributes = {
      {LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), 128))},
      {LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64)}};
  unsigned number = function.getNumArguments();
  (void)function.insertArgument(number, LLVM::LLVMPointerType::get(context), b.getDictionaryAttr(attributes),
                                function.getLoc());
  ring.map = function.getArgument(number);
  maps.push_back(attn::TensorMapAttr::get(context, cast<BlockArgument>(ring.source).getArgNumber(),
                                          ring.type.getDimSize(0) / (ring.parts * ring.cluster),
                                          SwizzledLayout::kPanelCols, ring.rowDim));
}

void nvptx::addTensorMaps(BulkRings &rings) {
  func::FuncOp function = rings.function;
  SmallVector<Attribute> maps;
  for (BulkRing &ring : rings.rings)
    addParameter(function, ring, maps);
  for (auto &[staging, store] : rings.stores)
    addParameter(function, staging, maps);
  function->setAttr(attn::AttnDialect::getTensorMapsAttrName(), ArrayAttr::get(function.getContext(), maps));
}
