//===- MaskReport.cpp - What was recognised of masks -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "fovea/Artifact/ArtifactBuilder.h"
#include "fovea/Dialect/Attn/IR/AttnPrinter.h"
#include "fovea/Dialect/Attn/Transforms/IntervalBuilder.h"
#include "fovea/Dialect/Attn/Transforms/MaskEstimate.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;

namespace {
/// Prints the lines of one op.
class MaskReporter {
public:
  /// `original` is the op as it was written, `op` as it was planned.
  MaskReporter(PlannedModule &planned, attn::AttentionOp original, attn::AttentionOp op, llvm::raw_ostream &os)
      : planned(planned), original(original), op(op), os(os) {}
  void print();

private:
  void printBand();
  void printPairMasks();
  void printVariants();
  void printMapped(attn::VariantAttr variant, attn::BlockMapOp map);
  void printUndecided(attn::BlockMapOp map);
  std::string getNames();
  attn::BlockMapOp findMap(attn::VariantAttr variant);

  PlannedModule &planned;
  attn::AttentionOp original, op;
  llvm::raw_ostream &os;
};
} // namespace

void MaskReporter::printBand() {
  if (!op.getDiagonal())
    return;
  os << " ";
  attn::printBand(os, op, [&] { os << stringifyDiagonal(*op.getDiagonal()); });
  if (original.getCausal() != op.getCausal() || original.getWindowLeft() != op.getWindowLeft() ||
      original.getWindowRight() != op.getWindowRight())
    os << ", recognised in "
       << (original.hasMaskMod()  ? "mask_mod"
           : original.getMask()   ? "the constant mask"
           : original.hasWindow() ? "the window"
                                  : "causal");
  os << ": blocks outside are left out, blocks inside have no code for it\n";
}

/// "mask_mod", "mask, mask_mod": what chooses among pairs.
std::string MaskReporter::getNames() {
  SmallVector<StringRef> names;
  if (op.getMask())
    names.push_back("mask");
  if (op.hasMaskMod())
    names.push_back("mask_mod");
  if (op.getBlockMap())
    names.push_back("block_map");
  return llvm::join(names, ", ");
}

void MaskReporter::printPairMasks() {
  if (original.getMask() && !op.getMask() && op.hasMaskMod())
    os << "  mask is computed in the function: it is a part of mask_mod, and its matrix is never made\n";
  if (op.getMask())
    os << "  mask is a tensor that only the run knows\n";
  if (op.hasMaskMod())
    os << "  mask_mod "
       << (attn::readsMemory(op.getMaskMod()) ? "reads captured data" : "is made of indices and numbers alone") << "\n";
  if (op.getBlockMap())
    os << "  block_map has blocks of " << (*op.getBlockMapSizes())[0] << " x " << (*op.getBlockMapSizes())[1] << "\n";
}

attn::BlockMapOp MaskReporter::findMap(attn::VariantAttr variant) {
  auto name = cast<FlatSymbolRefAttr>(variant.getKernels()[0]);
  attn::BlockMapOp found;
  if (auto kernel = planned.planned->lookupSymbol<func::FuncOp>(name.getValue()))
    kernel.walk([&](attn::BlockMapOp map) { found = map; });
  return found;
}

/// The condition of a variant with the names of the problem's sizes.
static std::string getConditionText(IntegerSet set) {
  static constexpr StringLiteral kNames[attn::kNumProblemSymbols] = {"B", "Hq", "Hkv", "Sq", "Skv", "threads", "align"};
  std::string text, result;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      set.getConstraints(), os, [&](AffineExpr expr) { os << expr << " >= 0"; }, " and ");
  for (size_t at = 0; at < text.size(); ++at) {
    bool isSymbol = text[at] == 's' && at + 1 < text.size() && llvm::isDigit(text[at + 1]);
    if (isSymbol)
      result += kNames[text[++at] - '0'];
    else
      result += text[at];
  }
  return result;
}

