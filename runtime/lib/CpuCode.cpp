//===- CpuCode.cpp - Loads shared objects from an artifact -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"
#include "Error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fovea::runtime {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#else
constexpr int kMachine = EM_NONE;
#endif

fovea_status checkObject(const Code &code) {
  Elf64_Ehdr header;
  if (code.size < sizeof header)
    return fail(FOVEA_INVALID_ARTIFACT, "the CPU code of the artifact is no ELF file");
  std::memcpy(&header, code.bytes, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN)
    return fail(FOVEA_INVALID_ARTIFACT, "the CPU code of the artifact is no ELF shared object");
  if (header.e_machine != kMachine)
    return fail(FOVEA_UNSUPPORTED, "the CPU code of the artifact is for another processor (ELF machine %d, this is %d)",
                header.e_machine, kMachine);
  return FOVEA_OK;
}

bool writeAll(int file, const uint8_t *bytes, size_t size) {
  while (size) {
    ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    size -= written;
  }
  return true;
}

/// Where memory has no file (no memfd, no /proc), a temporary file is loaded and removed at once.
fovea_status loadTemporaryFile(const Code &code, CpuCode &loaded) {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/fovea-XXXXXX";
  int file = mkstemp(path.data());
  if (file < 0)
    return fail(FOVEA_IO, "cannot create %s for the CPU code: %s", path.c_str(), std::strerror(errno));
  bool written = writeAll(file, code.bytes, code.size);
  close(file);
  if (written)
    loaded.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char *reason = written ? loaded.handle ? "" : dlerror() : std::strerror(errno);
  fovea_status status =
      loaded.handle ? FOVEA_OK : fail(FOVEA_IO, "cannot load the CPU code of the artifact: %s", reason);
  unlink(path.c_str());
  return status;
}

/// A path of an open file that no other loaded object has: the loader takes objects of one path to be the same, and
/// numbers of files come back. The bits of the object's address tell paths apart, each by the way it writes a slash.
std::string getUniquePath(int file, const CpuCode &loaded) {
  std::string path = "/proc/self/fd/";
  for (uintptr_t bits = reinterpret_cast<uintptr_t>(&loaded); bits; bits >>= 1)
    path += bits & 1 ? "./" : "/";
  return path + std::to_string(file);
}

fovea_status load(const Code &code, CpuCode &loaded) {
  // Kernels may call functions of libm, which the process need not have linked.
  dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  int file = memfd_create("fovea", MFD_CLOEXEC);
  if (file >= 0) {
    if (writeAll(file, code.bytes, code.size))
      loaded.handle = dlopen(getUniquePath(file, loaded).c_str(), RTLD_NOW | RTLD_LOCAL);
    close(file);
  }
  return loaded.handle ? FOVEA_OK : loadTemporaryFile(code, loaded);
}

/// Loads code once; the artifact's mutex is held.
fovea_status loadOnce(Code &code) {
  if (code.cpu)
    return FOVEA_OK;
  FOVEA_TRY(checkObject(code));
  auto loaded = std::make_unique<CpuCode>();
  FOVEA_TRY(load(code, *loaded));
  code.cpu = std::move(loaded);
  return FOVEA_OK;
}

fovea_status lookUp(const Code &code, const std::string &symbol, void **entry) {
  *entry = dlsym(code.cpu->handle, symbol.c_str());
  if (!*entry)
    return fail(FOVEA_NOT_FOUND, "the CPU code of the artifact has no kernel '%s'", symbol.c_str());
  return FOVEA_OK;
}

fovea_status checkFeatures(const Code &code) {
  if (code.missing.empty())
    return FOVEA_OK;
  return fail(FOVEA_UNSUPPORTED, "the code is for %s; this CPU lacks %s: compile it for this CPU (--mcpu)",
              code.arch.empty() ? "another CPU" : code.arch.c_str(), code.missing.c_str());
}

} // namespace

CpuCode::~CpuCode() {
  if (handle)
    dlclose(handle);
}

fovea_status chooseCpu(const fovea_function &function, const fovea_device &device, int *implementation) {
  *implementation = -1;
  const Code *refused = nullptr;
  int best = -1;
  for (size_t i = 0; i < function.implementations.size(); ++i) {
    const Code &code = *function.artifact->codes[function.implementations[i]->code];
    if (code.kind != CodeKind::SharedObject || (device.arch && code.arch != device.arch))
      continue;
    if (!code.missing.empty()) {
      refused = &code;
      continue;
    }
    if (code.featureCount > best) {
      best = code.featureCount;
      *implementation = static_cast<int>(i);
    }
  }
  if (*implementation >= 0)
    return FOVEA_OK;
  if (refused)
    return checkFeatures(*refused);
  return fail(FOVEA_NOT_FOUND, "function '%s' has no code for the CPU%s%s", function.name.c_str(),
              device.arch ? " of architecture " : "", device.arch ? device.arch : "");
}

fovea_status prepareCpu(const fovea_function &function, Implementation &implementation) {
  if (implementation.prepared.load(std::memory_order_acquire))
    return FOVEA_OK;
  std::lock_guard<std::mutex> lock(function.artifact->mutex);
  Code &code = *function.artifact->codes[implementation.code];
  FOVEA_TRY(checkFeatures(code));
  FOVEA_TRY(loadOnce(code));
  // Another thread may have been first: its entries are in use and the same.
  if (implementation.prepared.load(std::memory_order_acquire))
    return FOVEA_OK;
  for (const Step &step : implementation.steps)
    for (const Variant &variant : step.variants)
      for (const Kernel &kernel : variant.kernels)
        FOVEA_TRY(lookUp(code, kernel.symbol, &implementation.entries[kernel.ordinal]));
  implementation.prepared.store(true, std::memory_order_release);
  return FOVEA_OK;
}

fovea_status prepareReference(const fovea_function &function, Reference &reference) {
  if (reference.entry.load(std::memory_order_acquire))
    return FOVEA_OK;
  std::lock_guard<std::mutex> lock(function.artifact->mutex);
  Code &code = *function.artifact->codes[reference.code];
  FOVEA_TRY(checkFeatures(code));
  FOVEA_TRY(loadOnce(code));
  void *entry;
  FOVEA_TRY(lookUp(code, reference.kernel.symbol, &entry));
  reference.entry.store(entry, std::memory_order_release);
  return FOVEA_OK;
}

} // namespace fovea::runtime
