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
#include <pthread.h>
#include <unistd.h>

typedef struct {
  int32_t workers;
  fovea_worker body;
  void *closure;
} region;

static void *run(void *argument) {
  const region *r = argument;
  /* Every worker must run even where fewer threads are to be had, as in a nested region. */
#pragma omp parallel for num_threads(r->workers) schedule(static, 1)
  for (int32_t i = 0; i < r->workers; ++i)
    r->body(r->closure, i);
  return NULL;
}

/* The process in which this thread got its pool. */
static _Thread_local pid_t owner = 0;

void fovea_pool_run(void *context, int32_t workers, fovea_worker body, void *closure) {
  (void)context;
  region r = {workers, body, closure};
  pid_t process = getpid();
  pthread_t fresh;
  if (!owner)
    owner = process;
  if (owner == process) {
    run(&r);
  } else if (pthread_create(&fresh, NULL, run, &r) == 0) {
    /* In a child of fork libgomp would wait for the threads of the parent's pool; a new thread has a pool of its own.
     */
    pthread_join(fresh, NULL);
  } else {
    for (int32_t i = 0; i < workers; ++i)
      body(closure, i);
  }
}

int32_t fovea_default_threads(void) { return omp_get_max_threads(); }
