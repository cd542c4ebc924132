/*===- main.c - Attention compiled ahead of time, from C -------------------===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* fovea-compile attention.mlir --emit=header,obj -o attention.o              *|
|* cc main.c attention.o -lfovea_runtime -lm && ./a.out                       *|
|* Compares `causal` with a plain loop.                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEADS = 2, LENGTH = 37, DEPTH = 16, COUNT = HEADS * LENGTH * DEPTH };

static float q[COUNT], k[COUNT], v[COUNT], o[COUNT];

static void require(fovea_status status) {
  if (status == FOVEA_OK)
    return;
  fprintf(stderr, "main: %s\n", fovea_last_error());
  exit(1);
}

/* Output element d of query i of a head, as the formula says. */
static double reference(int head, int i, int d, double scale) {
  const float *qs = q + head * LENGTH * DEPTH, *ks = k + head * LENGTH * DEPTH, *vs = v + head * LENGTH * DEPTH;
  double sum = 0, result = 0;
  for (int j = 0; j <= i; ++j) {
    double score = 0;
    for (int x = 0; x < DEPTH; ++x)
      score += (double)qs[i * DEPTH + x] * ks[j * DEPTH + x];
    double weight = exp(scale * score);
    sum += weight;
    result += weight * vs[j * DEPTH + d];
  }
  return result / sum;
}

int main(void) {
  for (int i = 0; i < COUNT; ++i) {
    q[i] = sinf(0.37f * i);
    k[i] = cosf(0.61f * i);
    v[i] = sinf(1.13f * i + 1);
  }
  const int64_t sizes[] = {1, HEADS, LENGTH, DEPTH};
  fovea_value values[] = {fovea_tensor(FOVEA_F32, q, 4, sizes, NULL), fovea_tensor(FOVEA_F32, k, 4, sizes, NULL),
                          fovea_tensor(FOVEA_F32, v, 4, sizes, NULL), fovea_tensor(FOVEA_F32, o, 4, sizes, NULL)};
  const float scale = 0.3f;
  fovea_device cpu = {0};
  cpu.threads = 2;
  uint64_t bytes;
  require(causal_workspace_size(&cpu, &values[0], &values[1], &values[2], scale, &bytes));
  void *workspace =
      aligned_alloc(FOVEA_WORKSPACE_ALIGNMENT, (bytes / FOVEA_WORKSPACE_ALIGNMENT + 1) * FOVEA_WORKSPACE_ALIGNMENT);
  require(causal(&cpu, &values[0], &values[1], &values[2], scale, &values[3], workspace, bytes));
  free(workspace);

  double worst = 0;
  for (int head = 0; head < HEADS; ++head)
    for (int i = 0; i < LENGTH; ++i)
      for (int d = 0; d < DEPTH; ++d)
        worst = fmax(worst, fabs(o[(head * LENGTH + i) * DEPTH + d] - reference(head, i, d, scale)));
  printf("causal: largest error %s 1e-5\n", worst < 1e-5 ? "below" : "above");

  /* What is wrong with an argument is said before anything runs. */
  values[1].rank = 3;
  if (causal(NULL, &values[0], &values[1], &values[2], scale, &values[3], NULL, 0) != FOVEA_OK)
    printf("refused: %s\n", fovea_last_error());
  return worst < 1e-5 ? 0 : 1;
}
