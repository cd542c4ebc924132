/*===- Pool.c - The default parallel-for -----------------------------------===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* C, so that GCC and its libgomp serve whatever compiler the C++ files use.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Pool.h"

#include <omp.h>

void fovea_pool_run(void *context, int32_t workers, fovea_worker body, void *closure) {
  (void)context;
  /* Every worker must run even where fewer threads are to be had, as in a nested region. */
#pragma omp parallel for num_threads(workers) schedule(static, 1)
  for (int32_t i = 0; i < workers; ++i)
    body(closure, i);
}

int32_t fovea_default_threads(void) { return omp_get_max_threads(); }
