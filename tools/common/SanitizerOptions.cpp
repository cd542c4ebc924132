//===- SanitizerOptions.cpp - AddressSanitizer beside an LLVM built without it -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// LLVM's allocators poison their free memory where a header of theirs is compiled with the sanitizer, and the
/// installed library, which is not, writes to it without a word: what they poison says nothing here.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }
