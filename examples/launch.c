/*===- launch.c - Runs an artifact from C ----------------------------------===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: launch FILE.fovea LENGTH                                            *|
|* Runs the first function on CPU threads: tensor arguments of f32 are filled *|
|* with ones, sizes that are not fixed are 2 and, in dimension 2, LENGTH;     *|
|* scalars are 0.5. Prints the first element of each result.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "fovea/runtime.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_VALUES = 16 };

/* Every call leaves its message in fovea_last_error(). */
static void require(fovea_status status) {
  if (status == FOVEA_OK)
    return;
  fprintf(stderr, "launch: %s\n", fovea_last_error());
  exit(1);
}

static float *allocate(const int64_t *sizes, int rank, float value) {
  size_t count = 1;
  for (int d = 0; d < rank; ++d)
    count *= (size_t)sizes[d];
  float *data = malloc(count * sizeof *data + 1);
  for (size_t i = 0; data && i < count; ++i)
    data[i] = value;
  return data;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: launch FILE.fovea LENGTH\n");
    return 1;
  }
  fovea_artifact *artifact;
  require(fovea_artifact_load_file(argv[1], &artifact));
  const fovea_function *function = fovea_artifact_function(artifact, 0);
  int32_t argument_count = fovea_function_argument_count(function),
          result_count = fovea_function_result_count(function);
  if (argument_count > MAX_VALUES || result_count > MAX_VALUES)
    return 1;

  fovea_value arguments[MAX_VALUES], results[MAX_VALUES];
  int64_t sizes[2 * MAX_VALUES][FOVEA_MAX_RANK];
  for (int32_t i = 0; i < argument_count; ++i) {
    fovea_value_info info;
    require(fovea_function_argument(function, i, &info));
    if (info.rank < 0) {
      arguments[i] = fovea_float(0.5f);
      continue;
    }
    for (int d = 0; d < info.rank; ++d)
      sizes[i][d] = info.dims[d] >= 0 ? info.dims[d] : d == 2 ? atoi(argv[2]) : 2;
    arguments[i] = fovea_tensor(info.type, allocate(sizes[i], info.rank, 1), info.rank, sizes[i], NULL);
  }

  /* The artifact knows the sizes of results and of the workspace. */
  for (int32_t i = 0; i < result_count; ++i) {
    int64_t *result_sizes = sizes[MAX_VALUES + i];
    fovea_value_info info;
    require(fovea_function_result(function, i, &info));
    require(fovea_result_sizes(function, arguments, argument_count, i, result_sizes));
    results[i] = fovea_tensor(info.type, allocate(result_sizes, info.rank, 0), info.rank, result_sizes, NULL);
  }
  fovea_device device = {0};
  uint64_t workspace_bytes;
  require(fovea_workspace_size(function, &device, arguments, argument_count, &workspace_bytes));
  void *workspace = aligned_alloc(FOVEA_WORKSPACE_ALIGNMENT, workspace_bytes + FOVEA_WORKSPACE_ALIGNMENT);

  require(
      fovea_launch(function, &device, arguments, argument_count, results, result_count, workspace, workspace_bytes));
  for (int32_t i = 0; i < result_count; ++i)
    printf("result %d: %g\n", i, *(float *)results[i].data);

  free(workspace);
  for (int32_t i = 0; i < argument_count; ++i)
    free(arguments[i].data);
  for (int32_t i = 0; i < result_count; ++i)
    free(results[i].data);
  fovea_artifact_destroy(artifact);
  return 0;
}
