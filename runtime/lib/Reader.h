//===- Reader.h - FlatBuffer to model, verified -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_READER_H
#define FOVEA_RUNTIME_READER_H

#include "Model.h"

#include "fovea/ABI/Artifact_generated.h"

namespace fovea::runtime {

/// Which nodes an expression may have where it stands.
struct Scope {
  bool results, threads, alignment;
};
constexpr Scope kArgumentScope{false, false, false}, kConstraintScope{true, false, false},
    kFunctionScope{true, true, false}, kStepScope{true, true, true};

/// Reads one artifact. The first error is kept, with the path of the element that is wrong.
class Reader {
public:
  explicit Reader(fovea_artifact &artifact) : artifact(artifact) {}
  fovea_status read(const abi::Artifact &source);

private:
  fovea_status readCode(const abi::Code &source);
  fovea_status readImages(const abi::Code &source, Code &code);
  fovea_status readFunction(const abi::Function &source);
  fovea_status readValues(const abi::Function &source);
  fovea_status readValue(const abi::Value &source, Value &value, bool isResult);
  fovea_status readConstraint(const abi::Constraint &source, Constraint &constraint);
  fovea_status readImplementation(const abi::Implementation &source, Implementation &implementation);
  fovea_status readStep(const abi::Step &source, Step &step);
  fovea_status readVariant(const abi::Variant &source, Variant &variant);
  fovea_status readKernel(const abi::Kernel &source, const std::vector<Buffer> *variantTemporaries, Scope scope,
                          Kernel &kernel);
  fovea_status readTensorMaps(const abi::Kernel &source, int words, Kernel &kernel);
  fovea_status readReference(const abi::Reference &source, Reference &reference);
  fovea_status readReferenceOutputs(const Reference &reference);
  fovea_status readReferenceTemporaries(const Reference &reference);
  fovea_status readBuffers(const flatbuffers::Vector<flatbuffers::Offset<abi::Buffer>> *source, Scope scope,
                           std::vector<Buffer> &buffers);
  fovea_status readBinding(const abi::Binding &source, const std::vector<Buffer> *variantTemporaries, Scope scope,
                           Binding &binding);
  fovea_status readExpr(const abi::Expr *source, Scope scope, Expr &expr);
  fovea_status checkNode(const abi::ExprNode &node, Scope scope);
  fovea_status bad(const char *what) const;

  fovea_artifact &artifact;
  fovea_function *function = nullptr;
  /// Of the implementation or reference at hand.
  const Code *code = nullptr;
  const std::vector<Buffer> *temporaries = nullptr;
};

inline std::string toString(const flatbuffers::String *string) { return string ? string->str() : std::string(); }

template <typename T> size_t sizeOf(const flatbuffers::Vector<T> *vector) { return vector ? vector->size() : 0; }

inline bool isType(abi::ElementType type) { return type <= abi::ElementType::MAX; }
inline fovea_type toType(abi::ElementType type) { return static_cast<fovea_type>(type); }
inline bool isInteger(fovea_type type) { return type >= FOVEA_I1; }

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_READER_H
