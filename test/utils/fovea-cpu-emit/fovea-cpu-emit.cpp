//===- fovea-cpu-emit.cpp - Compiles a module of the LLVM dialect for the CPU -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests: what comes out of `fovea-opt --attn-cpu-to-llvm` becomes code without a plan and an artifact around it.
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/CPU/CPUEmit.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace fovea;

static llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::init("-"), llvm::cl::desc("<input>"));
static llvm::cl::opt<std::string> output("o", llvm::cl::init("-"), llvm::cl::desc("Output file"));
static llvm::cl::opt<std::string> mcpu("mcpu", llvm::cl::init("host"), llvm::cl::desc("CPU to compile for"));
static llvm::cl::opt<bool> allowLibm("allow-libm", llvm::cl::desc("Allow calls of libm"));
static llvm::cl::opt<int> optLevel("opt-level", llvm::cl::init(3), llvm::cl::desc("Optimisation level, 0 to 3"));
static llvm::cl::opt<CodeKind> kind("emit", llvm::cl::init(CodeKind::SharedObject), llvm::cl::desc("What to write"),
                                    llvm::cl::values(clEnumValN(CodeKind::LLVMIR, "llvm-ir", "LLVM IR, optimised"),
                                                     clEnumValN(CodeKind::Assembly, "asm", "assembly"),
                                                     clEnumValN(CodeKind::Object, "obj", "object"),
                                                     clEnumValN(CodeKind::SharedObject, "shared", "shared object")));

static LogicalResult compile() {
  MLIRContext context;
  context.loadDialect<LLVM::LLVMDialect, attn::AttnDialect>();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(input, sources, &context);
  if (!module)
    return failure();
  FailureOr<cpu::CPU> processor = cpu::lookupCPU(mcpu, [&] { return mlir::emitError(UnknownLoc::get(&context)); });
  if (failed(processor))
    return failure();
  cpu::EmitOptions options;
  options.cpu = *processor;
  options.allowLibm = allowLibm;
  options.optLevel = optLevel;
  FailureOr<std::string> code = cpu::emitCode(*module, kind, options);
  std::string error;
  auto file = succeeded(code) ? openOutputFile(output, &error) : nullptr;
  if (!file) {
    llvm::errs() << error;
    return failure();
  }
  file->os() << *code;
  file->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Compiles a module of the LLVM dialect for the CPU\n");
  return failed(compile());
}
