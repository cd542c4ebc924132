//===- PlanVerify.cpp - Verifiers of what plans and kernels are described by -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace fovea::attn;
using EmitErrorFn = function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A map or a set over the problem symbols.
static LogicalResult verifySymbols(EmitErrorFn emitError, StringRef name, unsigned numDims, unsigned numSymbols) {
  if (numDims == 0 && numSymbols == kNumProblemSymbols)
    return success();
  return emitError() << name << " has " << numDims << " dimensions and " << numSymbols
                     << " symbols, expected none and the " << kNumProblemSymbols << " problem symbols";
}

static LogicalResult verifyMap(EmitErrorFn emitError, StringRef name, AffineMapAttr map) {
  return verifySymbols(emitError, name, map.getValue().getNumDims(), map.getValue().getNumSymbols());
}

static LogicalResult verifyAtLeast(EmitErrorFn emitError, StringRef name, int64_t value, int64_t least) {
  if (value >= least)
    return success();
  return emitError() << name << " is " << value << ", must be at least " << least;
}

LogicalResult LaunchAttr::verify(EmitErrorFn emitError, AffineMapAttr grid, int64_t block, int64_t sharedBytes,
                                 int64_t scratchBytes) {
  if (failed(verifyMap(emitError, "launch grid", grid)))
    return failure();
  if (grid.getValue().getNumResults() == 0)
    return emitError() << "launch grid has no result, expected one or more";
  if (block < 1 || block > 1024)
    return emitError() << "launch block is " << block << ", must be from 1 to 1024";
  return success(succeeded(verifyAtLeast(emitError, "launch shared_bytes", sharedBytes, 0)) &&
                 succeeded(verifyAtLeast(emitError, "launch scratch_bytes", scratchBytes, 0)));
}

LogicalResult SourceAttr::verify(EmitErrorFn emitError, SourceKind, int64_t index) {
  return verifyAtLeast(emitError, "source index", index, 0);
}

LogicalResult TensorMapAttr::verify(EmitErrorFn emitError, int64_t argument, int64_t rows, int64_t cols,
                                    int64_t rowDim) {
  return success(succeeded(verifyAtLeast(emitError, "tensor_map argument", argument, 0)) &&
                 succeeded(verifyAtLeast(emitError, "tensor_map rows", rows, 1)) &&
                 succeeded(verifyAtLeast(emitError, "tensor_map cols", cols, 1)) &&
                 succeeded(verifyAtLeast(emitError, "tensor_map row_dim", rowDim, 0)));
}

LogicalResult TemporaryAttr::verify(EmitErrorFn emitError, Type elementType, AffineMapAttr dims) {
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "temporary has element type " << elementType << ", expected an integer, a float or index";
  return verifyMap(emitError, "temporary dims", dims);
}

LogicalResult VariantAttr::verify(EmitErrorFn emitError, StringAttr name, IntegerSetAttr when, ArrayAttr kernels,
                                  ArrayAttr temporaries) {
  if (when && failed(verifySymbols(emitError, "variant condition", when.getValue().getNumDims(),
                                   when.getValue().getNumSymbols())))
    return failure();
  for (Attribute kernel : kernels)
    if (!isa<FlatSymbolRefAttr>(kernel))
      return emitError() << "variant '" << name.getValue() << "' has " << kernel
                         << " among its kernels, expected symbols of functions";
  if (!temporaries)
    return success();
  for (Attribute temporary : temporaries)
    if (!isa<TemporaryAttr>(temporary))
      return emitError() << "variant '" << name.getValue() << "' has " << temporary
                         << " among its temporaries, expected #attn.temporary";
  return success();
}

//===----------------------------------------------------------------------===//
// Where they stand
//===----------------------------------------------------------------------===//

template <typename ElementAttr>
static LogicalResult verifyList(Operation *op, NamedAttribute attribute, StringRef elementName) {
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!list)
    return op->emitError() << "'" << attribute.getName().getValue() << "' must be a list of " << elementName;
  for (Attribute element : list)
    if (!isa<ElementAttr>(element))
      return op->emitError() << "expected a list of " << elementName << ", found " << element;
  return success();
}

LogicalResult AttnDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == getPlanAttrName()) {
    if (!isa<AttentionOp, CombineOp>(op))
      return op->emitError() << "'" << name << "' belongs to attn.attention and attn.combine";
    return verifyList<VariantAttr>(op, attribute, "#attn.variant");
  }
  if (name != getLaunchAttrName() && name != getTensorMapsAttrName())
    return success();
  if (!isa<FunctionOpInterface>(op))
    return op->emitError() << "'" << name << "' belongs to functions";
  if (name == getTensorMapsAttrName())
    return verifyList<TensorMapAttr>(op, attribute, "#attn.tensor_map");
  if (!isa<LaunchAttr>(attribute.getValue()))
    return op->emitError() << "'" << name << "' must be a #attn.launch";
  return success();
}

LogicalResult AttnDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == getSourceAttrName() && !isa<SourceAttr>(attribute.getValue()))
    return op->emitError() << "'" << getSourceAttrName() << "' of argument #" << argument << " must be a #attn.source";
  return success();
}
