//===- AttnPrinter.cpp - Custom assembly of the attn dialect, written -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/AttnPrinter.h"

using namespace mlir;
using namespace fovea::attn;

/// ` name(%a, %b : type, type)`, or nothing for no operands.
static void printTyped(OpAsmPrinter &p, StringRef name, ValueRange values) {
  if (!values.empty())
    p << ' ' << name << '(' << values << " : " << values.getTypes() << ')';
}
static void printTyped(OpAsmPrinter &p, StringRef name, Value value) {
  printTyped(p, name, value ? ValueRange(value) : ValueRange());
}

static void printDiagonal(OpAsmPrinter &p, AttentionOp op) {
  if (op.getOffset())
    p << op.getOffset() << " : " << op.getOffset().getType();
  else if (std::optional<Diagonal> diagonal = op.getDiagonal())
    p << stringifyDiagonal(*diagonal);
}

static void printWindow(llvm::raw_ostream &os, AttentionOp op, llvm::function_ref<void()> printDiagonal) {
  auto printBound = [&](std::optional<uint64_t> bound) {
    if (bound)
      os << static_cast<int64_t>(*bound);
    else
      os << '*';
  };
  os << " window(";
  printBound(op.getWindowLeft());
  os << ", ";
  printBound(op.getWindowRight());
  if (!op.getCausal()) {
    os << ", ";
    printDiagonal();
  }
  os << ')';
}

void fovea::attn::printBand(llvm::raw_ostream &os, AttentionOp op, llvm::function_ref<void()> printDiagonal) {
  if (op.getCausal()) {
    os << " causal(";
    printDiagonal();
    os << ')';
  }
  if (op.hasWindow())
    printWindow(os, op, printDiagonal);
}

static void printScale(OpAsmPrinter &p, AttentionOp op) {
  if (op.getScale())
    p << " scale(" << op.getScale() << ')';
  if (std::optional<APFloat> scale = op.getStaticScale()) {
    p << " scale(";
    p.printFloat(*scale);
    p << ')';
  }
}

static void printRegionClause(OpAsmPrinter &p, StringRef name, Region &region) {
  if (region.empty())
    return;
  p << ' ' << name << '(';
  llvm::interleaveComma(region.getArguments(), p,
                        [&](BlockArgument arg) { p.printRegionArgument(arg, /*argAttrs=*/{}, /*omitType=*/true); });
  p << ") ";
  p.printRegion(region, /*printEntryBlockArgs=*/false);
}

void AttentionOp::print(OpAsmPrinter &p) {
  printTyped(p, "ins", ValueRange{getQuery(), getKey(), getValue()});
  printScale(p, *this);
  printBand(p.getStream(), *this, [&] { printDiagonal(p, *this); });
  printTyped(p, "bias", getBias());
  printTyped(p, "mask", getMask());
  printTyped(p, "sink", getSink());
  printTyped(p, "kv_lengths", getKvLengths());
  if (!getBase().empty())
    p << " base(" << getBase() << ')';
  if (getBlockMap()) {
    p << " block_map(" << getBlockMap() << " : " << getBlockMap().getType() << ", ";
    llvm::interleaveComma(*getBlockMapSizes(), p);
    p << ')';
  }
  printTyped(p, "block_list", getBlockList());
  printRegionClause(p, "score_mod", getScoreMod());
  printRegionClause(p, "mask_mod", getMaskMod());
  printTyped(p, "outs", getDpsInits());
  p.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes", "static_scale", "causal", "diagonal",
                                                "window_left", "window_right", "block_map_sizes"});
}

void CombineOp::print(OpAsmPrinter &p) {
  printTyped(p, "ins", ValueRange{getPartialOutputs(), getPartialLses()});
  printTyped(p, "sink", getSink());
  printTyped(p, "outs", getDpsInits());
  p.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
}
