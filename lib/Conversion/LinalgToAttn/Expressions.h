//===- Expressions.h - Elements of tensors as scalar expressions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONVERSION_LINALGTOATTN_EXPRESSIONS_H
#define FOVEA_LIB_CONVERSION_LINALGTOATTN_EXPRESSIONS_H

#include "Loops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include <deque>

namespace fovea::conversion {

struct Term;
using Expr = const Term *;

/// A scalar of a computation over tensors, as a function of loops.
struct Term {
  enum class Kind {
    Element, // `value` (a tensor) at the positions `at`
    Index,   // the position `index` itself
    Scalar,  // `value` from outside of all loops, or `constant`
    Apply,   // the operation `name` on `operands`
    Reduce   // operand 1 combined by `name` over the loops `reduced`, from operand 0 on
  };
  Kind kind;
  mlir::Type type;
  /// The operation on tensors that computes it.
  mlir::Operation *origin = nullptr;
  mlir::Value value = {};
  mlir::Attribute constant = {};
  Positions at = {};
  Position index = {};
  std::optional<mlir::OperationName> name = {};
  mlir::DictionaryAttr attributes = {};
  llvm::SmallVector<Expr, 3> operands = {};
  Position reduced = {};

  bool isA(Kind other) const { return kind == other; }
  template <typename... Ops> bool isApply() const {
    return kind == Kind::Apply && ((name->getTypeID() == mlir::TypeID::get<Ops>()) || ...);
  }
  template <typename... Ops> bool isReduce() const {
    return kind == Kind::Reduce && ((name->getTypeID() == mlir::TypeID::get<Ops>()) || ...);
  }
  Expr lhs() const { return operands[0]; }
  Expr rhs() const { return operands[1]; }
};

/// Whether integers of a type hold all positions and their sums: those of less than 32 bits wrap.
inline bool holdsPositions(mlir::Type type) {
  return type.isIndex() || (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
}

/// Owns the terms of one computation and looks through the operations that produce tensors: structured operations by
/// their maps and bodies, reshapes by their dimensions. What it cannot look through is a leaf.
class Expressions {
public:
  explicit Expressions(mlir::MLIRContext *context) : context(context) {}

  LoopSpace loops;

  Expr element(mlir::Value tensor, Positions at);
  Expr index(Position position, mlir::Type type);
  Expr scalar(mlir::Value value);
  Expr constant(mlir::TypedAttr value);
  Expr apply(mlir::OperationName name, mlir::DictionaryAttr attributes, llvm::ArrayRef<Expr> operands, mlir::Type type,
             mlir::Operation *origin);
  template <typename Op> Expr apply(llvm::ArrayRef<Expr> operands, mlir::Type type, mlir::Operation *origin) {
    return apply(mlir::OperationName(Op::getOperationName(), context), {}, operands, type, origin);
  }
  Expr reduce(mlir::OperationName name, Position reduced, Expr init, Expr body, Positions at, mlir::Operation *origin);
  /// `term` with other operands.
  Expr withOperands(Expr term, llvm::ArrayRef<Expr> operands);

  /// What an element is computed from, one operation on tensors further back; null for a leaf.
  Expr expand(Expr element);
  /// Expands elements until something else, or a leaf, comes.
  Expr resolve(Expr term);
  /// Resolves, and looks through conversions between float types.
  Expr resolveCasts(Expr term);

  /// Whether two terms compute the same, but for conversions between float types. Loops of `renamed` in `b` stand for
  /// their values.
  using Renaming = llvm::SmallDenseMap<LoopId, LoopId>;
  bool areEqual(Expr a, Expr b, const Renaming &renamed = Renaming());
  /// Whether `body` of `sum`, a reduction over as many loops as `at` has, is `term` there.
  bool isBodyAt(Expr reduction, Expr term, llvm::ArrayRef<LoopId> at);
  /// Whether a term changes with one of the loops.
  bool dependsOn(Expr term, llvm::ArrayRef<LoopId> on);
  /// Whether the positions of an element run over all of its tensor, not over a slice.
  bool coversTensor(Expr element) const;
  /// Whether a term is computed from another one by operations on elements.
  bool reaches(Expr term, Expr other);
  /// Whether a term is the same everywhere: made of scalars and of the elements of tensors of one element.
  bool isUniform(Expr term);
  /// The number that a uniform term is, if known.
  std::optional<double> getNumber(Expr term);
  bool isNumber(Expr term, double number) { return getNumber(term) == number; }
  /// Counts a step; whether the work on terms that are shared many times over is to end, without a result.
  bool isExhausted() { return ++steps > 100000; }

  /// The operations that were looked through, in order.
  const llvm::SetVector<mlir::Operation *> &getVisited() const { return visited; }

private:
  friend class BodyReader;
  Expr add(Term term);
  Expr expandUncached(Expr element);
  Expr expandStructured(mlir::linalg::LinalgOp op, Expr element);
  Expr expandSoftmax(mlir::linalg::SoftmaxOp op, Expr element);
  bool areOperandsEqual(Expr a, Expr b, const Renaming &renamed);
  bool arePositionsEqual(llvm::ArrayRef<Position> a, llvm::ArrayRef<Position> b, const Renaming &renamed);
  bool dependsOn(Expr term, llvm::ArrayRef<LoopId> on, llvm::SmallPtrSetImpl<Expr> &seen);
  bool reaches(Expr term, Expr other, llvm::SmallPtrSetImpl<Expr> &seen);

  mlir::MLIRContext *context;
  unsigned steps = 0;
  std::deque<Term> terms;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Expr, 2>> elements;
  llvm::DenseMap<Expr, Expr> expansions;
  llvm::SetVector<mlir::Operation *> visited;
};

/// The positions of the result of a structured operation or reshape that is elementwise in an operand read at `at`;
/// none if another loop indexes the result.
std::optional<Positions> mapToResult(LoopSpace &loops, mlir::OpOperand &operand, llvm::ArrayRef<Position> at,
                                     mlir::OpResult result);

/// The same for the result of a structured operation that reduces over loops of the operand.
std::optional<Positions> mapToReduction(LoopSpace &loops, mlir::OpOperand &operand, llvm::ArrayRef<Position> at,
                                        mlir::OpResult result);

} // namespace fovea::conversion

#endif // FOVEA_LIB_CONVERSION_LINALGTOATTN_EXPRESSIONS_H
