//===- fovea-compile.cpp - Compiles attention IR -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "Options.h"
#include "Report.h"
#include "fovea/InitAll.h"
#include "fovea/Pipelines/AheadOfTime.h"
#include "fovea/Target/CPU/CPUEmit.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace fovea;

/// Whether a location names a line of the source.
static bool hasPlace(mlir::Location location) {
  auto line = location->findInstanceOf<mlir::FileLineColLoc>();
  return line && line.getLine() > 0;
}

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << "\n";
  return text;
}

static CodeKind getCodeKind(Emit kind) {
  switch (kind) {
  case Emit::PTX:
    return CodeKind::PTX;
  case Emit::Cubin:
    return CodeKind::Cubin;
  case Emit::Assembly:
    return CodeKind::Assembly;
  case Emit::Object:
    return CodeKind::Object;
  default:
    return CodeKind::LLVMIR;
  }
}

/// Stops the pipeline at the asked stage.
static mlir::FailureOr<std::string> compileToStage(mlir::ModuleOp module, Emit emit, const CompileOptions &options) {
  if (failed(checkOptions(module, options)))
    return mlir::failure();
  if (!llvm::is_contained({Emit::Attn, Emit::Tile, Emit::NV}, emit))
    return compileToCode(module, getCodeKind(emit), options);
  mlir::FailureOr<PlannedModule> planned = planModule(module, options.targets.front(), options.plan);
  if (failed(planned))
    return mlir::failure();
  if (emit == Emit::Attn)
    return print(*planned->planned);
  if (failed(lowerToTiles(*planned)) || (emit == Emit::NV && failed(lowerKernels(*planned, options.target))))
    return mlir::failure();
  return print(*planned->kernels);
}

/// Everything but the source that decides the bytes of an artifact; the processor too, since `cpu` may mean this one.
static std::string getOptionsKey(const CompileOptions &options) {
  std::string key;
  llvm::raw_string_ostream os(key);
  llvm::interleave(options.targets, os, ",");
  os << ";" << options.withReference << ";" << options.referenceTarget << ";" << options.withMachineCode << ";"
     << options.target.ptxVersion << ";" << options.target.optLevel << ";" << options.plan.strategy << ";"
     << options.plan.tuning << ";";
  // A table may change under its name.
  if (llvm::sys::fs::is_regular_file(options.plan.tuning))
    if (auto table = llvm::MemoryBuffer::getFile(options.plan.tuning))
      os << (*table)->getBuffer();
  cpu::CPU host = cpu::getHostCPU();
  os << ";" << host.name << ";" << host.features;
  return key;
}

static mlir::LogicalResult writeFile(llvm::StringRef path, llvm::StringRef bytes) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(path, &message);
  if (!output)
    return error(message);
  output->os() << bytes;
  output->os().flush();
  if (output->os().has_error()) {
    std::string reason = output->os().error().message();
    output->os().clear_error();
    return error("cannot write '" + path + "': " + reason);
  }
  output->keep();
  return mlir::success();
}

/// Writes the header and returns the object.
static mlir::FailureOr<std::string> compileWithHeader(mlir::ModuleOp module, const Options &options) {
  llvm::StringRef stem = llvm::StringRef(options.output).drop_back(2);
  mlir::FailureOr<AheadOfTimeCode> code = compileAheadOfTime(module, options.compile, llvm::sys::path::filename(stem));
  if (failed(code) || failed(writeFile((stem + ".h").str(), code->header)))
    return mlir::failure();
  return std::move(code->object);
}

static mlir::FailureOr<std::string> compile(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                                            const Options &options) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module || (options.withReport && (failed(checkOptions(*module, options.compile)) ||
                                         failed(printReport(*module, options.compile, llvm::errs())))))
    return mlir::failure();
  if (options.emit == Emit::Header)
    return compileWithHeader(*module, options);
  return options.emit == Emit::Artifact ? compileToArtifact(*module, options.compile)
                                        : compileToStage(*module, options.emit, options.compile);
}

