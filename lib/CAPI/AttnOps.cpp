//===- AttnOps.cpp - Ops of the attn dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea-c/Dialect/Attn.h"
#include "fovea/Dialect/Attn/IR/AttnBuilder.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Wrap.h"

using namespace mlir;
using namespace fovea::attn;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Attn, attn, AttnDialect)
DEFINE_C_API_PTR_METHODS(FoveaAttnClauses, AttentionClauses)

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getBound(int64_t bound) {
  return bound < 0 ? std::nullopt : std::optional<int64_t>(bound);
}

FoveaAttnClauses foveaAttnClausesCreate() { return wrap(new AttentionClauses()); }
void foveaAttnClausesDestroy(FoveaAttnClauses clauses) { delete unwrap(clauses); }

void foveaAttnClausesSetStaticScale(FoveaAttnClauses clauses, float scale) { unwrap(clauses)->staticScale = scale; }
void foveaAttnClausesSetScale(FoveaAttnClauses clauses, MlirValue scale) { unwrap(clauses)->scale = unwrap(scale); }
void foveaAttnClausesSetCausal(FoveaAttnClauses clauses) { unwrap(clauses)->causal = true; }

void foveaAttnClausesSetWindow(FoveaAttnClauses clauses, int64_t left, int64_t right) {
  unwrap(clauses)->windowLeft = getBound(left);
  unwrap(clauses)->windowRight = getBound(right);
}

void foveaAttnClausesSetDiagonal(FoveaAttnClauses clauses, FoveaAttnDiagonal diagonal, MlirValue offset) {
  unwrap(clauses)->diagonal = static_cast<Diagonal>(diagonal);
  unwrap(clauses)->offset = diagonal == FoveaAttnDiagonalOffset ? unwrap(offset) : Value();
}

void foveaAttnClausesSetBias(FoveaAttnClauses clauses, MlirValue bias) { unwrap(clauses)->bias = unwrap(bias); }
void foveaAttnClausesSetMask(FoveaAttnClauses clauses, MlirValue mask) { unwrap(clauses)->mask = unwrap(mask); }
void foveaAttnClausesSetSink(FoveaAttnClauses clauses, MlirValue sink) { unwrap(clauses)->sink = unwrap(sink); }
void foveaAttnClausesSetKVLengths(FoveaAttnClauses clauses, MlirValue lengths) {
  unwrap(clauses)->kvLengths = unwrap(lengths);
}

void foveaAttnClausesSetBase(FoveaAttnClauses clauses, const MlirValue base[4]) {
  unwrap(clauses)->base = {unwrap(base[0]), unwrap(base[1]), unwrap(base[2]), unwrap(base[3])};
}

void foveaAttnClausesSetBlockMap(FoveaAttnClauses clauses, MlirValue states, int64_t queries, int64_t keys) {
  unwrap(clauses)->blockMap = unwrap(states);
  unwrap(clauses)->mapQueries = queries;
  unwrap(clauses)->mapKeys = keys;
}

void foveaAttnClausesSetLse(FoveaAttnClauses clauses, MlirValue lse) { unwrap(clauses)->lse = unwrap(lse); }

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

MlirOperation foveaAttnAttentionCreate(MlirLocation location, MlirValue query, MlirValue key, MlirValue value,
                                       MlirValue output, FoveaAttnClauses clauses) {
  Location loc = unwrap(location);
  OpBuilder builder(loc.getContext());
  loc.getContext()->getOrLoadDialect<AttnDialect>();
  Operation *op = buildAttention(builder, loc, unwrap(query), unwrap(key), unwrap(value), unwrap(output),
                                 clauses.ptr ? *unwrap(clauses) : AttentionClauses());
  return wrap(op);
}

bool foveaOperationIsAAttnAttention(MlirOperation op) { return isa<AttentionOp>(unwrap(op)); }

/// Gives a region without blocks one with these arguments.
static MlirBlock addBlock(Region &region, ArrayRef<Type> types) {
  region.getBlocks().clear();
  Block &block = region.emplaceBlock();
  for (Type type : types)
    block.addArgument(type, region.getLoc());
  return wrap(&block);
}

MlirBlock foveaAttnAttentionAddScoreMod(MlirOperation op) {
  Builder b(unwrap(op)->getContext());
  Type index = b.getIndexType();
  return addBlock(cast<AttentionOp>(unwrap(op)).getScoreMod(), {b.getF32Type(), index, index, index, index});
}

MlirBlock foveaAttnAttentionAddMaskMod(MlirOperation op) {
  Type index = IndexType::get(unwrap(op)->getContext());
  return addBlock(cast<AttentionOp>(unwrap(op)).getMaskMod(), {index, index, index, index});
}

MlirOperation foveaAttnYieldCreate(MlirLocation location, MlirValue value) {
  OpBuilder builder(unwrap(location)->getContext());
  return wrap(YieldOp::create(builder, unwrap(location), unwrap(value)).getOperation());
}

MlirOperation foveaAttnCombineCreate(MlirLocation location, MlirValue partialOutputs, MlirValue partialLses,
                                     MlirValue sink, MlirValue output, MlirValue lse) {
  Location loc = unwrap(location);
  OpBuilder builder(loc.getContext());
  loc.getContext()->getOrLoadDialect<AttnDialect>();
  Operation *op = buildCombine(builder, loc, unwrap(partialOutputs), unwrap(partialLses), unwrap(sink), unwrap(output),
                               unwrap(lse));
  return wrap(op);
}

bool foveaOperationIsAAttnCombine(MlirOperation op) { return isa<CombineOp>(unwrap(op)); }
