//===- CpuFeatures.h - What this CPU can run -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_CPUFEATURES_H
#define FOVEA_RUNTIME_CPUFEATURES_H

#include <string>
#include <vector>

namespace fovea::runtime {

/// The names of `features` (LLVM's, as `+avx2,+fma`) that this CPU and its operating system lack. Features that only
/// tune and those with `-` are not needed; a name that is not known counts as lacking.
std::vector<std::string> getMissingFeatures(const std::string &features);

} // namespace fovea::runtime

#endif // FOVEA_RUNTIME_CPUFEATURES_H