static mlir::FailureOr<std::string> compileCached(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                                                  const Options &options) {
  if (options.cacheDir.empty())
    return compile(sources, context, options);
  ArtifactCache cache(options.cacheDir);
  llvm::StringRef source = sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  std::string key = ArtifactCache::getKey({source, getOptionsKey(options.compile)});
  if (std::optional<std::string> bytes = cache.lookup(key))
    return *bytes;
  mlir::FailureOr<std::string> bytes = compile(sources, context, options);
  if (succeeded(bytes))
    if (llvm::Error failure = cache.publish(key, *bytes))
      return error(llvm::toString(std::move(failure)));
  return bytes;
}

/// A name of a CPU that is not known gets its own message, with the nearest one that is.
static mlir::LogicalResult checkCPUs(mlir::MLIRContext &context, const CompileOptions &options) {
  std::vector<std::string> names = options.targets;
  names.push_back(options.referenceTarget);
  for (llvm::StringRef name : names)
    if (name.consume_front("cpu:") &&
        failed(cpu::lookupCPU(name, [&] { return mlir::emitError(mlir::UnknownLoc::get(&context)); })))
      return mlir::failure();
  return mlir::success();
}

/// MLIR is text, or bytecode with a magic number of its own.
static mlir::LogicalResult checkInput(llvm::StringRef path, llvm::StringRef bytes) {
  if (bytes.starts_with("ML\xefR") || !bytes.take_front(/*N=*/1024).contains('\0'))
    return mlir::success();
  if (bytes.drop_front(4).starts_with("FOVA"))
    return error("'" + path + "' is an artifact already; fovea-run runs it");
  return error("'" + path + "' is neither text nor bytecode of MLIR");
}

/// Nobody reads an artifact or code on a terminal.
static mlir::LogicalResult checkTerminal(const Options &options) {
  bool isText =
      llvm::is_contained({Emit::Attn, Emit::Tile, Emit::NV, Emit::LLVM, Emit::PTX, Emit::Assembly}, options.emit);
  if (options.output == "-" && !isText && llvm::outs().is_displayed())
    return error("the output is binary and this is a terminal; name a file with -o");
  return mlir::success();
}

static mlir::LogicalResult run() {
  mlir::FailureOr<Options> options = readOptions();
  if (failed(options))
    return mlir::failure();
  if (options->listsCPUs) {
    llvm::interleave(cpu::getKnownCPUNames(), llvm::outs(), "\n");
    llvm::outs() << "\n";
    return mlir::success();
  }
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(options->input, &message);
  if (!input)
    return error(message);
  if (failed(checkInput(options->input, input->getBuffer())))
    return mlir::failure();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  fovea::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  // Several kernels of one op fail alike: the same message at the same place is said once. What has no place in the
  // source is about the options or the whole module.
  llvm::StringSet<> emitted;
  mlir::ScopedDiagnosticHandler distinct(&context, [&](mlir::Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream(text) << diagnostic.getLocation() << diagnostic;
    if (!emitted.insert(text).second)
      return mlir::success();
    if (hasPlace(diagnostic.getLocation()) || diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
      return mlir::failure();
    return mlir::success(failed(error(diagnostic.str())));
  });

  if (failed(checkCPUs(context, options->compile)) || failed(checkTerminal(*options)))
    return mlir::failure();
  readEnvironment(options->compile, &context);
  mlir::FailureOr<std::string> bytes = compileCached(sources, context, *options);
  if (failed(bytes))
    return mlir::failure();
  return writeFile(options->output, *bytes);
}

/// Keeps what is freed for what comes next: a compilation frees most of its memory many times over, and a page that is
/// given back to the system costs a fault when it returns.
static void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_TOP_PAD, 64 * kMegabyte);
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 1024 * kMegabyte);
#endif
}

int main(int argc, char **argv) {
  keepFreedMemory();
  llvm::InitLLVM init(argc, argv);
  fovea::registerAllPasses();
  parseCommandLine(argc, argv);
  return mlir::succeeded(run()) ? 0 : 1;
}
