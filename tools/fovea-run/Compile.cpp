//===- Compile.cpp - Files that fovea-run is given -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include "Cuda.h"
#include "Failure.h"
#include "File.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace fovea::run {
namespace {

/// A file that is removed at the end.
struct TemporaryFile {
  TemporaryFile() {
    const char *folder = std::getenv("TMPDIR");
    path = std::string(folder && *folder ? folder : "/tmp") + "/fovea-run-XXXXXX";
    int file = mkstemp(path.data());
    if (file < 0)
      failWith("cannot create %s: %s", path.c_str(), std::strerror(errno));
    close(file);
  }
  ~TemporaryFile() { unlink(path.c_str()); }
  std::string path;
};

std::string getCompiler() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string self(path, length > 0 ? length : 0);
  std::string compiler = self.substr(0, self.rfind('/') + 1) + "fovea-compile";
  if (access(compiler.c_str(), X_OK) != 0)
    failWith("there is no fovea-compile beside fovea-run to compile MLIR with (%s): give an artifact",
             compiler.c_str());
  return compiler;
}

/// A pipe that ends with its owner, and with a program that is run.
struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      failWith("cannot make a pipe: %s", std::strerror(errno));
  }
  ~Pipe() {
    close(ends[0]);
    closeInput();
  }
  void closeInput() {
    if (ends[1] >= 0)
      close(ends[1]);
    ends[1] = -1;
  }
  /// All that is written until the last writer is gone.
  std::string read() {
    std::string text;
    char part[4096];
    for (ssize_t length; (length = ::read(ends[0], part, sizeof part)) != 0;)
      if (length > 0)
        text.append(part, length);
      else if (errno != EINTR)
        break;
    return text;
  }
  int ends[2];
};

/// The message of the first error that a compiler printed, or its first line; empty where there is none.
std::string getFirstError(const std::string &text) {
  size_t position = text.find("error: ");
  position = position == std::string::npos ? 0 : position + std::strlen("error: ");
  return text.substr(position, text.find('\n', position) - position);
}

/// The compiler's own messages are what the user sees of a failure.
void runCompiler(const std::vector<std::string> &words) {
  std::vector<char *> argv;
  for (const std::string &word : words)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  Pipe messages;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, messages.ends[1], STDERR_FILENO);
  pid_t child;
  int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    failWith("cannot run %s: %s", argv[0], std::strerror(error));
  messages.closeInput();
  std::string text = messages.read();
  std::fwrite(text.data(), 1, text.size(), stderr);
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    failWith("fovea-compile was ended by signal %d", WTERMSIG(status));
  std::string reason = getFirstError(text);
  if (WEXITSTATUS(status) != 0)
    throw Failure{"fovea-compile refused " + words[1] + (reason.empty() ? "" : ": " + reason), !text.empty()};
}

std::string describeValue(const fovea_value_info &info) {
  std::string text = *info.name ? info.name + std::string(": ") : "";
  for (int d = 0; d < info.rank; ++d)
    text += (info.dims[d] < 0 ? "?" : std::to_string(info.dims[d])) + "x";
  return text + fovea_type_name(info.type) + (info.written ? " (written)" : "");
}

void dump(const std::string &path, const char *kind, const void *code, size_t size) {
  // PTX is text: a closing zero stays in the artifact.
  if (std::strcmp(kind, "ptx") == 0 && static_cast<const char *>(code)[size - 1] == 0)
    --size;
  File file(std::fopen(path.c_str(), "wbe"));
  if (!file || std::fwrite(code, 1, size, file.get()) != size || std::fflush(file.get()) != 0)
    failWith("cannot write %s: %s", path.c_str(), std::strerror(errno));
}

