/*===- kernel.c - A hand-written kernel for the runtime's tests ------------===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Attention of f32 tensors of rank 4 under the parameter convention of the   *|
|* artifact, one task for each batch entry and query head.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  float *data;
  const int64_t *sizes, *strides;
} tensor;

static tensor read_tensor(const uint64_t **words, int rank) {
  tensor t = {(float *)(uintptr_t)(*words)[1] + (int64_t)(*words)[2], (const int64_t *)*words + 3,
              (const int64_t *)*words + 3 + rank};
  *words += 3 + 2 * rank;
  return t;
}

static float *at(const tensor *t, int64_t b, int64_t h, int64_t i, int64_t d) {
  return t->data + b * t->strides[0] + h * t->strides[1] + i * t->strides[2] + d * t->strides[3];
}

static double read_scale(const uint64_t *words) {
  float scale;
  memcpy(&scale, words, sizeof scale);
  return scale;
}

typedef struct {
  double largest, sum, smax;
} row;

static double score(const tensor *q, const tensor *k, int64_t b, int64_t h, int64_t i, int64_t j, double scale) {
  double sum = 0;
  for (int64_t d = 0; d < q->sizes[3]; ++d)
    sum += (double)*at(q, b, h, i, d) * *at(k, b, h, j, d);
  return scale * sum;
}

static row make_row(const tensor *q, const tensor *k, int64_t b, int64_t h, int64_t i, double scale) {
  row r = {-INFINITY, 0, 0};
  for (int64_t j = 0; j < k->sizes[2]; ++j) {
    double s = score(q, k, b, h, i, j, scale);
    r.largest = fmax(r.largest, s);
    r.smax = fmax(r.smax, fabs(s));
  }
  for (int64_t j = 0; j < k->sizes[2]; ++j)
    r.sum += exp(score(q, k, b, h, i, j, scale) - r.largest);
  return r;
}

/* Parameters: q, k, v, o, lse, scale. `scratch` holds one row of O. */
void attention(const uint64_t *words, int64_t begin, int64_t end, void *scratch) {
  tensor q = read_tensor(&words, 4), k = read_tensor(&words, 4), v = read_tensor(&words, 4), o = read_tensor(&words, 4),
         lse = read_tensor(&words, 3);
  double scale = read_scale(words), *out = scratch;
  for (int64_t task = begin; task < end; ++task) {
    int64_t b = task / q.sizes[1], h = task % q.sizes[1];
    for (int64_t i = 0; i < q.sizes[2]; ++i) {
      row r = make_row(&q, &k, b, h, i, scale);
      memset(out, 0, sizeof(double) * v.sizes[3]);
      for (int64_t j = 0; j < k.sizes[2]; ++j) {
        double p = exp(score(&q, &k, b, h, i, j, scale) - r.largest) / r.sum;
        for (int64_t d = 0; d < v.sizes[3]; ++d)
          out[d] += p * *at(&v, b, h, j, d);
      }
      for (int64_t d = 0; d < v.sizes[3]; ++d)
        *at(&o, b, h, i, d) = (float)out[d];
      lse.data[b * lse.strides[0] + h * lse.strides[1] + i * lse.strides[2]] =
          r.sum > 0 ? (float)(r.largest + log(r.sum)) : -INFINITY;
    }
  }
}

/* As `attention`, but wrong in one element. */
void attention_wrong(const uint64_t *words, int64_t begin, int64_t end, void *scratch) {
  attention(words, begin, end, scratch);
  words += 33;
  tensor o = read_tensor(&words, 4);
  if (begin == 0)
    *at(&o, 0, 0, 0, 0) += 0.5f;
}

/* Parameters: q, k, v, scale, then contiguous f64 O, LSE, A, smax and rounded O. */
void reference(const uint64_t *words, int64_t begin, int64_t end, void *scratch) {
  tensor q = read_tensor(&words, 4), k = read_tensor(&words, 4), v = read_tensor(&words, 4);
  double scale = read_scale(words++);
  double *outputs[5];
  const int ranks[5] = {4, 3, 4, 3, 4};
  for (int n = 0; n < 5; ++n)
    outputs[n] = (double *)read_tensor(&words, ranks[n]).data;
  (void)scratch;
  for (int64_t task = begin; task < end; ++task) {
    int64_t b = task / q.sizes[1], h = task % q.sizes[1];
    for (int64_t i = 0; i < q.sizes[2]; ++i) {
      row r = make_row(&q, &k, b, h, i, scale);
      int64_t line = task * q.sizes[2] + i, depth = v.sizes[3];
      double *o = outputs[0] + line * depth, *a = outputs[2] + line * depth, *rounded = outputs[4] + line * depth;
      for (int64_t d = 0; d < depth; ++d)
        o[d] = a[d] = 0;
      for (int64_t j = 0; j < k.sizes[2]; ++j) {
        double p = exp(score(&q, &k, b, h, i, j, scale) - r.largest) / r.sum;
        for (int64_t d = 0; d < depth; ++d) {
          o[d] += p * *at(&v, b, h, j, d);
          a[d] += p * fabs(*at(&v, b, h, j, d));
        }
      }
      for (int64_t d = 0; d < depth; ++d)
        rounded[d] = (float)o[d];
      outputs[1][line] = r.sum > 0 ? r.largest + log(r.sum) : -INFINITY;
      outputs[3][line] = r.smax;
    }
  }
}
