//===- fovea-mask.cpp - Shows which blocks of an attention are computed -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/Registration.h"
#include "BlockMap.h"
#include "fovea/Dialect/Attn/Transforms/ElementBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace fovea;
namespace cl = llvm::cl;

namespace {
cl::OptionCategory category("fovea-mask options");
cl::opt<std::string> input(cl::Positional, cl::desc("IN.mlir ('-' for standard input)"), cl::init("-"),
                           cl::cat(category));
cl::opt<int64_t> queries("queries", cl::desc("Number of queries (default: --keys)"), cl::value_desc("N"), cl::init(0),
                         cl::cat(category));
cl::opt<int64_t> keys("keys", cl::desc("Number of keys"), cl::value_desc("N"), cl::init(2048), cl::cat(category));
cl::opt<int64_t> blockM("block-m", cl::desc("Queries of a block"), cl::value_desc("N"), cl::init(128),
                        cl::cat(category));
cl::opt<int64_t> blockN("block-n", cl::desc("Keys of a block"), cl::value_desc("N"), cl::init(128), cl::cat(category));
cl::opt<int64_t> batch("batch-entry", cl::desc("Batch entry to show"), cl::init(0), cl::cat(category));
cl::opt<int64_t> head("head", cl::desc("Query head to show"), cl::init(0), cl::cat(category));
cl::list<std::string>
    arguments("arg",
              cl::desc("Arguments of the function after Q, K and V in order: a number, an npy file, or "
                       "nothing for one that the mask does not read"),
              cl::value_desc("value"), cl::cat(category));
cl::opt<bool> svg("svg", cl::desc("Draw an SVG picture"), cl::cat(category));
cl::opt<std::string> title("title", cl::desc("Title of the picture (default: the function's name)"), cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Output file"), cl::value_desc("file"), cl::init("-"), cl::cat(category));
} // namespace

/// More pairs than this take minutes.
static constexpr int64_t kMaxPairs = int64_t(1) << 28;
/// A picture of more blocks than this has more of them than a screen has points.
static constexpr int64_t kMaxBlocks = int64_t(1) << 20;

/// The number of queries or keys: the op's, or the one that is given.
static LogicalResult fitSize(attn::AttentionOp op, const cl::opt<int64_t> &option, int64_t declared, int64_t &size) {
  if (!ShapedType::isDynamic(declared)) {
    if (option.getNumOccurrences() && option != declared)
      return op.emitError() << "has " << declared << " " << option.ArgStr << ", but --" << option.ArgStr << "="
                            << option.getValue() << " is given; leave it out";
    size = declared;
  }
  if (size < 1)
    return op.emitError() << "has " << size << " " << option.ArgStr << "; 1 or more can be shown";
  return success();
}

/// A batch entry or head that there is.
static LogicalResult checkPlace(attn::AttentionOp op, const cl::opt<int64_t> &option, StringRef name,
                                int64_t declared) {
  // A number of the whole problem; far larger ones would not be exact.
  int64_t count = ShapedType::isDynamic(declared) ? int64_t(1) << 31 : declared;
  if (option >= 0 && option < count)
    return success();
  return op.emitError() << "has no " << name << " " << option.getValue() << "; --" << option.ArgStr << " is from 0 to "
                        << count - 1;
}

static LogicalResult checkSizes(attn::AttentionOp op, Sizes &sizes) {
  if (failed(checkPlace(op, batch, "batch entry", op.getBatch())) ||
      failed(checkPlace(op, head, "head", op.getNumQueryHeads())))
    return failure();
  sizes = {queries.getNumOccurrences() ? queries : keys, keys};
  if (failed(fitSize(op, queries, op.getQueryLength(), sizes.queries)) ||
      failed(fitSize(op, keys, op.getKVLength(), sizes.keys)))
    return failure();
  if (blockM < 1 || blockN < 1)
    return op.emitError() << "is shown in blocks of 1 or more, but --block-m=" << blockM.getValue()
                          << " and --block-n=" << blockN.getValue() << " are given";
  if (sizes.queries > kMaxPairs / sizes.keys)
    return op.emitError() << "has " << sizes.queries << " x " << sizes.keys << " pairs; up to 2^28 can be shown";
  int64_t rows = llvm::divideCeil(sizes.queries, blockM), columns = llvm::divideCeil(sizes.keys, blockN);
  if (rows > kMaxBlocks / columns)
    return op.emitError() << "has " << rows << " x " << columns << " blocks of " << blockM.getValue() << " x "
                          << blockN.getValue()
                          << "; up to 2^20 can be shown: give larger ones with --block-m and --block-n";
  return success();
}

static LogicalResult show(attn::AttentionOp op, llvm::raw_ostream &os) {
  Sizes sizes;
  if (failed(checkSizes(op, sizes)))
    return failure();
  attn::inlineBlockMap(op);
  FailureOr<Environment> environment = evaluateFunction(op, sizes, std::vector<std::string>(arguments));
  if (failed(environment))
    return failure();
  FailureOr<BlockMap> map = computeBlockMap(op, *environment, sizes, {batch, head}, blockM, blockN);
  if (failed(map))
    return failure();
  auto function = op->getParentOfType<FunctionOpInterface>();
  std::string name = title.empty() && function ? function.getName().str() : title.getValue();
  if (svg)
    printSvg(*map, name, os);
  else
    printText(*map, os);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Shows which blocks of queries and keys an attention op keeps: none of their "
                              "pairs, some, or all.\n");
  DialectRegistry registry;
  registerToolDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  std::string message;
  auto file = openInputFile(input, &message);
  auto out = openOutputFile(output, &message);
  if (!file || !out) {
    llvm::errs() << "fovea-mask: " << message << "\n";
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  attn::AttentionOp first;
  module->walk([&](attn::AttentionOp op) { first = first ? first : op; });
  if (!first) {
    module->emitError() << "has no attention op";
    return 1;
  }
  if (failed(show(first, out->os())))
    return 1;
  out->keep();
  return 0;
}