/// Writes the code of an implementation to a file, or to one for each kernel that is loaded by itself; a line for each.
std::string dumpImplementation(const fovea_function *function, int index, const fovea_implementation_info &info,
                               const std::string &prefix) {
  const char *suffix = std::strcmp(info.kind, "shared object") == 0 ? "so" : info.kind;
  std::map<const void *, std::string> paths;
  std::string text;
  for (int i = 0; i < fovea_function_kernel_count(function, index); ++i) {
    fovea_kernel_info kernel;
    require(fovea_function_kernel(function, index, i, &kernel));
    std::string name = kernel.code_size == info.code_size ? "" : kernel.symbol + std::string(".");
    auto [path, isNew] = paths.emplace(kernel.code, prefix + "." + std::to_string(index) + "." + name + suffix);
    if (!isNew)
      continue;
    dump(path->second, info.kind, kernel.code, kernel.code_size);
    text += "    written to " + path->second + "\n";
  }
  return text;
}

} // namespace

bool isArtifact(const std::string &path) {
  File file(std::fopen(path.c_str(), "rbe"));
  char start[8] = {};
  if (!file)
    failWith("cannot open %s: %s", path.c_str(), std::strerror(errno));
  return std::fread(start, 1, 8, file.get()) == 8 && std::memcmp(start + 4, "FOVA", 4) == 0;
}

bool hasCudaDevice() {
  const runtime::CudaDriver *driver;
  int count = 0;
  return runtime::getCudaDriver(&driver) == FOVEA_OK && driver->cuDeviceGetCount(&count) == 0 && count > 0;
}

/// MLIR is text, or bytecode with a magic number of its own.
static bool mayBeMLIR(const std::string &path) {
  File file(std::fopen(path.c_str(), "rbe"));
  char start[1024];
  size_t length = file ? std::fread(start, 1, sizeof start, file.get()) : 0;
  bool isBytecode = length >= 4 && std::memcmp(start, "ML\xefR", 4) == 0;
  return isBytecode || !std::memchr(start, 0, length);
}

fovea_artifact *compile(const Options &options) {
  if (!mayBeMLIR(options.file))
    failWith("%s is neither an artifact nor MLIR", options.file.c_str());
  TemporaryFile output;
  std::vector<std::string> words = {getCompiler(), options.file, "-o", output.path};
  // Code for the CPU runs everywhere; sm_80 code runs on every later GPU.
  std::string target = options.target;
  if (target.empty())
    target = hasCudaDevice() ? "sm_80" : "cpu";
  words.push_back("--target=" + (target == "cuda" ? "sm_80" : target));
  if (options.check)
    words.push_back("--with-reference");
  words.insert(words.end(), options.compileOptions.begin(), options.compileOptions.end());
  runCompiler(words);
  fovea_artifact *artifact;
  require(fovea_artifact_load_file(output.path.c_str(), &artifact));
  return artifact;
}

std::string describeFunction(const fovea_function *function, const std::string &dumpCode) {
  std::string text;
  fovea_value_info value;
  for (int i = 0; i < fovea_function_argument_count(function); ++i) {
    require(fovea_function_argument(function, i, &value));
    text += "  argument " + std::to_string(i) + "  " + describeValue(value) + "\n";
  }
  for (int i = 0; i < fovea_function_result_count(function); ++i) {
    require(fovea_function_result(function, i, &value));
    text += "  result " + std::to_string(i) + "    " + describeValue(value) + "\n";
  }
  for (int i = 0; i < fovea_function_implementation_count(function); ++i) {
    fovea_implementation_info info;
    require(fovea_function_implementation(function, i, &info));
    text += "  code " + std::to_string(i) + "      " + info.backend + " " + info.arch + ", " + info.kind + ", " +
            std::to_string(info.code_size) + " bytes";
    if (info.ptx_version)
      text += ", PTX " + std::to_string(info.ptx_version / 10) + "." + std::to_string(info.ptx_version % 10);
    if (*info.features)
      text += std::string(", needs ") + info.features;
    text += "\n";
    if (!dumpCode.empty())
      text += dumpImplementation(function, i, info, dumpCode);
  }
  if (int count = fovea_function_reference_count(function))
    text += "  references  " + std::to_string(count) + "\n";
  return text;
}

} // namespace fovea::run
