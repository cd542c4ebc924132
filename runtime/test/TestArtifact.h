//===- TestArtifact.h - Artifacts made by hand -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TEST_TESTARTIFACT_H
#define FOVEA_RUNTIME_TEST_TESTARTIFACT_H

#include "fovea/ABI/Artifact_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace fovea::test {

/// A postfix expression: `expr({constant(2), argDim(0, 1), op(abi::ExprOp::Mul)})`.
abi::ExprNode constant(int64_t value);
abi::ExprNode argDim(int argument, int dim);
abi::ExprNode op(abi::ExprOp op, int64_t a = 0, int b = 0);
std::unique_ptr<abi::ExprT> expr(const std::vector<abi::ExprNode> &nodes);

abi::BindingT binding(abi::BindingKind kind, int index, abi::ElementType type, int rank);

/// The artifact of `attention` in kernel.c:
///   attention(q: ?x?x?x4xf32, k: ?x?x?x4xf32, v: ?x?x?x3xf32, scale: f32) -> (o: ?x?x?x3xf32, lse: ?x?x?xf32)
/// with the variants "wide" (rows aligned to 16 bytes) and "narrow", a reference, and code for the CPU.
abi::ArtifactT makeArtifact(const std::string &cpuCode);

/// Adds code of another backend that runs as the first implementation does.
void addImplementation(abi::ArtifactT &artifact, abi::CodeKind kind, const std::string &arch, const std::string &code);

/// The bytes of an artifact, aligned as a vector of words is.
std::vector<uint8_t> pack(const abi::ArtifactT &artifact);

/// The bytes of the shared object made of kernel.c.
std::string readKernelObject();

} // namespace fovea::test

#endif // FOVEA_RUNTIME_TEST_TESTARTIFACT_H
