/* Embeds the runtime: loads an artifact and runs its function on the CPU.
 *
 * Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Usage: embed small_causal.fovea
 */
#include "fovea/runtime.h"

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the runtime's message. */
static void require(fovea_status status) {
  if (status == FOVEA_OK)
    return;
  fprintf(stderr, "embed: %s\n", fovea_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  fovea_artifact *artifact = NULL;
  require(fovea_artifact_load_file(argc > 1 ? argv[1] : "small_causal.fovea", &artifact));
  const fovea_function *function = NULL;
  require(fovea_artifact_find(artifact, "small_causal", &function));

  /* One batch, two heads, four positions; keys and queries 0, values by position: row i is the mean of 0 ... i. */
  int64_t sizes[4] = {1, 2, 4, 16};
  static float q[1 * 2 * 4 * 16], v[1 * 2 * 4 * 16], o[1 * 2 * 4 * 16];
  for (int i = 0; i < 1 * 2 * 4 * 16; ++i)
    v[i] = (float)(i / 16 % 4);

  /* Zero is the CPU with the default pool; for CUDA: backend = FOVEA_CUDA, stream = your CUstream, device pointers. */
  fovea_device device = {0};
  fovea_value arguments[3] = {fovea_tensor(FOVEA_F32, q, 4, sizes, NULL), fovea_tensor(FOVEA_F32, q, 4, sizes, NULL),
                              fovea_tensor(FOVEA_F32, v, 4, sizes, NULL)};
  fovea_value result = fovea_tensor(FOVEA_F32, o, 4, sizes, NULL);

  uint64_t bytes = 0;
  require(fovea_workspace_size(function, &device, arguments, 3, &bytes));
  void *workspace = bytes ? aligned_alloc(FOVEA_WORKSPACE_ALIGNMENT, (bytes + 127) / 128 * 128) : NULL;
  require(fovea_launch(function, &device, arguments, 3, &result, 1, workspace, bytes));
  for (int i = 0; i < 4; ++i)
    printf("row %d: %g\n", i, o[i * 16]);

  free(workspace);
  fovea_artifact_destroy(artifact);
  return 0;
}
