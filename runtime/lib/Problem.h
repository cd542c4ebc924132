//===- Problem.h - One call's values and what follows from them -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_PROBLEM_H
#define FOVEA_RUNTIME_PROBLEM_H

#include "Model.h"

namespace fovea::runtime {

/// The values of a call, and the sizes of results once they are computed. Lives on the stack of the call.
struct Problem {
  const fovea_function *function;
  const fovea_value *arguments;
  const fovea_value *results = nullptr;
  /// Sizes of the results by the artifact's expressions.
  int64_t resultSizes[kMaxValues][FOVEA_MAX_RANK];
  /// Value of the Threads node.
  int64_t threads = 1;
  /// Value of the Alignment node of the step at hand.
  int64_t alignment = 1;
};

/// Value of an integer scalar with its sign.
int64_t getInteger(const fovea_value &scalar);

/// Evaluates `expr` (not empty) exactly; overflow and division by a number below 1 are errors.
fovea_status evaluate(const Expr &expr, const Problem &problem, int64_t *value);

/// Checks counts, types, ranks and sizes of the arguments, the constraints, and computes `resultSizes`.
fovea_status checkShapes(Problem &problem, int32_t argumentCount);

/// Checks what `checkShapes` leaves: the results' types and sizes, all pointers, strides and overlaps.
fovea_status checkMemory(const Problem &problem, int32_t resultCount);

/// Position of each temporary of a list in the workspace, and the end of the last one.
struct Placement {
  int64_t offsets[kMaxTemporaries];
  int64_t end;
};

/// Lays out `buffers` one after the other from `begin`, each aligned to 128 bytes.
fovea_status place(const std::vector<Buffer> &buffers, const Problem &problem, int64_t begin, Placement *placement);

/// Replaces `variant` by the next one of the step whose conditions hold (null: by the first), or by null.
fovea_status findNextVariant(const Step &step, const Problem &problem, const Variant *&variant);

/// End of the workspace of a variant whose temporaries begin at `begin`; `placement` is that of its temporaries, and
/// the scratch memory of the workers begins at `placement->end`.
fovea_status getVariantEnd(const Variant &variant, const Problem &problem, int64_t begin, Placement *placement,
                           int64_t *end);

/// The alignment that all rows of a step's operands share (see `ProblemSymbol` of the attn dialect). `workspace` is
/// where temporaries lie.
int64_t getAlignment(const Step &step, const Problem &problem, const Implementation &implementation,
                     const Placement &placement, const char *workspace);

/// Sizes and strides of the tensor behind a binding.
struct View {
  const char *data;
  int64_t sizes[FOVEA_MAX_RANK], strides[FOVEA_MAX_RANK];
};
/// Where temporaries of an implementation and of a variant lie.
struct Temporaries {
  const std::vector<Buffer> *buffers = nullptr;
  const Placement *placement = nullptr;
};
fovea_status getView(const Binding &binding, const Problem &problem, const Temporaries &function,
                     const Temporaries &variant, const char *workspace, View *view);

/// Appends the words of a memref descriptor.
int packView(const View &view, int rank, uint64_t *words);

/// The words of a kernel's parameters; `words` holds kMaxWords. Returns their number in `count`.
fovea_status pack(const Kernel &kernel, const Problem &problem, const Temporaries &function, const Temporaries &variant,
                  const char *workspace, uint64_t *words, int *count);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_PROBLEM_H
