/*===- Pool.h - The default parallel-for ----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_RUNTIME_POOL_H
#define FOVEA_RUNTIME_POOL_H

#include "fovea/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The fovea_parallel_for of OpenMP. */
void fovea_pool_run(void *context, int32_t workers, fovea_worker body, void *closure);

#ifdef __cplusplus
}
#endif

#endif /* FOVEA_RUNTIME_POOL_H */
