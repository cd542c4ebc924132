//===- Options.cpp - The command line of one run -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "../common/Numbers.h"
#include "Failure.h"

#include <algorithm>
#include <cmath>

namespace fovea::run {

const char *const kUsage =
    R"(usage: fovea-run FILE [options]        run a function of an artifact, or of MLIR (compiled by fovea-compile)
       fovea-run --cases=FILE [options]   run one command line per line of FILE, print a line `case N: ok ...` or
                                          `case N: failed: MESSAGE` for each, N from 0; JSON goes to --json=FILE;
                                          ends at a case that loses the device

What to run
  --function=NAME       the function; needed where FILE has several
  --target=NAME         cpu, cuda, or an architecture in the artifact (sm_80); default: cuda where it can run, else cpu
  --threads=N           CPU threads; default OMP_NUM_THREADS, or all processors
  --device=N            CUDA device, default 0
  --compile-option=X    passes X to fovea-compile (MLIR input only), may be repeated

Arguments, in the order of the function's
  --arg=FILE.npy        f16, f32, f64, integers and bool (i1) as they are; bf16 and f8 from f32, rounded to nearest even
  --arg=0.125           a scalar; for a tensor every element
  --arg=random          N(0,1); integers in [0, L] with L the largest size in dimension 2 of the arguments; i1 true for
                        3 in 4
  --arg=random:LO:HI    integers in [LO, HI]; floats N(0,1) * (HI - LO) / 2 + (HI + LO) / 2
  --arg=expr:FORMULA    a formula of the indices i0, i1, ...: numbers + - * / % ( ) comparisons && || ! ?: floor frac
                        exp log sqrt abs min max pow inf nan
  --arg=@N              the memory of argument N again
  --arg=out             memory to be written, filled with a pattern
      ,dims=a:b:c:d     sizes (or ,sizes=), where they differ from the file's or are not known
      ,strides=a:b:c:d  strides in elements, any sign; 0 broadcasts
      ,offset=N         element at which [0, ..., 0] lies; memory between the elements of a generated value is NaN
  --random              every argument without --arg is random; sizes that nothing fixes are then those of the first
                        tensor of the rank, or 1 x 8 x 512 x 64; of vectors and matrices the largest of these
  --seed=N              seed of random numbers, default 0
  --dim=N               sizes of dynamic dimensions that nothing else fixes, in order; or --dim=ARG.DIM=N

Results (then written arguments), in order
  --out=FILE.npy        writes a result; ,strides= and ,offset= place it in memory; an empty FILE writes none
  --guard               memory around and between the results' elements must survive
  --check               compares with the float64 reference in the artifact by the rule of the semantics
  --check=sample:N      runs N tasks of the reference only and compares the rows they make
  --approx=E            adds E to the factor of the rule where the op allows approximation
  --expect=SOURCE       compares with FILE.npy or expr:FORMULA: |x - y| <= atol + rtol * |y|, default rtol = 4 u and
                        atol = 4 u * max |y| with u the unit roundoff of the type; ,atol=X ,rtol=X or ,bits (0 is not -0); none skips

Reports
  --bench[=N]           time: median of N runs (default: half a second of them) after a warm-up
  --flush               empties the caches before each timed run
  --json=FILE           writes the report as JSON, - for standard output
  --describe            prints what the artifact holds
  --dump-code=PREFIX    writes the code of each target to PREFIX.N.so, or each kernel's to PREFIX.N.KERNEL.ptx or .cubin
  --help

TFLOP/s counts 2 * (Dqk + Dv) operations for each pair of query and key that causal and window leave.
Exit code: 0, or 1 with one line that says what is wrong.
)";

namespace {

int64_t readInteger(const std::string &text, const std::string &word, int64_t low = INT64_MIN,
                    int64_t high = INT64_MAX) {
  int64_t value;
  NumberFault fault = parseInteger(text, value);
  if (fault == NumberFault::Malformed)
    failWith("%s: '%s' is no integer", word.c_str(), text.c_str());
  if (fault == NumberFault::Overflow || value < low || value > high)
    failWith("%s: %s is not in [%lld, %lld]", word.c_str(), text.c_str(), static_cast<long long>(low),
             static_cast<long long>(high));
  return value;
}

/// What is infinite would let everything pass.
double readNumber(const std::string &text, const std::string &word) {
  double value;
  if (parseReal(text, value) != NumberFault::None || !(value >= 0) || std::isinf(value))
    failWith("%s: '%s' is no finite number that is at least 0", word.c_str(), text.c_str());
  return value;
}

std::vector<int64_t> parseList(const std::string &text, const std::string &word, int64_t low) {
  std::vector<int64_t> list;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(':', begin), text.size());
    if (list.size() == 8)
      failWith("%s: more than 8 dimensions", word.c_str());
    // Small enough that products with an element size fit.
    list.push_back(readInteger(text.substr(begin, end - begin), word, low, INT64_MAX >> 8));
    begin = end + 1;
    if (text.empty())
      break;
  }
  return list;
}

