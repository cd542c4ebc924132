//===- Link.cpp - Links CPU code to a shared object, in process -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Target/CPU/CPUEmit.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace fovea;

namespace {
/// Takes LLVM's table of command-line options away while LLD runs: LLD adds `mcpu` and others to it, which a tool may
/// have too, and sets every option that it finds back to its default.
class HiddenCommandLine {
public:
  HiddenCommandLine() { swap(); }
  ~HiddenCommandLine() {
    top.OptionsMap.clear(); // What LLD added.
    swap();
  }

private:
  void swap() {
    std::swap(top.OptionsMap, options);
    std::swap(top.PositionalOpts, positional);
    std::swap(top.SinkOpts, sinks);
    std::swap(top.ConsumeAfterOpt, consumeAfter);
  }

  llvm::cl::SubCommand &top = llvm::cl::SubCommand::getTopLevel();
  decltype(llvm::cl::SubCommand::OptionsMap) options;
  decltype(llvm::cl::SubCommand::PositionalOpts) positional;
  decltype(llvm::cl::SubCommand::SinkOpts) sinks;
  llvm::cl::Option *consumeAfter = nullptr;
};
} // namespace

/// Runs LLD once. It keeps global state, so calls take turns; after a failure that it cannot clean up it is not run
/// again.
static LogicalResult runLinker(ArrayRef<const char *> args, std::string &messages) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable) {
    messages = "an earlier failure made LLD unusable in this process";
    return failure();
  }
  HiddenCommandLine hidden;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  return success(result.retCode == 0);
}

static std::error_code writeFile(StringRef path, StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream << contents;
  stream.close();
  if (stream.has_error() && !error)
    error = stream.error();
  stream.clear_error();
  return error;
}

FailureOr<std::string> cpu::linkSharedObject(ArrayRef<std::string> objects, EmitErrorFn emitError) {
  SmallString<128> directory;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("fovea-link", directory))
    return emitError() << "cannot create a temporary directory for the linker: " << error.message();
  llvm::scope_exit cleanup([&] { (void)llvm::sys::fs::remove_directories(directory); });
  SmallString<128> output(directory);
  llvm::sys::path::append(output, "kernels.so");
  std::vector<std::string> inputs;
  for (auto [index, object] : llvm::enumerate(objects)) {
    SmallString<128> input(directory);
    llvm::sys::path::append(input, "kernels" + Twine(index) + ".o");
    if (std::error_code error = writeFile(input, object))
      return emitError() << "cannot write " << input << ": " << error.message();
    inputs.push_back(input.str().str());
  }
  // The output must not depend on where it was made, and code never needs an executable stack.
  SmallVector<const char *> args = {"ld.lld",      "-shared",     "--threads=1",      "--build-id=none",
                                    "-z",          "noexecstack", "--hash-style=gnu", "--gc-sections",
                                    "--strip-all", "-o",          output.c_str()};
  for (const std::string &input : inputs)
    args.push_back(input.c_str());
  std::string messages;
  if (failed(runLinker(args, messages)))
    return emitError() << "linking failed: " << StringRef(messages).rtrim();
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return emitError() << "cannot read " << output << ": " << buffer.getError().message();
  return (*buffer)->getBuffer().str();
}
