/*===- Registration.h - Version and registration -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_C_REGISTRATION_H
#define FOVEA_C_REGISTRATION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this API, raised when a declaration changes its meaning; see foveaGetApiVersion(). */
#define FOVEA_C_API_VERSION 1

/** FOVEA_C_API_VERSION of the library that is linked. */
MLIR_CAPI_EXPORTED int foveaGetApiVersion(void);
/** Fovea's version, as `0.1.0`. */
MLIR_CAPI_EXPORTED MlirStringRef foveaGetVersion(void);

/** Adds Fovea's dialects and targets, and what the pipelines need of upstream's. A context made from the registry can
 *  compile; one whose dialects were loaded by the handles of fovea-c/Dialect alone has no targets. */
MLIR_CAPI_EXPORTED void foveaRegisterAllDialects(MlirDialectRegistry registry);
/** Makes Fovea's passes and pipelines known to mlirParsePassPipeline; once in a process. */
MLIR_CAPI_EXPORTED void foveaRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* FOVEA_C_REGISTRATION_H */