/// Reads one `,key=value` from the end of a specification; false where the last comma begins none.
bool takeField(ValueSpec &spec, std::string &text, const std::string &word) {
  size_t comma = text.rfind(',');
  if (comma == std::string::npos)
    return false;
  std::string field = text.substr(comma + 1);
  size_t equal = field.find('=');
  std::string key = field.substr(0, equal), value = equal == std::string::npos ? "" : field.substr(equal + 1);
  if (key == "dims" || key == "sizes")
    spec.dims = value.empty() ? std::vector<int64_t>() : parseList(value, word, 0);
  else if (key == "strides")
    spec.strides = value.empty() ? std::vector<int64_t>() : parseList(value, word, -(INT64_MAX >> 8));
  else if (key == "offset")
    spec.offset = readInteger(value, word, -(INT64_MAX >> 8), INT64_MAX >> 8);
  else if (key == "atol")
    spec.atol = readNumber(value, word);
  else if (key == "rtol")
    spec.rtol = readNumber(value, word);
  else if (field == "bits")
    spec.bits = true;
  else
    return false;
  text.resize(comma);
  return true;
}

ValueSpec parseValue(const std::string &value, const std::string &word) {
  ValueSpec spec;
  spec.source = value;
  while (takeField(spec, spec.source, word)) {
  }
  return spec;
}

DimSpec parseDim(const std::string &value, const std::string &word) {
  DimSpec spec;
  size_t equal = value.find('=');
  if (equal != std::string::npos) {
    std::string name = value.substr(0, equal);
    size_t point = name.rfind('.');
    if (point == std::string::npos)
      failWith("%s: expected --dim=ARG.DIM=N", word.c_str());
    spec.argument = name.substr(0, point);
    spec.dimension = static_cast<int>(readInteger(name.substr(point + 1), word, 0, 7));
  }
  spec.size = readInteger(equal == std::string::npos ? value : value.substr(equal + 1), word, 0, INT64_MAX >> 8);
  return spec;
}

/// One option; `value` is null where the word has no `=`.
bool parseOption(Options &options, const std::string &name, const std::string *value, const std::string &word) {
  auto text = [&]() -> const std::string & {
    if (!value)
      failWith("%s needs a value: %s=...", name.c_str(), name.c_str());
    return *value;
  };
  struct Flag {
    const char *name;
    bool Options::*field;
  };
  static constexpr Flag kFlags[] = {{"--random", &Options::random},
                                    {"--guard", &Options::guard},
                                    {"--describe", &Options::describe},
                                    {"--flush", &Options::flush},
                                    {"--help", &Options::help},
                                    {"-h", &Options::help},
                                    {"--with-reference", &Options::withReference}};
  for (const Flag &flag : kFlags)
    if (name == flag.name) {
      if (value)
        failWith("%s takes no value", name.c_str());
      return options.*flag.field = true;
    }
  struct Text {
    const char *name;
    std::string Options::*field;
  };
  static constexpr Text kTexts[] = {{"--function", &Options::function}, {"--target", &Options::target},
                                    {"--json", &Options::json},         {"--dump-code", &Options::dumpCode},
                                    {"--cases", &Options::cases},       {"--name", &Options::caseName}};
  for (const Text &option : kTexts)
    if (name == option.name) {
      options.*option.field = text();
      return true;
    }
  if (name == "--arg")
    options.arguments.push_back(parseValue(text(), word));
  else if (name == "--out")
    options.outputs.push_back(parseValue(text(), word));
  else if (name == "--expect")
    options.expected.push_back(parseValue(text(), word));
  else if (name == "--dim")
    options.dims.push_back(parseDim(text(), word));
  else if (name == "--compile-option")
    options.compileOptions.push_back(text());
  else if (name == "--threads")
    options.threads = readInteger(text(), word, 1, 65536);
  else if (name == "--device")
    options.device = readInteger(text(), word, 0, 1024);
  else if (name == "--seed")
    options.seed = readInteger(text(), word);
  else if (name == "--approx")
    options.approx = readNumber(text(), word);
  else
    return false;
  return true;
}

} // namespace

Options parseOptions(const std::vector<std::string> &words) {
  Options options;
  for (const std::string &word : words) {
    if (word.empty() || word[0] != '-') {
      if (!options.file.empty())
        failWith("two files: '%s' and '%s'", options.file.c_str(), word.c_str());
      options.file = word;
      continue;
    }
    size_t equal = word.find('=');
    std::string name = word.substr(0, equal), value = equal == std::string::npos ? "" : word.substr(equal + 1);
    const std::string *given = equal == std::string::npos ? nullptr : &value;
    if (name == "--bench") {
      options.bench = true;
      options.iterations = given ? readInteger(value, word, 1, 1000000) : 0;
    } else if (name == "--check") {
      options.check = true;
      if (given && value.compare(0, 7, "sample:") == 0)
        options.sample = readInteger(value.substr(7), word, 1, INT64_MAX);
      else if (given)
        failWith("%s: expected --check or --check=sample:N", word.c_str());
    } else if (!parseOption(options, name, given, word)) {
      failWith("unknown option %s; see --help", name.c_str());
    }
  }
  return options;
}

std::vector<std::string> splitWords(const std::string &line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (char c : line) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      inside = true;
    } else if (!quote && (c == ' ' || c == '\t' || c == '\r')) {
      if (inside)
        words.push_back(word);
      word.clear();
      inside = false;
    } else if (!quote && !inside && c == '#') {
      break;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote)
    failWith("a quote %c is not closed", quote);
  if (inside)
    words.push_back(word);
  return words;
}

} // namespace fovea::run
