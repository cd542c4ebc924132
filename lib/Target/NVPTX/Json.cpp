//===- Json.cpp - JSON that people and tools write -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace fovea;

/// Deeper than any file of the tools.
static constexpr size_t kMaxDepth = 64;

namespace {
/// One pass over the text that needs no stack. What is no JSON is left to the parser.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}
  Error scan();

private:
  Error fail(const Twine &message) const;
  Error open();
  Error scanString();

  StringRef text;
  size_t at = 0;
  /// The keys of each array and object around this place; an array has none.
  SmallVector<StringSet<>> nested;
};
} // namespace

Error Scanner::fail(const Twine &message) const {
  StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1, column = at - (before.rfind('\n') + 1) + 1;
  return createStringError("[" + Twine(line) + ":" + Twine(column) + ", byte=" + Twine(at) + "]: " + message);
}

Error Scanner::open() {
  if (nested.size() == kMaxDepth)
    return fail("arrays and objects are nested deeper than " + Twine(kMaxDepth));
  nested.emplace_back();
  return Error::success();
}

/// A string before a colon is a key.
Error Scanner::scanString() {
  size_t end = at + 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  StringRef name = text.slice(at + 1, end);
  size_t next = text.find_first_not_of(" \t\r\n", end + 1);
  if (next != StringRef::npos && text[next] == ':' && !nested.empty() && !nested.back().insert(name).second)
    return fail("the key \"" + name.take_front(80) + "\" is given twice");
  at = end;
  return Error::success();
}

Error Scanner::scan() {
  for (; at < text.size(); ++at) {
    Error error = Error::success();
    if (text[at] == '[' || text[at] == '{')
      error = open();
    else if (text[at] == '"')
      error = scanString();
    else if ((text[at] == ']' || text[at] == '}') && !nested.empty())
      nested.pop_back();
    if (error)
      return error;
  }
  return Error::success();
}

Expected<json::Value> fovea::parseJson(StringRef text) {
  if (Error error = Scanner(text).scan())
    return error;
  return json::parse(text);
}