/// Says what keeps every block from being left out, or from being full: the first op whose value for a block is not
/// known.
void MaskReporter::printUndecided(attn::BlockMapOp map) {
  if (!map.hasMaskMod())
    return;
  auto kernel = cast<func::FuncOp>(map->getParentOfType<func::FuncOp>()->clone());
  attn::BlockMapOp copy;
  kernel.walk([&](attn::BlockMapOp nested) { copy = nested; });
  // Positions that nothing is known of.
  SmallVector<attn::Interval> positions;
  ImplicitLocOpBuilder b(map.getLoc(), copy);
  attn::IntervalBuilder intervals(b, /*maxLoads=*/1);
  Block &entry = kernel.getBody().front();
  auto addPosition = [&] { return entry.addArgument(b.getIndexType(), map.getLoc()); };
  for (int dim = 0; dim < 4; ++dim)
    positions.push_back(dim < 2 ? intervals.getPosition(addPosition())
                                : intervals.getPositions(addPosition(), addPosition()));
  attn::Interval kept = intervals.evaluate(copy.getMaskMod(), positions);
  bool mayBeFull = !matchPattern(kept.lo, m_Zero()), mayBeNever = !matchPattern(kept.hi, m_One());
  if (Operation *unknown = intervals.getUnknownOp(); unknown && !(mayBeFull && mayBeNever)) {
    os << "    no block is "
       << (mayBeNever  ? "full"
           : mayBeFull ? "left out"
                       : "left out or full")
       << " by mask_mod: what '" << unknown->getName() << "' gives for a block is not known";
    if (auto loc = unknown->getLoc()->findInstanceOf<FileLineColLoc>())
      os << " (line " << loc.getLine() << ")";
    os << "\n";
  }
  kernel->erase();
}

void MaskReporter::printMapped(attn::VariantAttr variant, attn::BlockMapOp map) {
  attn::StrategyAttr strategy = *map.getStrategy();
  os << "  " << variant.getName().getValue() << " finds what is kept by " << getNames() << " of each block of "
     << strategy.getBlockM() << " x " << strategy.getBlockN()
     << " when it is run: blocks without a pair are left out, full ones have no code for it\n";
  if (variant.getWhen())
    os << "    where " << getConditionText(variant.getWhen().getValue()) << "\n";
  printUndecided(map);
}

void MaskReporter::printVariants() {
  auto plan = op->getAttrOfType<ArrayAttr>(attn::AttnDialect::getPlanAttrName());
  if (!plan || !op.hasPairMask())
    return;
  SmallVector<StringRef> others;
  for (auto variant : plan.getAsRange<attn::VariantAttr>()) {
    if (attn::BlockMapOp map = findMap(variant))
      printMapped(variant, map);
    else
      others.push_back(variant.getName().getValue());
  }
  os << "  " << llvm::join(others, ", ") << ": every pair that length, causal and window leave is put to " << getNames()
     << "\n";
}

void MaskReporter::print() {
  printBand();
  if (op.getKvLengths())
    os << "  kv_lengths: blocks past a length are left out\n";
  printPairMasks();
  printVariants();
  if (!op.getDiagonal() && !op.getKvLengths() && !op.hasPairMask())
    os << "  every key is kept\n";
}

void fovea::printMasks(ModuleOp module, PlannedModule &planned, llvm::raw_ostream &os) {
  for (func::FuncOp function : getHostFunctions(module)) {
    auto host = planned.planned->lookupSymbol<func::FuncOp>(function.getName());
    if (!host)
      continue;
    SmallVector<attn::AttentionOp> originals = getAttentionOps(function), ops = getAttentionOps(host);
    // An op that nobody reads is gone after planning; then it is not known which one is which.
    bool isComplete = originals.size() == ops.size();
    for (auto [number, op] : llvm::enumerate(ops)) {
      os << "masks of attention op " << number << " of @" << function.getName() << " for " << planned.targetName
         << ":\n";
      MaskReporter(planned, isComplete ? originals[number] : op, op, os).print();
    }
  }
}
