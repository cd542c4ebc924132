//===- FuzzModule.cpp - From any text to an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fuzz target of the compiler: a text is compiled, or refused by at least one error. Anything else aborts.
//
//===----------------------------------------------------------------------===//

#include "fovea/InitAll.h"
#include "fovea/Pipelines/Pipelines.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static const DialectRegistry &getRegistry() {
  static DialectRegistry *registry = [] {
    auto *all = new DialectRegistry;
    registerAllDialects(*all);
    registerAllExtensions(*all);
    fovea::registerAllDialects(*all);
    return all;
  }();
  return *registry;
}

/// Compiles a text for the CPU and a GPU, at the lowest optimisation level, and counts the errors it emits.
static bool compile(llvm::StringRef text, int &errors) {
  MLIRContext context(getRegistry(), MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { errors += diagnostic.getSeverity() == DiagnosticSeverity::Error; });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return false;
  fovea::CompileOptions options;
  options.targets = {"cpu", "sm_80"};
  options.target.optLevel = 0;
  return succeeded(fovea::compileToArtifact(*module, options));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int errors = 0;
  bool accepted = compile(llvm::StringRef(reinterpret_cast<const char *>(data), size), errors);
  if (accepted == (errors > 0)) {
    llvm::errs() << (accepted ? "accepted, but with errors\n" : "refused without an error\n");
    abort();
  }
  return 0;
}

#ifndef FOVEA_LIBFUZZER
int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(argv[i]);
    if (!file) {
      llvm::errs() << "fovea-fuzz-module: error: cannot read '" << argv[i] << "': " << file.getError().message()
                   << "\n";
      return 1;
    }
    llvm::StringRef text = (*file)->getBuffer();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  }
  return 0;
}
#endif
