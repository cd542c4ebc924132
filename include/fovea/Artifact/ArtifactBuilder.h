//===- ArtifactBuilder.h - Builds an artifact from planned modules -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_ARTIFACT_ARTIFACTBUILDER_H
#define FOVEA_ARTIFACT_ARTIFACTBUILDER_H

#include "fovea/ABI/Artifact_generated.h"
#include "fovea/Artifact/Expressions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace fovea {

/// The ABI version that this compiler writes and this runtime reads.
constexpr int kAbiVersion = 3;

/// The ABI's name of an element type, whose number is that of runtime.h too; nothing for a type that it does not have.
std::optional<abi::ElementType> lookupElementType(mlir::Type type);

/// The attention ops of a host function in order.
llvm::SmallVector<attn::AttentionOp> getAttentionOps(mlir::func::FuncOp host);

/// What keeps a reference from judging `op` alone, for a message; nothing where its inputs are arguments and scalars
/// and its output leaves the function.
std::optional<std::string> getJudgeObstacle(attn::AttentionOp op);

/// One code object and what it needs to run.
struct CodeObject {
  abi::CodeKind kind;
  std::string backend, arch, features;
  int ptxVersion = 0;
  std::string bytes;
  /// The parts of `bytes` that are loaded by themselves, and which of them holds a kernel; none: all of it is one.
  std::vector<abi::Image> images;
  llvm::StringMap<int> imageOfKernel;
  /// Appends a part, aligned to 16 bytes, to `bytes`.
  void addImage(llvm::StringRef image, llvm::ArrayRef<std::string> kernels);
};

/// Collects functions and codes; every error is a diagnostic at the op that cannot become part of an artifact.
class ArtifactBuilder {
public:
  explicit ArtifactBuilder(llvm::StringRef producer);

  /// Adds a code object and returns its number.
  int addCode(CodeObject code);

  /// Adds the signature, result shapes and constraints of a host function.
  mlir::LogicalResult addFunction(mlir::func::FuncOp host);

  /// Adds a way to run `host`, whose attention ops carry their plan. `kernels` is the planned module before lowering
  /// (for the bindings), `lowered` the module after (for the launch numbers).
  mlir::LogicalResult addImplementation(mlir::func::FuncOp host, mlir::ModuleOp kernels, mlir::Operation *lowered,
                                        int code);

  /// Adds the judge of one op of `host`: `kernel` as `buildJudge` made it, `lowered` the module after lowering.
  mlir::LogicalResult addReference(mlir::func::FuncOp host, attn::AttentionOp op, mlir::func::FuncOp kernel,
                                   mlir::Operation *lowered, int code);

  /// The bytes of the artifact.
  std::string serialize() const;

private:
  abi::FunctionT *lookup(llvm::StringRef name);
  void setImages(abi::StepT &step, int code) const;

  abi::ArtifactT artifact;
  /// `CodeObject::imageOfKernel` of each code.
  std::vector<llvm::StringMap<int>> imagesOfKernels;
};

} // namespace fovea

#endif // FOVEA_ARTIFACT_ARTIFACTBUILDER_H
