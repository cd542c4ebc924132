//===- DotPatterns.cpp - Dots become matrix instructions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::nvptx;

namespace {
struct DotPattern : OpConversionPattern<tile::DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool isSingle = getTileType(op.getLhs()).getElementType().isF32();
    if (!isSingle)
      rewriter.replaceOp(op, buildHalfDot(b, op, adaptor));
    else if (op.getPart() && !op.getAllowTf32())
      rewriter.replaceOp(op, buildPiecesDot(b, op, adaptor));
    else
      rewriter.replaceOp(op, buildTf32Dot(b, op, adaptor));
    return success();
  }
};
} // namespace

void nvptx::populateDotPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<DotPattern>(converter, patterns.getContext());
}
