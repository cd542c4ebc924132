//===- CheckExpressions.cpp - Sizes of the expressions of an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"

using namespace mlir;
using namespace fovea;

size_t fovea::getDepth(ArrayRef<abi::ExprNode> nodes) {
  size_t depth = 0, most = 0;
  for (const abi::ExprNode &node : nodes) {
    depth = node.op() < abi::ExprOp::Add ? depth + 1 : depth - 1;
    most = std::max(most, depth);
  }
  return most;
}

namespace {
/// Walks over all expressions of a part of an artifact.
struct Checker {
  template <typename T> bool fits(const std::unique_ptr<T> &table) const { return !table || fits(*table); }
  template <typename T> bool fits(const std::vector<std::unique_ptr<T>> &tables) const {
    return llvm::all_of(tables, [&](const std::unique_ptr<T> &table) { return fits(table); });
  }
  bool fits(const abi::ExprT &expr) const {
    return expr.nodes.size() <= kMaxExprNodes && getDepth(expr.nodes) <= kMaxExprDepth;
  }
  bool fits(const abi::ValueT &value) const { return fits(value.dims); }
  bool fits(const abi::BufferT &buffer) const { return fits(buffer.dims); }
  bool fits(const abi::BindingT &binding) const { return fits(binding.expr); }
  bool fits(const abi::ConstraintT &constraint) const { return fits(constraint.expr) && fits(constraint.values); }
  bool fits(const abi::KernelT &kernel) const { return fits(kernel.grid) && fits(kernel.bindings); }
  bool fits(const abi::VariantT &variant) const {
    return fits(variant.when) && fits(variant.temporaries) && fits(variant.kernels);
  }
  bool fits(const abi::StepT &step) const { return fits(step.flops) && fits(step.variants); }
  bool fits(const abi::ImplementationT &implementation) const {
    return fits(implementation.temporaries) && fits(implementation.steps);
  }
  bool fits(const abi::ReferenceT &reference) const {
    return fits(reference.kernel) && fits(reference.temporaries) && fits(reference.kv_length);
  }
  bool fits(const abi::FunctionT &function) const {
    return fits(function.arguments) && fits(function.results) && fits(function.constraints);
  }
};
} // namespace

template <typename Part> LogicalResult fovea::checkExpressions(func::FuncOp host, const Part &part) {
  if (Checker().fits(part))
    return success();
  return host.emitError()
         << "makes sizes or scalars of so many operations that what a launch computes of them takes more "
         << "than " << kMaxExprNodes << " operations, which an artifact cannot hold; pass them as "
         << "arguments, or tensors of these sizes";
}

template LogicalResult fovea::checkExpressions(func::FuncOp, const abi::FunctionT &);
template LogicalResult fovea::checkExpressions(func::FuncOp, const abi::ImplementationT &);
template LogicalResult fovea::checkExpressions(func::FuncOp, const abi::ReferenceT &);
