//===- KernelModules.cpp - One module for each kernel -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/KernelModules.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace fovea;

bool fovea::isKernel(Operation *op) { return op->hasAttr(attn::AttnDialect::getLaunchAttrName()); }

SmallVector<Operation *> fovea::getKernels(ModuleOp module) {
  SmallVector<Operation *> kernels;
  for (Operation &op : *module.getBody())
    if (isKernel(&op))
      kernels.push_back(&op);
  return kernels;
}

/// Adds the ops of `module` that `op` refers to, directly or through others.
static void addReferences(ModuleOp module, Operation *op, llvm::SetVector<Operation *> &found) {
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(op);
  if (!uses)
    return;
  for (SymbolTable::SymbolUse use : *uses)
    if (Operation *symbol = module.lookupSymbol(use.getSymbolRef().getRootReference()); symbol && found.insert(symbol))
      addReferences(module, symbol, found);
}

/// What the module of a kernel holds, in the order of the module.
static SmallVector<Operation *> collectOps(ModuleOp module, Operation *kernel) {
  llvm::SetVector<Operation *> found;
  found.insert(kernel);
  addReferences(module, kernel, found);
  SmallVector<Operation *> ordered;
  for (Operation &op : *module.getBody())
    if (found.contains(&op))
      ordered.push_back(&op);
  return ordered;
}

/// An empty module with the attributes of `module` (its data layout among them), but for its name.
static ModuleOp createLike(ModuleOp module) {
  ModuleOp created = ModuleOp::create(module.getLoc());
  created->setAttrs(module->getAttrDictionary());
  created->removeAttr(SymbolTable::getSymbolAttrName());
  return created;
}

OwningOpRef<ModuleOp> fovea::cloneKernelModule(ModuleOp module, Operation *kernel) {
  OwningOpRef<ModuleOp> own = createLike(module);
  for (Operation *op : collectOps(module, kernel))
    own->push_back(op->clone());
  return own;
}

void fovea::splitKernels(ModuleOp module) {
  SmallVector<ModuleOp> modules;
  for (Operation *kernel : getKernels(module))
    modules.push_back(cloneKernelModule(module, kernel).release());
  module.getBody()->clear();
  for (ModuleOp own : modules)
    module.push_back(own);
}

/// Whether two ops are equal but for their locations.
static bool areEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(a, b, OperationEquivalence::Flags::IgnoreLocations);
}

static bool isDeclaration(LLVM::GlobalOp global) { return !global.getValueAttr() && global.getInitializer().empty(); }

/// Makes one of two declarations of the same memory that differ in alignment: the larger serves both.
static bool mergeDeclarations(Operation *known, Operation *other) {
  auto a = dyn_cast<LLVM::GlobalOp>(known), b = dyn_cast<LLVM::GlobalOp>(other);
  if (!a || !b || !isDeclaration(a) || !isDeclaration(b))
    return false;
  if (a.getAlignment().value_or(0) < b.getAlignment().value_or(0))
    a.setAlignmentAttr(b.getAlignmentAttr());
  b.setAlignmentAttr(a.getAlignmentAttr());
  return areEqual(a, b);
}

/// Moves the ops of one nested module to the end of the outer one.
static void mergeModule(ModuleOp own, SymbolTable &symbols) {
  SymbolTable inner(own);
  for (Operation &op : llvm::make_early_inc_range(*own.getBody())) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    Operation *known = name ? symbols.lookup(name) : nullptr;
    if (known && (areEqual(known, &op) || mergeDeclarations(known, &op))) {
      op.erase();
      continue;
    }
    // A name that one of both has free.
    if (known)
      (void)inner.renameToUnique(&op, {&symbols});
    op.remove();
    symbols.insert(&op, symbols.getOp()->getRegion(0).front().end());
  }
}

void fovea::mergeKernels(ModuleOp module) {
  SmallVector<ModuleOp> modules(module.getOps<ModuleOp>());
  SymbolTable symbols(module);
  for (ModuleOp own : modules) {
    mergeModule(own, symbols);
    own.erase();
  }
}
