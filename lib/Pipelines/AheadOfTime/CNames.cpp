//===- CNames.cpp - Names of functions in C and C++ -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace fovea;
using llvm::StringRef;

/// Keywords of C23, C++23 and GNU C, and what compilers predefine, but for those that begin with an underscore.
static constexpr llvm::StringLiteral kKeywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete "
    "do "
    "double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local "
    "throw "
    "true try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while "
    "xor "
    "xor_eq linux unix";

static constexpr llvm::StringLiteral kLibraryNames =
#include "CLibraryNames.inc"
    ;

static bool isOneOf(StringRef name, StringRef names, llvm::StringSet<> &cache) {
  if (cache.empty()) {
    llvm::SmallVector<StringRef> parts;
    names.split(parts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    cache.insert_range(parts);
  }
  return cache.contains(name);
}

static bool isKeyword(StringRef name) {
  static llvm::StringSet<> cache;
  return isOneOf(name, kKeywords, cache);
}

/// Types and namespaces are no symbols: FILE, what ends in _t, std.
static bool isOfLibrary(StringRef name) {
  static llvm::StringSet<> cache;
  return name.ends_with("_t") || name == "FILE" || name == "DIR" || name == "va_list" || name == "std" ||
         name.starts_with("omp_") || name.starts_with("GOMP_") || isOneOf(name, kLibraryNames, cache);
}

static bool isPart(char c) { return llvm::isAlnum(c) || c == '_'; }

bool fovea::isCIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, isPart);
}

std::string fovea::findFaultOfCName(StringRef name) {
  if (name.empty())
    return "it is empty";
  if (!llvm::all_of(name, isPart))
    return "C's names have letters, digits and underscores alone";
  if (llvm::isDigit(name.front()))
    return "C's names do not begin with a digit";
  // The functions beside it have an underscore behind the name.
  if (name.front() == '_' || name.back() == '_' || name.contains("__"))
    return "names that begin or end with an underscore or have two in a row belong to the compiler";
  if (name.starts_with_insensitive("fovea_"))
    return "names that begin with 'fovea_' belong to the runtime";
  if (name == "main")
    return "a program has that";
  if (isKeyword(name))
    return "it is a keyword of C or C++";
  if (isOfLibrary(name))
    return "a standard library has that";
  return std::string();
}
