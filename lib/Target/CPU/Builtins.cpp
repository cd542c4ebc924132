//===- Builtins.cpp - Conversions that LLVM calls by name -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

/// bf16 from f32: the upper half, rounded to nearest even; a NaN stays a (quiet) NaN.
static constexpr StringLiteral kBF16FromF32 = R"(
  %bits = bitcast float %x to i32
  %upper = lshr i32 %bits, 16
  %odd = and i32 %upper, 1
  %half = add i32 %odd, 32767
  %sum = add i32 %bits, %half
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %upper, 64
  %nan = fcmp uno float %x, 0.0
  %chosen = select i1 %nan, i32 %quiet, i32 %rounded
  %low = trunc i32 %chosen to i16
  %result = bitcast i16 %low to bfloat
  ret bfloat %result
}
)";

/// f16 from f32. From 65520 on: infinity. Below the normal numbers of f16 the ulp is that of numbers in [0.5, 1) of
/// f32, so adding 0.5 rounds.
static constexpr StringLiteral kF16FromF32 = R"(
  %bits = bitcast float %x to i32
  %magnitude = and i32 %bits, 2147483647
  %sign = lshr i32 %bits, 16
  %signbit = and i32 %sign, 32768
  %last = lshr i32 %magnitude, 13
  %odd = and i32 %last, 1
  %half = add i32 %odd, 4095
  %sum = add i32 %magnitude, %half
  %rebased = sub i32 %sum, 939524096
  %normal = lshr i32 %rebased, 13
  %positive = bitcast i32 %magnitude to float
  %shifted = fadd float %positive, 0.5
  %shiftedbits = bitcast float %shifted to i32
  %subnormal = sub i32 %shiftedbits, 1056964608
  %issmall = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %issmall, i32 %subnormal, i32 %normal
  %islarge = icmp uge i32 %magnitude, 1199566848
  %number = select i1 %islarge, i32 31744, i32 %finite
  %payload = and i32 %last, 1023
  %quiet = or i32 %payload, 32256
  %nan = icmp ugt i32 %magnitude, 2139095040
  %chosen = select i1 %nan, i32 %quiet, i32 %number
  %signed = or i32 %chosen, %signbit
  %low = trunc i32 %signed to i16
  %result = bitcast i16 %low to half
  ret half %result
}
)";

/// f32 from f64, rounded to odd: rounding that again to fewer than 23 digits is rounding once.
static constexpr StringLiteral kOddF32FromF64 = R"(
  %near = fptrunc double %d to float
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %d
  %nearbits = bitcast float %near to i32
  %nearlast = and i32 %nearbits, 1
  %even = icmp eq i32 %nearlast, 0
  %adjust = and i1 %inexact, %even
  %absback = call double @llvm.fabs.f64(double %back)
  %absd = call double @llvm.fabs.f64(double %d)
  %above = fcmp ogt double %absback, %absd
  %step = select i1 %above, i32 -1, i32 1
  %moved = add i32 %nearbits, %step
  %oddbits = select i1 %adjust, i32 %moved, i32 %nearbits
  %x = bitcast i32 %oddbits to float
)";

/// f32 from f16. A subnormal number is an integer times 2^-24.
static constexpr StringLiteral kF32FromF16 = R"(
  %h = bitcast half %x to i16
  %bits = zext i16 %h to i32
  %sign = and i32 %bits, 32768
  %signbit = shl i32 %sign, 16
  %magnitude = and i32 %bits, 32767
  %shifted = shl i32 %magnitude, 13
  %normal = add i32 %shifted, 939524096
  %special = add i32 %shifted, 1879048192
  %integer = uitofp i32 %magnitude to float
  %scaled = fmul float %integer, 0x3E70000000000000
  %subnormal = bitcast float %scaled to i32
  %isspecial = icmp uge i32 %magnitude, 31744
  %issmall = icmp ult i32 %magnitude, 1024
  %number = select i1 %issmall, i32 %subnormal, i32 %normal
  %chosen = select i1 %isspecial, i32 %special, i32 %number
  %signed = or i32 %chosen, %signbit
  %result = bitcast i32 %signed to float
  ret float %result
}
)";

/// The definition of a builtin as LLVM IR; empty for another name.
static std::string getDefinition(StringRef name) {
  auto define = [&](StringRef type, StringRef argument, StringRef body) {
    return ("define weak_odr hidden " + type + " @" + name + "(" + argument + ") nounwind {" + body).str();
  };
  std::string odd = kOddF32FromF64.str();
  if (name == "__truncsfbf2")
    return define("bfloat", "float %x", kBF16FromF32);
  if (name == "__truncdfbf2")
    return define("bfloat", "double %d", odd + kBF16FromF32.str());
  if (name == "__truncsfhf2")
    return define("half", "float %x", kF16FromF32);
  if (name == "__truncdfhf2")
    return define("half", "double %d", odd + kF16FromF32.str());
  if (name == "__extendhfsf2")
    return define("float", "half %x", kF32FromF16);
  return "";
}

bool fovea::cpu::addBuiltins(Module &module, ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names)
    text += getDefinition(name);
  if (text.empty())
    return false;
  SMDiagnostic error;
  std::unique_ptr<Module> builtins =
      parseAssemblyString("declare double @llvm.fabs.f64(double)\n" + text, error, module.getContext());
  if (!builtins)
    report_fatal_error("a builtin does not parse: " + error.getMessage());
  builtins->setDataLayout(module.getDataLayout());
  builtins->setTargetTriple(module.getTargetTriple());
  return !Linker::linkModules(module, std::move(builtins));
}
