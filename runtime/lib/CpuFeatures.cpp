//===- CpuFeatures.cpp - What this CPU can run -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"

#include <cstdint>
#include <cstring>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fovea::runtime {
namespace {

#if defined(__x86_64__)

enum Register { EAX, EBX, ECX, EDX };
/// State that the operating system must save for a feature.
enum State { Basic, Avx, Avx512, Amx };

/// One bit of CPUID. Level 1 of leaf 7 is written as leaf 0x10007.
struct Feature {
  const char *name;
  uint32_t leaf;
  Register reg;
  int bit;
  State state;
};

constexpr Feature kFeatures[] = {
    {"cmov", 1, EDX, 15, Basic},
    {"cx8", 1, EDX, 8, Basic},
    {"mmx", 1, EDX, 23, Basic},
    {"fxsr", 1, EDX, 24, Basic},
    {"sse", 1, EDX, 25, Basic},
    {"sse2", 1, EDX, 26, Basic},
    {"x87", 1, EDX, 0, Basic},
    {"sse3", 1, ECX, 0, Basic},
    {"pclmul", 1, ECX, 1, Basic},
    {"ssse3", 1, ECX, 9, Basic},
    {"fma", 1, ECX, 12, Avx},
    {"cx16", 1, ECX, 13, Basic},
    {"sse4.1", 1, ECX, 19, Basic},
    {"sse4.2", 1, ECX, 20, Basic},
    {"crc32", 1, ECX, 20, Basic},
    {"movbe", 1, ECX, 22, Basic},
    {"popcnt", 1, ECX, 23, Basic},
    {"aes", 1, ECX, 25, Basic},
    {"xsave", 1, ECX, 27, Basic},
    {"avx", 1, ECX, 28, Avx},
    {"f16c", 1, ECX, 29, Avx},
    {"rdrnd", 1, ECX, 30, Basic},
    {"fsgsbase", 7, EBX, 0, Basic},
    {"bmi", 7, EBX, 3, Basic},
    {"avx2", 7, EBX, 5, Avx},
    {"bmi2", 7, EBX, 8, Basic},
    {"invpcid", 7, EBX, 10, Basic},
    {"rtm", 7, EBX, 11, Basic},
    {"avx512f", 7, EBX, 16, Avx512},
    {"avx512dq", 7, EBX, 17, Avx512},
    {"rdseed", 7, EBX, 18, Basic},
    {"adx", 7, EBX, 19, Basic},
    {"avx512ifma", 7, EBX, 21, Avx512},
    {"clflushopt", 7, EBX, 23, Basic},
    {"clwb", 7, EBX, 24, Basic},
    {"avx512cd", 7, EBX, 28, Avx512},
    {"sha", 7, EBX, 29, Basic},
    {"avx512bw", 7, EBX, 30, Avx512},
    {"avx512vl", 7, EBX, 31, Avx512},
    {"avx512vbmi", 7, ECX, 1, Avx512},
    {"pku", 7, ECX, 4, Basic},
    {"waitpkg", 7, ECX, 5, Basic},
    {"avx512vbmi2", 7, ECX, 6, Avx512},
    {"shstk", 7, ECX, 7, Basic},
    {"gfni", 7, ECX, 8, Basic},
    {"vaes", 7, ECX, 9, Avx},
    {"vpclmulqdq", 7, ECX, 10, Avx},
    {"avx512vnni", 7, ECX, 11, Avx512},
    {"avx512bitalg", 7, ECX, 12, Avx512},
    {"avx512vpopcntdq", 7, ECX, 14, Avx512},
    {"rdpid", 7, ECX, 22, Basic},
    {"cldemote", 7, ECX, 25, Basic},
    {"movdiri", 7, ECX, 27, Basic},
    {"movdir64b", 7, ECX, 28, Basic},
    {"enqcmd", 7, ECX, 29, Basic},
    {"uintr", 7, EDX, 5, Basic},
    {"avx512vp2intersect", 7, EDX, 8, Avx512},
    {"serialize", 7, EDX, 14, Basic},
    {"tsxldtrk", 7, EDX, 16, Basic},
    {"pconfig", 7, EDX, 18, Basic},
    {"amx-bf16", 7, EDX, 22, Amx},
    {"avx512fp16", 7, EDX, 23, Avx512},
    {"amx-tile", 7, EDX, 24, Amx},
    {"amx-int8", 7, EDX, 25, Amx},
    {"avxvnni", 0x10007, EAX, 4, Avx},
    {"avx512bf16", 0x10007, EAX, 5, Avx512},
    {"cmpccxadd", 0x10007, EAX, 7, Basic},
    {"amx-fp16", 0x10007, EAX, 21, Amx},
    {"hreset", 0x10007, EAX, 22, Basic},
    {"avxifma", 0x10007, EAX, 23, Avx},
    {"avxvnniint8", 0x10007, EDX, 4, Avx},
    {"avxneconvert", 0x10007, EDX, 5, Avx},
    {"amx-complex", 0x10007, EDX, 8, Amx},
    {"avxvnniint16", 0x10007, EDX, 10, Avx},
    {"prefetchi", 0x10007, EDX, 14, Basic},
    {"xsaveopt", 0x1000d, EAX, 0, Basic},
    {"xsavec", 0x1000d, EAX, 1, Basic},
    {"xsaves", 0x1000d, EAX, 3, Basic},
    {"sahf", 0x80000001, ECX, 0, Basic},
    {"lzcnt", 0x80000001, ECX, 5, Basic},
    {"sse4a", 0x80000001, ECX, 6, Basic},
    {"prfchw", 0x80000001, ECX, 8, Basic},
    {"xop", 0x80000001, ECX, 11, Avx},
    {"lwp", 0x80000001, ECX, 15, Basic},
    {"fma4", 0x80000001, ECX, 16, Avx},
    {"tbm", 0x80000001, ECX, 21, Basic},
    {"mwaitx", 0x80000001, ECX, 29, Basic},
    {"64bit", 0x80000001, EDX, 29, Basic},
    {"clzero", 0x80000008, EBX, 0, Basic},
    {"rdpru", 0x80000008, EBX, 4, Basic},
    {"wbnoinvd", 0x80000008, EBX, 9, Basic},
};

/// CPUID, read once: each use may cost a switch to the hypervisor.
struct CpuId {
  static constexpr uint32_t kLeaves[] = {1, 7, 0x10007, 0x1000d, 0x80000001, 0x80000008};
  uint32_t registers[std::size(kLeaves)][4] = {};

