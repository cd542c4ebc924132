//===- Model.h - A verified artifact in memory -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader turns the FlatBuffer into these structs once, so that a launch neither verifies nor allocates. Every index
// in them is in range and every expression well-formed.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_MODEL_H
#define FOVEA_RUNTIME_MODEL_H

#include "fovea/runtime.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fovea::runtime {

/// Limits of an artifact: they bound the stack of a launch.
constexpr int kMaxExprNodes = 4096;
constexpr int kMaxExprDepth = 32;
constexpr int kMaxValues = 64;
constexpr int kMaxTemporaries = 32;
constexpr int kMaxSteps = 32;
/// Words of a kernel's parameters: 4096 bytes, the limit of CUDA.
constexpr int kMaxWords = 512;
/// Tensor maps of one kernel, and the dimensions of one.
constexpr int kMaxTensorMaps = 16;
constexpr int kMaxTensorMapRank = 5;
constexpr int64_t kMaxScratchBytes = int64_t(1) << 30;

enum class ExprOp : uint8_t {
  Const,
  ArgDim,
  ResultDim,
  ArgScalar,
  Threads,
  Alignment,
  Add,
  Sub,
  Mul,
  FloorDiv,
  CeilDiv,
  Mod,
  Min,
  Max,
  Ge,
  Eq
};

struct ExprNode {
  int64_t a;
  int32_t b;
  ExprOp op;
};

/// Postfix; empty where the artifact has no expression.
using Expr = std::vector<ExprNode>;

/// An argument or result; `rank` is -1 for a scalar. `same` is the first dimension of the arguments that must be equal
/// to one (argument, dimension), or (-1, -1).
struct Value {
  std::string name;
  fovea_type type;
  int rank;
  std::vector<Expr> dims;
  bool written;
  std::pair<int, int> same[FOVEA_MAX_RANK] = {};
  /// Sizes that are known before a launch, or -1.
  int64_t known[FOVEA_MAX_RANK] = {};
};

/// `{0}`, `{1}`, ... in the message stand for `values`.
struct Constraint {
  Expr expr;
  std::string message;
  std::vector<Expr> values;
};

enum class BindingKind : uint8_t { Argument, Result, Temporary, VariantTemporary, Constant, Expression };

struct Binding {
  BindingKind kind;
  int index;
  fovea_type type;
  int rank;
  uint64_t bits;
  Expr expr;
};

struct Buffer {
  fovea_type type;
  std::vector<Expr> dims;
};

/// A box of `rows` x `cols` elements of the tensor behind parameter `binding`, in 128-byte rows.
struct TensorMap {
  int binding, rows, cols, rowDim;
};

struct Kernel {
  std::string symbol;
  std::vector<Binding> bindings;
  std::vector<TensorMap> tensorMaps;
  Expr grid;
  int block;
  int sharedBytes;
  int64_t scratchBytes;
  /// Among the images of the implementation's code.
  int image = 0;
  /// Position among the kernels of an implementation.
  int ordinal = 0;
};

struct Variant {
  std::string name;
  std::vector<Expr> when;
  std::vector<Buffer> temporaries;
  std::vector<Kernel> kernels;
};

struct Step {
  std::string name;
  std::vector<Binding> alignedOperands;
  std::vector<Variant> variants;
  Expr flops;
};

enum class CodeKind : uint8_t { SharedObject, PTX, Cubin };

struct CpuCode;
struct CudaModule;
struct CudaBinding;

/// Bytes that are loaded by themselves.
struct Image {
  const uint8_t *bytes;
  size_t size;
};

/// The bytes of one target's code and what was made of them.
struct Code {
  CodeKind kind;
  std::string backend, arch, features;
  int ptxVersion;
  const uint8_t *bytes;
  size_t size;
  /// One or more parts of `bytes`; one on the CPU.
  std::vector<Image> images;
  /// Features that this CPU lacks, as text; empty: it runs the code. Found at load, since asking the CPU is slow.
  std::string missing;
  /// Number of features that the code needs.
  int featureCount = 0;

  /// Loaded code, made under the artifact's mutex and never changed after: a launch reads without locking.
  std::unique_ptr<CpuCode> cpu;
  /// One module for each image and CUDA context that needed it.
  std::unique_ptr<CudaModule> modules;

  Code();
  ~Code();
};

struct Implementation {
  int code;
  std::vector<Buffer> temporaries;
  std::vector<Step> steps;
  int kernelCount = 0;

  /// Entry points of a CPU implementation by `Kernel::ordinal`; valid once `prepared`.
  std::vector<void *> entries;
  std::atomic<bool> prepared{false};
};

/// Temporaries 0 to 4 are the outputs O, LSE, A, smax and rounded O, which the caller provides.
struct Reference {
  int code, output, lse, kvLengths;
  bool inArguments, allowTF32, allowApprox;
  fovea_type pType;
  Kernel kernel;
  std::vector<Buffer> temporaries;
  Expr kvLength;
  std::atomic<void *> entry{nullptr};
};

} // namespace fovea::runtime

struct fovea_function {
  fovea_artifact *artifact;
  std::string name;
  std::vector<fovea::runtime::Value> arguments, results;
  std::vector<fovea::runtime::Constraint> constraints;
  std::vector<std::unique_ptr<fovea::runtime::Implementation>> implementations;
  std::vector<std::unique_ptr<fovea::runtime::Reference>> references;
  /// What was prepared for each CUDA context; a list that only grows, so that a launch walks it without a lock.
  std::atomic<fovea::runtime::CudaBinding *> cudaBindings{nullptr};

  fovea_function();
  ~fovea_function();
};

struct fovea_artifact {
  std::vector<uint64_t> storage;
  std::string producer;
  std::vector<std::unique_ptr<fovea::runtime::Code>> codes;
  std::vector<std::unique_ptr<fovea_function>> functions;
  /// Held while code is loaded.
  std::mutex mutex;

  fovea_artifact();
  ~fovea_artifact();
};

namespace fovea::runtime {

/// Verifies `bytes` (aligned to 8, alive as long as the artifact) and fills `artifact`.
fovea_status readArtifact(const uint8_t *bytes, size_t size, fovea_artifact &artifact);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_MODEL_H
