//===- Assemble.cpp - From PTX to cubin -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "Emit.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

/// The environment variables that name a CUDA installation, whose `bin` holds ptxas.
static constexpr llvm::StringLiteral kVariables[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};

static FailureOr<std::string> findPtxas(Location loc) {
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  for (StringRef variable : kVariables) {
    std::optional<std::string> root = llvm::sys::Process::GetEnv(variable);
    if (!root)
      continue;
    SmallString<128> directory(*root);
    llvm::sys::path::append(directory, "bin");
    if (auto found = llvm::sys::findProgramByName("ptxas", {directory}))
      return *found;
  }
  return emitError(loc) << "a cubin needs ptxas, which is neither on PATH nor in bin of CUDA_HOME, CUDA_PATH or "
                           "CUDA_ROOT; PTX needs no CUDA";
}

namespace {
/// A file that is removed at the end of its scope.
struct TemporaryFile {
  static FailureOr<TemporaryFile> create(Location loc, StringRef suffix) {
    TemporaryFile file;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("fovea", suffix, file.path))
      return emitError(loc) << "cannot create a temporary file: " << error.message();
    return file;
  }
  TemporaryFile() = default;
  TemporaryFile(TemporaryFile &&other) : path(std::move(other.path)) { other.path.clear(); }
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }

  FailureOr<std::string> read(Location loc) const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return emitError(loc) << "cannot read " << path << ": " << buffer.getError().message();
    return (*buffer)->getBuffer().str();
  }

  SmallString<128> path;
};
} // namespace

static LogicalResult writeFile(Location loc, StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream << text;
  stream.close();
  if (error || stream.has_error()) {
    stream.clear_error();
    return emitError(loc) << "cannot write " << path;
  }
  return success();
}

/// Runs ptxas with its output in `log`; returns its exit code.
static int runPtxas(StringRef ptxas, ArrayRef<StringRef> arguments, StringRef log, std::string &error) {
  SmallVector<StringRef> command{ptxas};
  command.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {std::nullopt, log, log};
  return llvm::sys::ExecuteAndWait(ptxas, command, std::nullopt, redirects, 0, 0, &error);
}

/// Major version of ptxas, from "release 13.0"; 0 if it doesn't say.
static int getMajorVersion(StringRef versionText) {
  int major = 0;
  versionText.split("release ").second.consumeInteger(10, major);
  return major;
}

/// ptxas 12.0 is the first for chips whose code is specific.
static LogicalResult verifyVersion(Location loc, StringRef ptxas, StringRef chipName) {
  const Chip *chip = lookupChip(chipName);
  if (!chip || !chip->specific)
    return success();
  FailureOr<TemporaryFile> log = TemporaryFile::create(loc, "log");
  std::string error;
  if (failed(log) || runPtxas(ptxas, {"--version"}, log->path, error) != 0)
    return emitError(loc) << "cannot run " << ptxas << ": " << error;
  FailureOr<std::string> text = log->read(loc);
  if (failed(text))
    return failure();
  int major = getMajorVersion(*text);
  if (major < 12)
    return emitError(loc) << ptxas << " is of version " << major << ", but " << chipName << " needs 12.0 or newer";
  return success();
}

FailureOr<std::string> nvptx::findAssembler(Location loc, StringRef chip) {
  FailureOr<std::string> ptxas = findPtxas(loc);
  if (failed(ptxas) || failed(verifyVersion(loc, *ptxas, chip)))
    return failure();
  return ptxas;
}

FailureOr<std::string> nvptx::assemble(Location loc, StringRef ptxas, StringRef ptx, StringRef chip, int optLevel,
                                       std::string *log) {
  FailureOr<TemporaryFile> source = TemporaryFile::create(loc, "ptx"), cubin = TemporaryFile::create(loc, "cubin"),
                           output = TemporaryFile::create(loc, "log");
  if (failed(source) || failed(cubin) || failed(output) || failed(writeFile(loc, source->path, ptx)))
    return failure();
  std::string arch = "-arch=" + chip.str(), level = "-O" + std::to_string(optLevel), error;
  SmallVector<StringRef> arguments = {arch, level, source->path, "-o", cubin->path};
  if (log)
    arguments.push_back("-v");
  int code = runPtxas(ptxas, arguments, output->path, error);
  FailureOr<std::string> text = output->read(loc);
  if (code != 0)
    return emitError(loc) << "ptxas failed: " << error << (succeeded(text) ? StringRef(*text).rtrim() : StringRef());
  if (failed(text))
    return failure();
  if (log)
    *log = std::move(*text);
  return cubin->read(loc);
}