  CpuId() {
    for (size_t i = 0; i < std::size(kLeaves); ++i) {
      bool extended = kLeaves[i] >= 0x80000000;
      __get_cpuid_count(extended ? kLeaves[i] : kLeaves[i] & 0xffff, extended ? 0 : kLeaves[i] >> 16,
                        &registers[i][EAX], &registers[i][EBX], &registers[i][ECX], &registers[i][EDX]);
    }
  }
};

uint32_t readRegister(const Feature &feature) {
  static const CpuId id;
  for (size_t i = 0; i < std::size(CpuId::kLeaves); ++i)
    if (CpuId::kLeaves[i] == feature.leaf)
      return id.registers[i][feature.reg];
  return 0;
}

/// Whether the operating system saves the registers of a feature across a switch of threads.
bool isStateEnabled(State state) {
  if (state == Basic)
    return true;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
    return false;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint32_t mask = state == Avx ? 0x6 : state == Avx512 ? 0xe6 : 0x60006;
  return (low & mask) == mask;
}

bool hasFeature(const std::string &name) {
  for (const Feature &feature : kFeatures)
    if (name == feature.name)
      return (readRegister(feature) >> feature.bit & 1) && isStateEnabled(feature.state);
  return false;
}

#else

// Elsewhere the kernel reports features under other names: trust the compiler's `--mcpu`.
bool hasFeature(const std::string &) { return true; }

#endif

/// Names by which LLVM steers code generation: any CPU runs the result.
bool isTuning(const std::string &name) {
  static const char *const kPrefixes[] = {"fast-", "slow-",       "false-deps-",  "allow-", "prefer-", "no-",
                                          "idiv",  "macrofusion", "branchfusion", "sbb-",   "tuning",  "vzeroupper"};
  for (const char *prefix : kPrefixes)
    if (name.compare(0, std::strlen(prefix), prefix) == 0)
      return true;
  return name == "evex512" || name == "nopl" || name == "ermsb" || name == "fsrm";
}

} // namespace

std::vector<std::string> getMissingFeatures(const std::string &features) {
  std::vector<std::string> missing;
  for (size_t begin = 0; begin < features.size();) {
    size_t end = std::min(features.find(',', begin), features.size());
    std::string name = features.substr(begin, end - begin);
    begin = end + 1;
    if (name.size() < 2 || name[0] != '+')
      continue;
    name.erase(0, 1);
    if (!isTuning(name) && !hasFeature(name))
      missing.push_back(name);
  }
  return missing;
}

} // namespace fovea::runtime
