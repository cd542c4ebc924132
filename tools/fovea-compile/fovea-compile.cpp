//===- fovea-compile.cpp - Compiles attention IR -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "Report.h"
#include "fovea/InitAll.h"
#include "fovea/Pipelines/AheadOfTime.h"
#include "fovea/Target/CPU/CPUEmit.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace fovea;
namespace cl = llvm::cl;

namespace {
enum class Emit { Header, Attn, Tile, NV, LLVM, PTX, Cubin, Assembly, Object, Artifact };

cl::OptionCategory category("fovea-compile options");
cl::opt<std::string> inputFile(cl::Positional, cl::desc("IN.mlir ('-' for standard input)"), cl::init("-"),
                               cl::cat(category));
cl::opt<std::string> outputFile("o", cl::desc("Output file ('-' for standard output)"), cl::value_desc("file"),
                                cl::init("-"), cl::cat(category));
cl::list<std::string> targets("target", cl::CommaSeparated, cl::value_desc("cpu|cpu:NAME|sm_80|..."),
                              cl::desc("What to generate code for; an artifact may serve several (default: cpu)"),
                              cl::cat(category));
cl::list<Emit> emitKinds(
    "emit", cl::desc("What to write"), cl::CommaSeparated, cl::cat(category),
    cl::values(
        clEnumValN(Emit::Header, "header",
                   "with obj (--emit=header,obj): an object file with a C function for each function, and beside "
                   "it their header"),
        clEnumValN(Emit::Attn, "attn", "planned host functions and kernels, as attn IR"),
        clEnumValN(Emit::Tile, "tile", "kernels at the tile level"),
        clEnumValN(Emit::NV, "nv", "kernels in the LLVM dialect (NVVM on a GPU)"),
        clEnumValN(Emit::LLVM, "llvm", "LLVM IR"), clEnumValN(Emit::PTX, "ptx", "PTX of a GPU target"),
        clEnumValN(Emit::Cubin, "cubin", "machine code of a GPU target, made by ptxas"),
        clEnumValN(Emit::Assembly, "asm", "assembly of a CPU target"),
        clEnumValN(Emit::Object, "obj", "object file of a CPU target"),
        clEnumValN(Emit::Artifact, "artifact", "one file for the runtime: code, launch contract (default)")));
cl::opt<std::string> mcpu("mcpu",
                          cl::desc("CPU that the target 'cpu' and the reference mean (default: this one; help: list)"),
                          cl::value_desc("name"), cl::cat(category));
cl::opt<bool> withReference("with-reference", cl::desc("Add the float64 judge for fovea-run --check"),
                            cl::cat(category));
cl::opt<std::string> referenceCpu("reference-mcpu", cl::desc("CPU of the judge (default: --mcpu)"),
                                  cl::value_desc("name"), cl::cat(category));
cl::opt<bool> withCubin("with-cubin", cl::desc("Add machine code made by ptxas beside PTX"), cl::cat(category));
cl::opt<bool> withReport("report",
                         cl::desc("Print to standard error what was recognised of masks, and registers, spills, "
                                  "shared memory, threads and occupancy of each GPU kernel, and warn of what costs "
                                  "speed; needs ptxas for a GPU"),
                         cl::cat(category));
cl::opt<std::string>
    strategy("strategy",
             cl::desc("Run attention by this strategy where the problem allows it; the last variant of "
                      "the target's plan runs the rest"),
             cl::value_desc("#attn.strategy<...>"), cl::cat(category));
cl::opt<std::string>
    tuning("tuning",
           cl::desc("Tuned strategies (made by fovea-tune) in place of the target's own; 'none': rules "
                    "alone (default: $FOVEA_TUNING)"),
           cl::value_desc("file.json"), cl::cat(category));
cl::opt<std::string> ptxVersion("ptx-version", cl::desc("PTX version (default: the lowest that serves)"),
                                cl::value_desc("M.N"), cl::cat(category));
cl::opt<unsigned> optLevel("O", cl::Prefix, cl::desc("LLVM's optimisation level, 0 to 3"), cl::init(3),
                           cl::cat(category));
cl::opt<std::string> cacheDir("cache-dir", cl::desc("Keep artifacts by content in this folder"),
                              cl::value_desc("folder"), cl::cat(category));
} // namespace

/// Prints a command line error in the form of a diagnostic.
static mlir::LogicalResult error(const llvm::Twine &message) {
  llvm::errs() << "fovea-compile: error: " << message << "\n";
  return mlir::failure();
}

/// What to write: `Header` for a header and its object.
static Emit emitKind = Emit::Artifact;

static mlir::LogicalResult readEmitKinds() {
  if (emitKinds.empty())
    return mlir::success();
  emitKind = emitKinds.front();
  if (llvm::is_contained(emitKinds, Emit::Header)) {
    emitKind = Emit::Header;
    if (emitKinds.size() != 2 || !llvm::is_contained(emitKinds, Emit::Object))
      return error("a header is written with its object: --emit=header,obj");
    if (!llvm::StringRef(outputFile).ends_with(".o"))
      return error("name the object with -o FILE.o; the header becomes FILE.h");
  } else if (emitKinds.size() != 1) {
    return error("--emit takes one kind, or header,obj");
  }
  return mlir::success();
}

/// Whether a location names a line of the source.
static bool hasPlace(mlir::Location location) {
  auto line = location->findInstanceOf<mlir::FileLineColLoc>();
  return line && line.getLine() > 0;
}

