//===- AttnAttrs.cpp - Attributes of the attn dialect -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fovea-c/Dialect/Attn.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/IntegerSet.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace fovea::attn;

/// An attribute of type `Attr`; null, with a diagnostic at an unknown location, where its verifier refuses it.
template <typename Attr, typename... Args> static MlirAttribute getChecked(MLIRContext *context, Args... args) {
  Location loc = UnknownLoc::get(context);
  return wrap(Attr::getChecked([&] { return emitError(loc); }, context, args...));
}

bool foveaAttributeIsAAttnDiagonal(MlirAttribute attribute) { return isa<DiagonalAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnDiagonalAttrGet(MlirContext context, FoveaAttnDiagonal diagonal) {
  return wrap(DiagonalAttr::get(unwrap(context), static_cast<Diagonal>(diagonal)));
}
FoveaAttnDiagonal foveaAttnDiagonalAttrGetValue(MlirAttribute attribute) {
  return static_cast<FoveaAttnDiagonal>(cast<DiagonalAttr>(unwrap(attribute)).getValue());
}

//===----------------------------------------------------------------------===//
// Strategy
//===----------------------------------------------------------------------===//

static StrategyAttr getStrategy(MlirAttribute attribute) { return cast<StrategyAttr>(unwrap(attribute)); }

bool foveaAttributeIsAAttnStrategy(MlirAttribute attribute) { return isa<StrategyAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnStrategyAttrGet(MlirContext context, int64_t blockM, int64_t blockN, int64_t warps,
                                       int64_t stages, int64_t vectorBytes, bool packHeads, bool splitKv, bool roundP) {
  // The other parameters have their defaults.
  auto rest = StrategyAttr::get(unwrap(context), /*blockM=*/1, /*blockN=*/1);
  return getChecked<StrategyAttr>(unwrap(context), blockM, blockN, warps, stages, vectorBytes, packHeads, splitKv,
                                  roundP, rest.getUnit(), rest.getOverlap(), rest.getPersistent(), rest.getRescale(),
                                  rest.getCluster(), rest.getPingpong(), rest.getScorePart(), rest.getRowSums(),
                                  rest.getInterleave(), rest.getMinBlocks(), rest.getCarryScores(),
                                  rest.getLongestFirst());
}
int64_t foveaAttnStrategyAttrGetBlockM(MlirAttribute attribute) { return getStrategy(attribute).getBlockM(); }
int64_t foveaAttnStrategyAttrGetBlockN(MlirAttribute attribute) { return getStrategy(attribute).getBlockN(); }
int64_t foveaAttnStrategyAttrGetWarps(MlirAttribute attribute) { return getStrategy(attribute).getWarps(); }
int64_t foveaAttnStrategyAttrGetStages(MlirAttribute attribute) { return getStrategy(attribute).getStages(); }
int64_t foveaAttnStrategyAttrGetVectorBytes(MlirAttribute attribute) { return getStrategy(attribute).getVectorBytes(); }
bool foveaAttnStrategyAttrGetPackHeads(MlirAttribute attribute) { return getStrategy(attribute).getPackHeads(); }
bool foveaAttnStrategyAttrGetSplitKv(MlirAttribute attribute) { return getStrategy(attribute).getSplitKv(); }
bool foveaAttnStrategyAttrGetRoundP(MlirAttribute attribute) { return getStrategy(attribute).getRoundP(); }
bool foveaAttnStrategyAttrGetOverlap(MlirAttribute attribute) { return getStrategy(attribute).getOverlap(); }
bool foveaAttnStrategyAttrGetPersistent(MlirAttribute attribute) { return getStrategy(attribute).getPersistent(); }
bool foveaAttnStrategyAttrGetPingpong(MlirAttribute attribute) { return getStrategy(attribute).getPingpong(); }
int64_t foveaAttnStrategyAttrGetScorePart(MlirAttribute attribute) { return getStrategy(attribute).getScorePart(); }
bool foveaAttnStrategyAttrGetInterleave(MlirAttribute attribute) { return getStrategy(attribute).getInterleave(); }
int64_t foveaAttnStrategyAttrGetMinBlocks(MlirAttribute attribute) { return getStrategy(attribute).getMinBlocks(); }
bool foveaAttnStrategyAttrGetCarryScores(MlirAttribute attribute) { return getStrategy(attribute).getCarryScores(); }
bool foveaAttnStrategyAttrGetLongestFirst(MlirAttribute attribute) { return getStrategy(attribute).getLongestFirst(); }
int64_t foveaAttnStrategyAttrGetCluster(MlirAttribute attribute) { return getStrategy(attribute).getCluster(); }
FoveaAttnDotUnit foveaAttnStrategyAttrGetUnit(MlirAttribute attribute) {
  return static_cast<FoveaAttnDotUnit>(getStrategy(attribute).getUnit());
}
FoveaAttnRescale foveaAttnStrategyAttrGetRescale(MlirAttribute attribute) {
  return static_cast<FoveaAttnRescale>(getStrategy(attribute).getRescale());
}
FoveaAttnRowSums foveaAttnStrategyAttrGetRowSums(MlirAttribute attribute) {
  return static_cast<FoveaAttnRowSums>(getStrategy(attribute).getRowSums());
}

//===----------------------------------------------------------------------===//
// Target and launch
//===----------------------------------------------------------------------===//

bool foveaAttributeIsAAttnTarget(MlirAttribute attribute) { return isa<TargetAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnTargetAttrGet(MlirContext context, MlirStringRef backend, MlirStringRef arch) {
  return wrap(TargetAttr::get(unwrap(context), unwrap(backend), unwrap(arch), DictionaryAttr()));
}
MlirStringRef foveaAttnTargetAttrGetBackend(MlirAttribute attribute) {
  return wrap(cast<TargetAttr>(unwrap(attribute)).getBackend());
}
MlirStringRef foveaAttnTargetAttrGetArch(MlirAttribute attribute) {
  return wrap(cast<TargetAttr>(unwrap(attribute)).getArch());
}

static LaunchAttr getLaunch(MlirAttribute attribute) { return cast<LaunchAttr>(unwrap(attribute)); }

bool foveaAttributeIsAAttnLaunch(MlirAttribute attribute) { return isa<LaunchAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnLaunchAttrGet(MlirContext context, MlirAffineMap grid, int64_t block, int64_t sharedBytes,
                                     int64_t scratchBytes) {
  return getChecked<LaunchAttr>(unwrap(context), AffineMapAttr::get(unwrap(grid)), block, sharedBytes, scratchBytes);
}
MlirAffineMap foveaAttnLaunchAttrGetGrid(MlirAttribute attribute) {
  return wrap(getLaunch(attribute).getGrid().getValue());
}
int64_t foveaAttnLaunchAttrGetBlock(MlirAttribute attribute) { return getLaunch(attribute).getBlock(); }
int64_t foveaAttnLaunchAttrGetSharedBytes(MlirAttribute attribute) { return getLaunch(attribute).getSharedBytes(); }
int64_t foveaAttnLaunchAttrGetScratchBytes(MlirAttribute attribute) { return getLaunch(attribute).getScratchBytes(); }

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

bool foveaAttributeIsAAttnSource(MlirAttribute attribute) { return isa<SourceAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnSourceAttrGet(MlirContext context, FoveaAttnSourceKind kind, int64_t index) {
  return getChecked<SourceAttr>(unwrap(context), static_cast<SourceKind>(kind), index);
}
FoveaAttnSourceKind foveaAttnSourceAttrGetKind(MlirAttribute attribute) {
  return static_cast<FoveaAttnSourceKind>(cast<SourceAttr>(unwrap(attribute)).getKind());
}
int64_t foveaAttnSourceAttrGetIndex(MlirAttribute attribute) { return cast<SourceAttr>(unwrap(attribute)).getIndex(); }

static VariantAttr getVariant(MlirAttribute attribute) { return cast<VariantAttr>(unwrap(attribute)); }

bool foveaAttributeIsAAttnVariant(MlirAttribute attribute) { return isa<VariantAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnVariantAttrGet(MlirContext context, MlirStringRef name, MlirIntegerSet when,
                                      MlirAttribute kernels, MlirAttribute temporaries) {
  MLIRContext *ctx = unwrap(context);
  IntegerSetAttr condition = when.ptr ? IntegerSetAttr::get(unwrap(when)) : IntegerSetAttr();
  return getChecked<VariantAttr>(ctx, StringAttr::get(ctx, unwrap(name)), condition, cast<ArrayAttr>(unwrap(kernels)),
                                 cast_or_null<ArrayAttr>(unwrap(temporaries)));
}
MlirStringRef foveaAttnVariantAttrGetName(MlirAttribute attribute) {
  return wrap(getVariant(attribute).getName().getValue());
}
MlirIntegerSet foveaAttnVariantAttrGetWhen(MlirAttribute attribute) {
  IntegerSetAttr when = getVariant(attribute).getWhen();
  return wrap(when ? when.getValue() : IntegerSet());
}
MlirAttribute foveaAttnVariantAttrGetKernels(MlirAttribute attribute) {
  return wrap(Attribute(getVariant(attribute).getKernels()));
}
MlirAttribute foveaAttnVariantAttrGetTemporaries(MlirAttribute attribute) {
  return wrap(Attribute(getVariant(attribute).getTemporaries()));
}

bool foveaAttributeIsAAttnTemporary(MlirAttribute attribute) { return isa<TemporaryAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnTemporaryAttrGet(MlirType elementType, MlirAffineMap dims) {
  Type type = unwrap(elementType);
  return getChecked<TemporaryAttr>(type.getContext(), type, AffineMapAttr::get(unwrap(dims)));
}
MlirType foveaAttnTemporaryAttrGetElementType(MlirAttribute attribute) {
  return wrap(cast<TemporaryAttr>(unwrap(attribute)).getElementType());
}
MlirAffineMap foveaAttnTemporaryAttrGetDims(MlirAttribute attribute) {
  return wrap(cast<TemporaryAttr>(unwrap(attribute)).getDims().getValue());
}

static TensorMapAttr getTensorMap(MlirAttribute attribute) { return cast<TensorMapAttr>(unwrap(attribute)); }

bool foveaAttributeIsAAttnTensorMap(MlirAttribute attribute) { return isa<TensorMapAttr>(unwrap(attribute)); }
MlirAttribute foveaAttnTensorMapAttrGet(MlirContext context, int64_t argument, int64_t rows, int64_t cols,
                                        int64_t rowDim) {
  return getChecked<TensorMapAttr>(unwrap(context), argument, rows, cols, rowDim);
}
int64_t foveaAttnTensorMapAttrGetArgument(MlirAttribute attribute) { return getTensorMap(attribute).getArgument(); }
int64_t foveaAttnTensorMapAttrGetRows(MlirAttribute attribute) { return getTensorMap(attribute).getRows(); }
int64_t foveaAttnTensorMapAttrGetCols(MlirAttribute attribute) { return getTensorMap(attribute).getCols(); }
int64_t foveaAttnTensorMapAttrGetRowDim(MlirAttribute attribute) { return getTensorMap(attribute).getRowDim(); }
