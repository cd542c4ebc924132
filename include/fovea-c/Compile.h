/*===- Compile.h - From a module to an artifact or to code -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_C_COMPILE_H
#define FOVEA_C_COMPILE_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a compilation. Owned by the caller; strings that are set are copied. Values are checked when a module is
 * compiled: an invalid one, or one without effect, is one error. */
typedef struct FoveaCompileOptions {
  void *ptr;
} FoveaCompileOptions;

/** The defaults: the target `cpu`, no reference, no machine code of a GPU, optimisation level 3. */
MLIR_CAPI_EXPORTED FoveaCompileOptions foveaCompileOptionsCreate(void);
MLIR_CAPI_EXPORTED void foveaCompileOptionsDestroy(FoveaCompileOptions options);
/** Replaces the targets: `cpu`, `cpu:NAME` or a chip, in order of preference. */
MLIR_CAPI_EXPORTED void foveaCompileOptionsSetTargets(FoveaCompileOptions options, intptr_t count,
                                                      const MlirStringRef *targets);
/** Adds the float64 judge of every function, as code for the CPU named `target`. */
MLIR_CAPI_EXPORTED void foveaCompileOptionsSetReference(FoveaCompileOptions options, MlirStringRef target);
/** Adds machine code (a cubin) beside the PTX of a GPU; needs `ptxas`. */
MLIR_CAPI_EXPORTED void foveaCompileOptionsSetMachineCode(FoveaCompileOptions options, bool enable);
/** LLVM's optimisation level, 0 to 3. */
MLIR_CAPI_EXPORTED void foveaCompileOptionsSetOptLevel(FoveaCompileOptions options, int level);
/** PTX version times ten (83 is 8.3); 0: the lowest that the instructions need. */
MLIR_CAPI_EXPORTED void foveaCompileOptionsSetPtxVersion(FoveaCompileOptions options, int version);

/** An `#attn.strategy<...>` that runs every op where it can; empty: the target chooses. */
MLIR_CAPI_EXPORTED void foveaCompileOptionsSetStrategy(FoveaCompileOptions options, MlirStringRef strategy);
/** A file of tuned strategies in place of the targets' own, or `none` for rules alone; empty: their own. */
MLIR_CAPI_EXPORTED void foveaCompileOptionsSetTuning(FoveaCompileOptions options, MlirStringRef file);

/** Compiles the functions of a module, which is not changed, to the bytes of an artifact for fovea/runtime.h, and
 * passes them to `callback` in one call; they live until it returns. Errors are diagnostics of the context; the
 * callback is then not called. */
MLIR_CAPI_EXPORTED MlirLogicalResult foveaCompileToArtifact(MlirModule module, FoveaCompileOptions options,
                                                            MlirStringCallback callback, void *userData);

/** The kinds of code that foveaCompileToCode makes; the last two are those of GPUs, assembly and objects of CPUs. */
typedef enum FoveaCodeKind {
  FoveaCodeKindLLVMIR = 0,
  FoveaCodeKindAssembly = 1,
  FoveaCodeKindObject = 2,
  FoveaCodeKindSharedObject = 3,
  FoveaCodeKindPTX = 4,
  FoveaCodeKindCubin = 5
} FoveaCodeKind;

/** Compiles the kernels of a module for the one target of the options to one kind of code, without the launch contract
 *  of an artifact. `callback` and errors as with foveaCompileToArtifact. */
MLIR_CAPI_EXPORTED MlirLogicalResult foveaCompileToCode(MlirModule module, FoveaCompileOptions options,
                                                        FoveaCodeKind kind, MlirStringCallback callback,
                                                        void *userData);

/** Append the pipelines `attn-plan-pipeline` (canonicalisation, kernels of a target) and `attn-tile-pipeline` (kernels
 * as loops on tiles) to a pass manager of modules. */
MLIR_CAPI_EXPORTED void foveaBuildPlanPipeline(MlirOpPassManager passManager, MlirStringRef target);
MLIR_CAPI_EXPORTED void foveaBuildTilePipeline(MlirOpPassManager passManager);

#ifdef __cplusplus
}
#endif

#endif /* FOVEA_C_COMPILE_H */
