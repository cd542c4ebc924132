//===- BufferizableOpInterfaceImpl.cpp - Bufferization of attn ops -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Attn/Transforms/InterfaceImpls.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace fovea::attn;

/// The same op on the buffers of its operands; regions move over, what they capture is bufferized at its use.
static LogicalResult bufferizeInPlace(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                                      BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  rewriter.setInsertionPoint(op);
  OperationState newState(op->getLoc(), op->getName(), operands, /*types=*/TypeRange(), op->getAttrs());
  for (Region &region : op->getRegions())
    newState.addRegion()->takeBody(region);
  auto newOp = cast<DestinationStyleOpInterface>(rewriter.create(newState));
  replaceOpWithBufferizedValues(rewriter, op, SmallVector<Value>(newOp.getDpsInits()));
  return success();
}

namespace {
template <typename OpTy>
struct AttnOpBufferization : DstBufferizableOpInterfaceExternalModel<AttnOpBufferization<OpTy>, OpTy> {
  /// Destinations are overwritten, never read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  /// A region runs for every score, while the destination is being written: what it reads may not be the destination.
  bool isRepetitiveRegion(Operation *, unsigned) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeInPlace(op, rewriter, options, state);
  }
};
} // namespace

void fovea::attn::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    AttentionOp::attachInterface<AttnOpBufferization<AttentionOp>>(*context);
    CombineOp::attachInterface<AttnOpBufferization<CombineOp>>(*context);
    context->loadDialect<BufferizationDialect>();
  });
}
