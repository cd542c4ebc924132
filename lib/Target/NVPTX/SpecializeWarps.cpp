//===- SpecializeWarps.cpp - attn-tile-specialize-warps -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkRings.h"
#include "KernelInfo.h"
#include "RoleRegisters.h"
#include "Strategy.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "fovea/Target/NVPTX/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fovea::nvptx {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "fovea/Target/NVPTX/Passes.h.inc"
} // namespace fovea::nvptx

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// The op that holds both roles, behind the function's code.
static tile::RolesOp createRoles(const BulkRings &rings, ImplicitLocOpBuilder &b) {
  RoleRegisters registers = RoleRegisters::get(rings.getNumWarpgroups(), rings.strategy.getMinBlocks());
  SmallVector<Type> types = llvm::map_to_vector(rings.rings, [](const BulkRing &ring) -> Type { return ring.staged; });
  auto roles =
      tile::RolesOp::create(b, rings.getNumWarpgroups(), registers.compute, registers.copy, b.getTypeArrayAttr(types));
  roles.getCopy().emplaceBlock();
  roles.getCompute().emplaceBlock();
  return roles;
}

static LogicalResult specialize(func::FuncOp function, int64_t sharedLimit, StringRef chip) {
  BulkRings rings(function);
  if (failed(rings.collect()))
    return failure();
  FailureOr<int64_t> sharedBytes = placeRings(rings, sharedLimit, chip);
  if (failed(sharedBytes))
    return failure();
  addTensorMaps(rings);
  Block &body = function.getBody().front();
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPoint(body.getTerminator());
  tile::RolesOp roles = createRoles(rings, b);
  b.setInsertionPointToStart(&roles.getCopy().front());
  if (failed(buildCopies(rings, b)))
    return failure();

  Block &compute = roles.getCompute().front();
  compute.getOperations().splice(compute.end(), body.getOperations(), body.begin(), roles->getIterator());
  b.setLoc(function.getLoc());
  b.setInsertionPointToStart(&compute);
  rewriteForComputing(rings, compute, tile::WarpgroupOp::create(b, b.getI32Type()));
  updateLaunch(function, (rings.strategy.getWarps() + kWarpsOfGroup) * kLanes, *sharedBytes);
  return success();
}

namespace {
struct SpecializeWarpsPass : nvptx::impl::SpecializeWarpsBase<SpecializeWarpsPass> {
  using SpecializeWarpsBase::SpecializeWarpsBase;

  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> report) override {
    return success(succeeded(Pass::initializeOptions(text, report)) &&
                   succeeded(checkGivenOnce({&sharedLimit, &chip}, report)));
  }

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (getLaunch(function) && isWarpgroupKernel(function) &&
          (failed(verifyWarpgroups(getStrategy(function), chip, [&] { return function.emitError(); })) ||
           failed(verifyAssigned(function)) || failed(specialize(function, sharedLimit, chip))))
        return signalPassFailure();
  }
};
} // namespace
