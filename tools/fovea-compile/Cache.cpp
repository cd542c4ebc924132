//===- Cache.cpp - Artifacts by content -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fovea;

/// Characters of a hash as text.
static constexpr size_t kSealBytes = 64;

/// What changes when the compiler is rebuilt: size and time of its executable.
static std::string getCompilerIdentity() {
  static int anchor;
  std::string path = sys::fs::getMainExecutable(nullptr, &anchor);
  sys::fs::file_status status;
  if (sys::fs::status(path, status))
    return std::string();
  return (Twine(status.getSize()) + "." + Twine(status.getLastModificationTime().time_since_epoch().count())).str();
}

std::string ArtifactCache::getKey(ArrayRef<StringRef> parts) {
  SHA256 hash;
  auto add = [&](StringRef part) {
    hash.update((Twine(part.size()) + ":").str());
    hash.update(part);
  };
  add(getCompilerIdentity());
  for (StringRef part : parts)
    add(part);
  return toHex(hash.final(), /*LowerCase=*/true);
}

std::string ArtifactCache::getPath(StringRef key) const {
  SmallString<128> path(directory);
  sys::path::append(path, key + ".fovea");
  return std::string(path);
}

/// What an entry ends with: a machine that went down may have left a file without its bytes.
static std::string getSeal(StringRef bytes) { return toHex(SHA256::hash(arrayRefFromStringRef(bytes)), true); }

std::optional<std::string> ArtifactCache::lookup(StringRef key) const {
  auto buffer = MemoryBuffer::getFile(getPath(key));
  if (!buffer)
    return std::nullopt;
  StringRef entry = (*buffer)->getBuffer(), bytes = entry.drop_back(std::min(entry.size(), kSealBytes));
  if (entry.drop_front(bytes.size()) != getSeal(bytes))
    return std::nullopt;
  return bytes.str();
}

Error ArtifactCache::publish(StringRef key, StringRef bytes) const {
  if (std::error_code code = sys::fs::create_directories(directory))
    return createStringError(code, "cannot create the cache folder '" + directory + "'");
  auto file = sys::fs::TempFile::create(directory + "/tmp-%%%%%%%%");
  if (!file)
    return createStringError("cannot write to the cache folder '" + directory + "': " + toString(file.takeError()));
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << bytes << getSeal(bytes);
  os.flush();
  if (os.has_error()) {
    std::error_code code = os.error();
    os.clear_error();
    consumeError(file->discard());
    return createStringError(code, "cannot write to the cache folder '" + directory + "'");
  }
  return file->keep(getPath(key));
}
