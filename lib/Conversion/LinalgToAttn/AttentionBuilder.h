//===- AttentionBuilder.h - The op that a match stands for -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_ATTENTIONBUILDER_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_ATTENTIONBUILDER_H

#include "AttentionMatcher.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fovea::conversion {

/// Builds `attn.attention` for a match in front of its root.
class AttentionBuilder {
public:
  AttentionBuilder(mlir::OpBuilder &builder, Expressions &expressions, const AttentionMatch &match);

  /// What replaces the root and, if the match has one, the logarithm of the sum.
  struct Result {
    attn::AttentionOp op;
    mlir::Value root, lse;
  };
  Result build();

  /// Whether the match has no sink, or one that the op can have.
  bool hasFittingSink() const;

private:
  void chooseGroups();
  LoopId chooseQueryLoop(llvm::ArrayRef<LoopId> candidates);
  bool takeBias();
  bool takeMask();
  mlir::Value buildScale();
  mlir::Value buildBroadcast(Expr element);
  mlir::Value buildSink();
  bool isBroadcast(Expr term);
  void buildScoreRegion(attn::AttentionOp op);
  void buildMaskRegion(attn::AttentionOp op);
  void buildRegion(mlir::Region &region, bool isScore,
                   llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, class TermEmitter &)> build);
  mlir::Value cast(mlir::Value value, mlir::Type type);

  mlir::ImplicitLocOpBuilder b;
  Expressions &expressions;
  const AttentionMatch &match;
  llvm::SmallVector<Condition> conditions;
  Expr score, bias = nullptr, mask = nullptr, sink = nullptr;
  Position batch, kvHeads, heads, queries, keys;
};

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_ATTENTIONBUILDER_H
