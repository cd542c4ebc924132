//===- Options.cpp - The command line of fovea-compile -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "fovea/Dialect/Attn/Utils/GivenOnce.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"

using namespace fovea;
namespace cl = llvm::cl;

namespace {
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
    cl::values(clEnumValN(Emit::Header, "header",
                          "with obj (--emit=header,obj): an object file with a C function for each function, and their "
                          "header beside it"),
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
cl::opt<bool> withReference("with-reference", cl::desc("Add the float64 reference for fovea-run --check"),
                            cl::cat(category));
cl::opt<std::string> referenceCpu("reference-mcpu", cl::desc("CPU of the reference (default: --mcpu)"),
                                  cl::value_desc("name"), cl::cat(category));
cl::opt<bool> withCubin("with-cubin", cl::desc("Add machine code made by ptxas beside PTX"), cl::cat(category));
cl::opt<bool>
    withReport("report",
               cl::desc("Print to standard error what is known of masks, and registers, spills, shared memory, "
                        "threads and occupancy of each GPU kernel, and warn of lost performance; needs ptxas "
                        "for a GPU"),
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
cl::opt<std::string> ptxVersion("ptx-version", cl::desc("PTX version (default: the lowest that the instructions need)"),
                                cl::value_desc("M.N"), cl::cat(category));
cl::opt<unsigned> optLevel("O", cl::Prefix, cl::desc("LLVM's optimisation level, 0 to 3"), cl::init(3),
                           cl::cat(category));
cl::opt<std::string> cacheDir("cache-dir", cl::desc("Cache artifacts in this folder, by compiler, input and options"),
                              cl::value_desc("folder"), cl::cat(category));
} // namespace

void fovea::parseCommandLine(int argc, char **argv) {
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name.starts_with("mlir-"))
      option->setHiddenFlag(cl::Hidden);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles attention IR to an artifact that the Fovea runtime loads, or to a stage before\n"
      "it. An artifact serves all batch sizes, head counts, lengths, strides and alignments.\n");
}

mlir::LogicalResult fovea::error(const llvm::Twine &message) {
  llvm::errs() << "fovea-compile: error: " << message << "\n";
  return mlir::failure();
}

static mlir::FailureOr<Emit> readEmitKinds() {
  if (emitKinds.empty())
    return Emit::Artifact;
  if (!llvm::is_contained(emitKinds, Emit::Header)) {
    if (emitKinds.size() != 1)
      return error("--emit takes one kind, or header,obj");
    return emitKinds.front();
  }
  if (emitKinds.size() != 2 || !llvm::is_contained(emitKinds, Emit::Object))
    return error("a header is written with its object: --emit=header,obj");
  if (!llvm::StringRef(outputFile).ends_with(".o"))
    return error("name the object with -o FILE.o; the header becomes FILE.h");
  return Emit::Header;
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

/// An empty text is a variable of a script that nobody set; of two values one would be ignored.
static mlir::LogicalResult checkTexts() {
  for (const cl::opt<std::string> *option :
       {&outputFile, &mcpu, &referenceCpu, &strategy, &tuning, &ptxVersion, &cacheDir}) {
    auto name = ((option->ArgStr.size() == 1 ? "-" : "--") + option->ArgStr).str();
    if (option->getNumOccurrences() && option->empty())
      return error(name + " is empty; give it a value or leave it out");
    if (failed(checkGivenOnce(*option, name, error)))
      return mlir::failure();
  }
  return checkGivenOnce(optLevel, "-O", error);
}

/// Whether the target `cpu` or the judge is what `--mcpu` names.
static bool usesCpuName() {
  return targets.empty() || llvm::is_contained(targets, "cpu") || (withReference && referenceCpu.empty());
}

/// One error for an option that nothing would take notice of.
static mlir::LogicalResult checkCombination(const Options &options) {
  bool isIR = llvm::is_contained({Emit::Attn, Emit::Tile, Emit::NV}, options.emit);
  if (withReference && !options.holdsArtifact())
    return error("--with-reference adds to an artifact, but --emit asks for something else");
  if (withCubin && !options.holdsArtifact())
    return error("--with-cubin adds to an artifact; machine code alone is --emit=cubin");
  if (!referenceCpu.empty() && !withReference)
    return error("--reference-mcpu names the CPU of the judge, but there is none; add --with-reference");
  if (!mcpu.empty() && !usesCpuName())
    return error("--mcpu says what the target 'cpu' means, but that is not among the targets");
  if (!cacheDir.empty() && (options.emit != Emit::Artifact || withReport))
    return error("--cache-dir keeps artifacts without a report; leave it out, or --emit and --report");
  if (!ptxVersion.empty() && isIR)
    return error("--ptx-version takes no effect before code is made, but --emit asks for a stage before");
  if (optLevel.getNumOccurrences() && isIR)
    return error("-O takes no effect before code is made, but --emit asks for a stage before");
  return mlir::success();
}

/// The options as the library takes them.
static mlir::FailureOr<CompileOptions> readCompileOptions() {
  CompileOptions options;
  if (!targets.empty())
    options.targets = targets;
  auto withCpu = [](const std::string &name, const std::string &cpu) { return cpu.empty() ? name : "cpu:" + cpu; };
  for (std::string &target : options.targets)
    if (target == "cpu")
      target = withCpu(target, mcpu);
  options.plan.strategy = strategy;
  options.plan.tuning = tuning;
  options.withReference = withReference;
  options.referenceTarget = withCpu("cpu", referenceCpu.empty() ? mcpu : referenceCpu);
  options.withMachineCode = withCubin;
  options.target.optLevel = static_cast<int>(optLevel.getValue());
  options.target.ptxVersion = parseVersion(ptxVersion);
  if (options.target.ptxVersion < 0)
    return error("--ptx-version=" + ptxVersion + " is no version; write it as 8.0");
  if (optLevel > 3)
    return error("-O" + llvm::Twine(optLevel) + " is unknown; use -O0 to -O3");
  return options;
}

mlir::FailureOr<Options> fovea::readOptions() {
  Options options;
  options.listsCPUs = mcpu == "help";
  if (options.listsCPUs)
    return options;
  mlir::FailureOr<Emit> emit = readEmitKinds();
  if (failed(emit) || failed(checkTexts()))
    return mlir::failure();
  options.emit = *emit;
  options.input = inputFile;
  options.output = outputFile;
  options.cacheDir = cacheDir;
  options.withReport = withReport;
  mlir::FailureOr<CompileOptions> compile = readCompileOptions();
  if (failed(compile) || failed(checkCombination(options)))
    return mlir::failure();
  options.compile = std::move(*compile);
  if (!options.holdsArtifact() && options.compile.targets.size() != 1)
    return error("--emit takes one target unless it emits an artifact, but " +
                 llvm::Twine(options.compile.targets.size()) + " are given");
  return options;
}

void fovea::readEnvironment(CompileOptions &options, mlir::MLIRContext *context) {
  const char *file = std::getenv("FOVEA_TUNING");
  if (!file || !options.plan.tuning.empty())
    return;
  TargetRegistry &registry = getTargetRegistry(context);
  mlir::ScopedDiagnosticHandler silent(context, [](mlir::Diagnostic &) { return mlir::success(); });
  for (llvm::StringRef name : options.targets) {
    attn::TargetAttr target = registry.parse(name, [&] { return mlir::emitError(mlir::UnknownLoc::get(context)); });
    if (target && registry.lookup(target.getBackend())->hasTuning(target))
      options.plan.tuning = file;
  }
}