/// Parses `M.N` to ten times the version; 0 for an empty text, -1 for a malformed one.
static int parseVersion(llvm::StringRef text) {
  if (text.empty())
    return 0;
  auto [majorText, minorText] = text.split('.');
  unsigned major = 0, minor = 0;
  if (majorText.getAsInteger(10, major) || minorText.getAsInteger(10, minor) || minor > 9 || major > 99 || major == 0)
    return -1;
  return static_cast<int>(major * 10 + minor);
}

/// The options as the library takes them.
static mlir::FailureOr<CompileOptions> getOptions() {
  CompileOptions options;
  if (!targets.empty())
    options.targets = targets;
  auto withCpu = [](const std::string &name, const std::string &cpu) { return cpu.empty() ? name : "cpu:" + cpu; };
  for (std::string &target : options.targets)
    if (target == "cpu")
      target = withCpu(target, mcpu);
  options.plan.strategy = strategy;
  options.plan.tuning = tuning;
  if (const char *file = std::getenv("FOVEA_TUNING"); file && tuning.empty())
    options.plan.tuning = file;
  options.withReference = withReference;
  options.referenceTarget = withCpu("cpu", referenceCpu.empty() ? mcpu : referenceCpu);
  options.withMachineCode = withCubin;
  options.target.optLevel = static_cast<int>(optLevel.getValue());
  options.target.ptxVersion = parseVersion(ptxVersion);
  if (options.target.ptxVersion < 0)
    return error("--ptx-version=" + ptxVersion + " is no version; write it as 8.0");
  if (optLevel > 3)
    return error("-O" + llvm::Twine(optLevel) + " is unknown; use -O0 to -O3");
  bool holdsArtifact = emitKind == Emit::Artifact || emitKind == Emit::Header;
  if (!holdsArtifact && options.targets.size() != 1)
    return error("--emit takes one target unless it emits an artifact, but " + llvm::Twine(options.targets.size()) +
                 " are given");
  return options;
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
static mlir::FailureOr<std::string> compileToStage(mlir::ModuleOp module, const CompileOptions &options) {
  if (!llvm::is_contained({Emit::Attn, Emit::Tile, Emit::NV}, emitKind))
    return compileToCode(module, getCodeKind(emitKind), options);
  mlir::FailureOr<PlannedModule> planned = planModule(module, options.targets.front(), options.plan);
  if (failed(planned))
    return mlir::failure();
  if (emitKind == Emit::Attn)
    return print(*planned->planned);
  if (failed(lowerToTiles(*planned)) || (emitKind == Emit::NV && failed(lowerKernels(*planned, options.target))))
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
static mlir::FailureOr<std::string> compileWithHeader(mlir::ModuleOp module, const CompileOptions &options) {
  llvm::StringRef stem = llvm::StringRef(outputFile).drop_back(2);
  mlir::FailureOr<AheadOfTimeCode> code = compileAheadOfTime(module, options, llvm::sys::path::filename(stem));
  if (failed(code) || failed(writeFile((stem + ".h").str(), code->header)))
    return mlir::failure();
  return std::move(code->object);
}

static mlir::FailureOr<std::string> compile(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                                            const CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module || (withReport && failed(printReport(*module, options, llvm::errs()))))
    return mlir::failure();
  if (emitKind == Emit::Header)
    return compileWithHeader(*module, options);
  return emitKind == Emit::Artifact ? compileToArtifact(*module, options) : compileToStage(*module, options);
}

static mlir::FailureOr<std::string> compileCached(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                                                  const CompileOptions &options) {
  // What the cache holds has no report.
  if (cacheDir.empty() || emitKind != Emit::Artifact || withReport)
    return compile(sources, context, options);
  ArtifactCache cache(cacheDir);
  llvm::StringRef source = sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  std::string key = ArtifactCache::getKey({source, getOptionsKey(options)});
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

/// Nobody reads an artifact or code on a terminal.
static mlir::LogicalResult checkTerminal() {
  bool isText = llvm::is_contained({Emit::Attn, Emit::Tile, Emit::NV, Emit::LLVM, Emit::PTX, Emit::Assembly}, emitKind);
  if (outputFile == "-" && !isText && llvm::outs().is_displayed())
    return error("the output is binary and this is a terminal; name a file with -o");
  return mlir::success();
}

static mlir::LogicalResult run() {
  if (mcpu == "help") {
    llvm::interleave(cpu::getKnownCPUNames(), llvm::outs(), "\n");
    llvm::outs() << "\n";
    return mlir::success();
  }
  if (failed(readEmitKinds()))
    return mlir::failure();
  mlir::FailureOr<CompileOptions> options = getOptions();
  if (failed(options))
    return mlir::failure();
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputFile, &message);
  if (!input)
    return error(message);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  fovea::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
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

  if (failed(checkCPUs(context, *options)) || failed(checkTerminal()))
    return mlir::failure();
  mlir::FailureOr<std::string> bytes = compileCached(sources, context, *options);
  if (failed(bytes))
    return mlir::failure();
  return writeFile(outputFile, *bytes);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  fovea::registerAllPasses();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles attention IR to an artifact that the Fovea runtime loads, or to a stage before\n"
      "it. An artifact serves all batch sizes, head counts, lengths, strides and alignments.\n");
  return mlir::succeeded(run()) ? 0 : 1;
}
