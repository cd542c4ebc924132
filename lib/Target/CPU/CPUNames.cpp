//===- CPUNames.cpp - The processors that code can be made for -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetSetup.h"
#include "fovea/Target/CPU/CPUEmit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

const llvm::Target &cpu::getNativeTarget() {
  static const llvm::Target *target = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(getTriple(), error);
  }();
  assert(target && "the native target is always there");
  return *target;
}

llvm::Triple cpu::getTriple() { return llvm::Triple(llvm::sys::getProcessTriple()); }

static std::unique_ptr<llvm::MCSubtargetInfo> getSubtarget(StringRef name, StringRef features) {
  return std::unique_ptr<llvm::MCSubtargetInfo>(getNativeTarget().createMCSubtargetInfo(getTriple(), name, features));
}

/// Whether the named processor runs code of this process's triple: the list for x86-64 also holds 32-bit processors.
static bool canRun(StringRef name) { return !getTriple().isX86() || getSubtarget(name, "")->checkFeatures("+64bit"); }

/// The features that kernels gain from. Others (of an operating system, of cryptography, of transactions) would only be
/// something more that a machine must have: virtual machines hide many of them.
static bool isNeeded(StringRef feature) {
  static constexpr StringLiteral needed[] = {"64bit",       "amx-bf16", "amx-tile", "avx",     "avx2",     "avx512bf16",
                                             "avx512bw",    "avx512cd", "avx512dq", "avx512f", "avx512vl", "avx512vbmi",
                                             "avx512vbmi2", "bmi",      "bmi2",     "cmov",    "cx8",      "f16c",
                                             "fma",         "fxsr",     "lzcnt",    "mmx",     "popcnt",   "sse",
                                             "sse2",        "sse3",     "sse4.1",   "sse4.2",  "ssse3",    "x87"};
  return llvm::is_contained(needed, feature);
}

/// `cpu` without the features of x86 that cpuid tells of and kernels do not need.
static CPU withNeededFeatures(CPU cpu) {
  if (!getTriple().isX86())
    return cpu;
  llvm::StringMap<bool> detectable = llvm::sys::getHostCPUFeatures();
  SmallVector<std::string> list;
  if (!cpu.features.empty())
    list.push_back(cpu.features);
  for (const llvm::SubtargetFeatureKV &feature : getSubtarget(cpu.name, cpu.features)->getEnabledProcessorFeatures())
    if (detectable.contains(feature.Key) && !isNeeded(feature.Key))
      list.push_back("-" + std::string(feature.Key));
  cpu.features = llvm::join(list, ",");
  return cpu;
}

CPU cpu::getHostCPU() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  SmallVector<std::string> list;
  for (const auto &feature : features)
    list.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(list);
  return withNeededFeatures({llvm::sys::getHostCPUName().str(), llvm::join(list, ",")});
}

SmallVector<std::string> cpu::getKnownCPUNames() {
  SmallVector<std::string> names;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget = getSubtarget("generic", "");
  for (const llvm::SubtargetSubTypeKV &entry : subtarget->getAllProcessorDescriptions())
    if (canRun(entry.Key))
      names.push_back(entry.Key);
  llvm::sort(names);
  return names;
}

FailureOr<CPU> cpu::lookupCPU(StringRef name, EmitErrorFn emitError) {
  if (name.empty() || name == "host")
    return getHostCPU();
  SmallVector<std::string> names = getKnownCPUNames();
  if (llvm::is_contained(names, name))
    return withNeededFeatures(CPU{name.str(), ""});
  auto distance = [&](const std::string &known) { return name.edit_distance(known); };
  auto *nearest = llvm::min_element(
      names, [&](const std::string &lhs, const std::string &rhs) { return distance(lhs) < distance(rhs); });
  return emitError() << "unknown CPU '" << name << "' for " << getTriple().str() << "; the nearest of " << names.size()
                     << " known names is '" << *nearest << "' (--mcpu=help lists them, --mcpu=host is this machine)";
}

std::string cpu::getRequiredFeatures(const CPU &cpu) {
  // What cpuid can tell: this leaves out tuning flags, which say nothing about what the code needs.
  llvm::StringMap<bool> detectable = llvm::sys::getHostCPUFeatures();
  SmallVector<std::string> list;
  for (const llvm::SubtargetFeatureKV &feature : getSubtarget(cpu.name, cpu.features)->getEnabledProcessorFeatures())
    if (detectable.contains(feature.Key))
      list.push_back("+" + std::string(feature.Key));
  llvm::sort(list);
  return llvm::join(list, ",");
}
