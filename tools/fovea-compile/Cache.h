//===- Cache.h - Artifacts by content -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_COMPILE_CACHE_H
#define FOVEA_TOOLS_FOVEA_COMPILE_CACHE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace fovea {

/// A folder of artifacts, each under the hash of all that decides its bytes. There are no locks: an entry is written to
/// a file of its own and appears by an atomic rename, so that concurrent and killed writers leave the folder usable.
class ArtifactCache {
public:
  explicit ArtifactCache(llvm::StringRef directory) : directory(directory) {}

  /// Hash of `parts`, each with its length, and of this compiler's executable.
  static std::string getKey(llvm::ArrayRef<llvm::StringRef> parts);

  /// The bytes of an entry; none where there is no entry, or a damaged one.
  std::optional<std::string> lookup(llvm::StringRef key) const;
  llvm::Error publish(llvm::StringRef key, llvm::StringRef bytes) const;

private:
  std::string getPath(llvm::StringRef key) const;

  std::string directory;
};

} // namespace fovea

#endif // FOVEA_TOOLS_FOVEA_COMPILE_CACHE_H
