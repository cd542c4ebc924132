/*===- runtime.h - Loads and launches compiled attention ----------*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The C API of the runtime. It links neither LLVM nor CUDA: libcuda is       *|
|* opened when a CUDA launch is first asked for.                              *|
|*                                                                            *|
|* Rules for every function:                                                  *|
|* - Thread-safe, but for destroying an object that another thread uses.      *|
|* - A call that returns a status returns FOVEA_OK or leaves a message of the *|
|*   calling thread in fovea_last_error(). Nothing is launched on an error.   *|
|* - Sizes and strides are in elements, sizes of memory in bytes.             *|
|* - Pointers that a query returns live as long as the artifact.              *|
|*                                                                            *|
|* An artifact holds native code: load only what you would execute.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_RUNTIME_H
#define FOVEA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FOVEA_API __attribute__((visibility("default")))
#else
#define FOVEA_API
#endif

/** Version of this API, raised when a declaration changes its meaning; see fovea_api_version(). */
#define FOVEA_API_VERSION 2
/** The only artifact version that this runtime reads; every other one is refused by name. */
#define FOVEA_ABI_VERSION 3
/** Largest rank of a tensor. */
#define FOVEA_MAX_RANK 8
/** Alignment in bytes of the workspace of a launch. */
#define FOVEA_WORKSPACE_ALIGNMENT 128

typedef enum fovea_status {
  FOVEA_OK = 0,
  FOVEA_INVALID_ARGUMENT = 1,    /**< an argument of the call is wrong: type, shape, stride, pointer, count */
  FOVEA_INVALID_ARTIFACT = 2,    /**< the bytes are no artifact, or one that contradicts itself */
  FOVEA_UNSUPPORTED_VERSION = 3, /**< an artifact of another ABI version */
  FOVEA_NOT_FOUND = 4,           /**< no function, implementation, symbol or file of that name */
  FOVEA_UNSUPPORTED = 5,         /**< this machine cannot run it: CPU features, device, driver version, grid */
  FOVEA_OUT_OF_MEMORY = 6,       /**< host or device memory is exhausted, or the workspace is too small */
  FOVEA_IO = 7,                  /**< a file cannot be read or written */
  FOVEA_DRIVER = 8,              /**< the CUDA driver reported an error; the message has its name and text */
  FOVEA_OVERFLOW = 9             /**< a size or an expression does not fit in 64 bits */
} fovea_status;

/** Element types; the numbers are those of the artifact. */
typedef enum fovea_type {
  FOVEA_F32 = 0,
  FOVEA_F16 = 1,
  FOVEA_BF16 = 2,
  FOVEA_F64 = 3,
  FOVEA_F8E4M3FN = 4,
  FOVEA_F8E5M2 = 5,
  FOVEA_I1 = 6, /**< one byte an element, 0 or 1 */
  FOVEA_I8 = 7,
  FOVEA_I16 = 8,
  FOVEA_I32 = 9,
  FOVEA_I64 = 10,
  FOVEA_INDEX = 11,                /**< 64 bits */
  FOVEA_TYPE_MAX_ENUM = 0x7fffffff /**< makes every int a value that can be given, and refused */
} fovea_type;

typedef enum fovea_backend { FOVEA_CPU = 0, FOVEA_CUDA = 1, FOVEA_BACKEND_MAX_ENUM = 0x7fffffff } fovea_backend;

typedef struct fovea_artifact fovea_artifact;
typedef struct fovea_function fovea_function;

/** FOVEA_API_VERSION of the library that is linked. */
FOVEA_API int32_t fovea_api_version(void);
/** Message of the last call of this thread that returned a status other than FOVEA_OK; never null. */
FOVEA_API const char *fovea_last_error(void);
/** Name of a status, as `invalid argument`. */
FOVEA_API const char *fovea_status_name(fovea_status status);
/** Name of a type as in MLIR (`bf16`), or `?`. */
FOVEA_API const char *fovea_type_name(fovea_type type);
/** Size of an element in bytes, or 0 for no type. */
FOVEA_API size_t fovea_type_size(fovea_type type);

/*===-- Artifacts ---------------------------------------------------------===*/

/** Flags of fovea_artifact_load_memory. Without FOVEA_PIN the bytes are copied; with it they are used in place, and
   must then stay unchanged and be aligned to 8 bytes until the artifact is destroyed. */
enum { FOVEA_COPY = 0, FOVEA_PIN = 1 };

/** Reads and verifies an artifact. `*artifact` is null after an error. Loads no code: see fovea_prepare. */
FOVEA_API fovea_status fovea_artifact_load_file(const char *path, fovea_artifact **artifact);
FOVEA_API fovea_status fovea_artifact_load_memory(const void *bytes, size_t size, uint32_t flags,
                                                  fovea_artifact **artifact);
/** Unloads the code and frees the artifact; null is allowed. No launch may be in flight, and the CUDA contexts in which
   it was prepared must still live. */
FOVEA_API void fovea_artifact_destroy(fovea_artifact *artifact);

/** Name and version of the compiler that wrote the artifact. */
FOVEA_API const char *fovea_artifact_producer(const fovea_artifact *artifact);
FOVEA_API int32_t fovea_artifact_function_count(const fovea_artifact *artifact);
/** The function of an index below the count, or null. */
FOVEA_API const fovea_function *fovea_artifact_function(const fovea_artifact *artifact, int32_t index);
/** Finds a function by name; the message of FOVEA_NOT_FOUND lists the names there are. */
FOVEA_API fovea_status fovea_artifact_find(const fovea_artifact *artifact, const char *name,
                                           const fovea_function **function);

/*===-- Functions ---------------------------------------------------------===*/

/** An argument or result as the artifact declares it. `dims[i]` is -1 where the size is known at launch only. */
typedef struct fovea_value_info {
  const char *name; /**< may be empty */
  fovea_type type;
  int32_t rank; /**< -1: a scalar */
  int64_t dims[FOVEA_MAX_RANK];
  int32_t written; /**< an argument that the launch writes */
  /** Where dims[i] is -1: the first argument and dimension that must have the same size, or -1 where it is this one. */
  int32_t same_argument[FOVEA_MAX_RANK], same_dim[FOVEA_MAX_RANK];
} fovea_value_info;

/** One target's code for a function. */
typedef struct fovea_implementation_info {
  const char *backend;  /**< `cpu`, `nvptx` */
  const char *arch;     /**< `x86-64-v3`, `sm_80` */
  const char *features; /**< CPU features that the code needs, as `+avx2,+fma` */
  const char *kind;     /**< `shared object`, `ptx`, `cubin` */
  int32_t ptx_version;  /**< times ten, 0 where it does not apply */
  const void *code;     /**< all of it; code for CUDA is loaded in parts, see fovea_kernel_info */
  size_t code_size;
} fovea_implementation_info;

/** A kernel of an implementation, and where its code lies. */
typedef struct fovea_kernel_info {
  const char *symbol;
  const char *step, *variant; /**< that run it */
  /** What is loaded for it: a CUDA module, PTX with a closing zero or a cubin; for the CPU all code. Kernels of one
      variant or of several may have the same. */
  const void *code;
  size_t code_size;
} fovea_kernel_info;

/** Queries of a function. Indices count from 0; one out of range is FOVEA_INVALID_ARGUMENT, and what an implementation
    that does not exist has counts as 0. A step runs one attention or combine op of the function by one of its
    variants. */
FOVEA_API const char *fovea_function_name(const fovea_function *function);
FOVEA_API int32_t fovea_function_argument_count(const fovea_function *function);
FOVEA_API int32_t fovea_function_result_count(const fovea_function *function);
FOVEA_API int32_t fovea_function_implementation_count(const fovea_function *function);
FOVEA_API int32_t fovea_function_step_count(const fovea_function *function, int32_t implementation);
FOVEA_API fovea_status fovea_function_argument(const fovea_function *function, int32_t index, fovea_value_info *info);
FOVEA_API fovea_status fovea_function_result(const fovea_function *function, int32_t index, fovea_value_info *info);
FOVEA_API fovea_status fovea_function_implementation(const fovea_function *function, int32_t index,
                                                     fovea_implementation_info *info);
FOVEA_API int32_t fovea_function_kernel_count(const fovea_function *function, int32_t implementation);
FOVEA_API fovea_status fovea_function_kernel(const fovea_function *function, int32_t implementation, int32_t index,
                                             fovea_kernel_info *info);

/*===-- Values ------------------------------------------------------------===*/

/** An argument or result of a launch. Zero all of it first; later versions add fields at the end. */
typedef struct fovea_value {
  fovea_type type;
  int32_t rank; /**< -1: a scalar, whose bits are `scalar` */
  /** Address of element [0, ..., 0] on the device of the launch, aligned to the element size; null only where the
      tensor has no element, or in a query. */
  void *data;
  const int64_t *sizes; /**< `rank` sizes, at least 0 */
  /** `rank` strides in elements, any sign, 0 broadcasts an input; null: contiguous, last dimension innermost. */
  const int64_t *strides;
  /** The bits of a scalar in the low bytes. */
  uint64_t scalar;
  /** The memory that holds the tensor. Where `buffer_bytes` is not 0, every element must lie inside it. */
  const void *buffer;
  uint64_t buffer_bytes;
} fovea_value;

/** Scalars. `fovea_integer` serves every integer type, i1 and index. */
FOVEA_API fovea_value fovea_float(float value);
FOVEA_API fovea_value fovea_double(double value);
FOVEA_API fovea_value fovea_integer(fovea_type type, int64_t value);
/** A tensor without a known buffer. */
FOVEA_API fovea_value fovea_tensor(fovea_type type, void *data, int32_t rank, const int64_t *sizes,
                                   const int64_t *strides);

/*===-- Devices -----------------------------------------------------------===*/

/** Work of one worker of a CPU launch. */
typedef void (*fovea_worker)(void *closure, int32_t worker);
/** A caller's parallel-for: calls `body(closure, i)` exactly once for each i in [0, workers), on any threads (a stack
   of 64 KiB is enough), in any order, at once or one after the other, and returns when all have returned. */
typedef void (*fovea_parallel_for)(void *context, int32_t workers, fovea_worker body, void *closure);

/** Where a launch runs. Zero all of it first: that is the CPU with the default pool. */
typedef struct fovea_device {
  fovea_backend backend;
  /** Runs the implementation of this architecture; null: the best that the device runs. */
  const char *arch;
  /** CPU: number of workers, 0: fovea_default_threads(). */
  int32_t threads;
  /** CPU: null: the default pool (OpenMP). */
  fovea_parallel_for parallel_for;
  void *parallel_context;
  /** CUDA: the CUstream, null: the default stream of the current context. */
  void *stream;
} fovea_device;

/** Workers of the default pool: OMP_NUM_THREADS, or the processors of this process. */
FOVEA_API int32_t fovea_default_threads(void);

/*===-- Launch ------------------------------------------------------------===*/

/** Sizes of result `result` for arguments of these shapes: `sizes` takes as many as its rank. Data pointers are
 * ignored. */
FOVEA_API fovea_status fovea_result_sizes(const fovea_function *function, const fovea_value *arguments,
                                          int32_t argument_count, int32_t result, int64_t *sizes);

/** Bytes of workspace that a launch with arguments of these shapes needs at most, whatever their addresses. */
FOVEA_API fovea_status fovea_workspace_size(const fovea_function *function, const fovea_device *device,
                                            const fovea_value *arguments, int32_t argument_count, uint64_t *bytes);

/** Loads all code for the device: for CUDA every kernel that some problem needs, into the current context, which takes
    the driver seconds where it has PTX to assemble. Later launches there load nothing, so that they allocate nothing.
 */
FOVEA_API fovea_status fovea_prepare(const fovea_function *function, const fovea_device *device);

/** As fovea_prepare, but loads those CUDA kernels only that a launch with these values runs, and launches nothing.
    Launches whose values choose the same variants load nothing then: fovea_select says which. */
FOVEA_API fovea_status fovea_prepare_launch(const fovea_function *function, const fovea_device *device,
                                            const fovea_value *arguments, int32_t argument_count,
                                            const fovea_value *results, int32_t result_count);

/** Runs the function. On the CPU it returns when the results are written; for CUDA it only enqueues on the stream, in
   the current context, without allocation or synchronisation. Kernels that were not prepared are loaded first, once in
   a context; this may take long, allocate and synchronise, but it may be done while a stream is captured. Before
   anything is launched it checks counts, types, ranks, sizes, strides, pointers and the alignment of elements; that no
   two elements of an output share an address; and that no output overlaps an input or another output. `results` are
   allocated by the caller, with any strides. `workspace` (on the device of the launch, aligned to
   FOVEA_WORKSPACE_ALIGNMENT) must not be used by another launch at the same time. */
FOVEA_API fovea_status fovea_launch(const fovea_function *function, const fovea_device *device,
                                    const fovea_value *arguments, int32_t argument_count, const fovea_value *results,
                                    int32_t result_count, void *workspace, uint64_t workspace_bytes);

/** What a launch with these values would run: the index of the implementation and, for `step` of it, the names of the
    step and of the chosen variant, and its floating-point operations (attended pairs times 2 * (Dqk + Dv)). */
typedef struct fovea_selection {
  int32_t implementation;
  const char *step;
  const char *variant;
  int64_t flops; /**< -1: unknown */
} fovea_selection;
FOVEA_API fovea_status fovea_select(const fovea_function *function, const fovea_device *device,
                                    const fovea_value *arguments, int32_t argument_count, const fovea_value *results,
                                    int32_t result_count, int32_t step, fovea_selection *selection);

/*===-- Artifacts inside a program ----------------------------------------===*/

/** An artifact that is part of the program, as `fovea-compile --emit=header,obj` makes it: static storage, which the
    first use loads and nothing unloads. */
typedef struct fovea_embedded {
  int32_t api_version; /**< FOVEA_API_VERSION that the program was compiled for */
  const void *bytes;   /**< aligned to 8 */
  uint64_t size;
  void *state; /**< the runtime's; null at first */
} fovea_embedded;

/** As fovea_artifact_find. */
FOVEA_API fovea_status fovea_embedded_find(fovea_embedded *embedded, const char *name, const fovea_function **function);
/** As fovea_workspace_size; a null device is the CPU with the default pool. */
FOVEA_API fovea_status fovea_embedded_workspace_size(fovea_embedded *embedded, const char *name,
                                                     const fovea_device *device, const fovea_value *arguments,
                                                     int32_t argument_count, uint64_t *bytes);
/** As fovea_launch; a null device is the CPU with the default pool. */
FOVEA_API fovea_status fovea_embedded_launch(fovea_embedded *embedded, const char *name, const fovea_device *device,
                                             const fovea_value *arguments, int32_t argument_count,
                                             const fovea_value *results, int32_t result_count, void *workspace,
                                             uint64_t workspace_bytes);

/** As fovea_embedded_launch, for a caller without workspace or stream of its own: takes a workspace for this call and
    returns when the results are written. Where this thread has no current CUDA context, the launch is in the primary
    one of the device that holds the arguments. */
FOVEA_API fovea_status fovea_embedded_run(fovea_embedded *embedded, const char *name, const fovea_device *device,
                                          const fovea_value *arguments, int32_t argument_count,
                                          const fovea_value *results, int32_t result_count);
/** What code calls that `attn-hand-over=via-runtime` made: fovea_embedded_run on arguments alone. After an error it
    prints the message and aborts, for the code around it cannot go on. */
FOVEA_API void fovea_embedded_run_or_abort(fovea_embedded *embedded, const char *name, const fovea_device *device,
                                           const fovea_value *arguments, int32_t argument_count);

/*===-- The judge ---------------------------------------------------------===*/

/** The float64 reference of a pair of outputs (`fovea-compile --with-reference`). */
typedef struct fovea_reference_info {
  int32_t in_arguments; /**< `output` and `lse` are written arguments, not results */
  int32_t output;
  int32_t lse;        /**< -1: none */
  int32_t kv_lengths; /**< argument with the lengths, -1: none */
  fovea_type p_type;  /**< type that P is rounded to before the second product */
  int32_t allow_tf32;
  int32_t allow_approx;
} fovea_reference_info;

/** Sizes that depend on the arguments of a launch. */
typedef struct fovea_reference_sizes {
  int32_t rank; /**< of the output */
  int64_t output[FOVEA_MAX_RANK];
  int64_t kv_length; /**< keys of the problem, -1: unknown */
  int64_t tasks;     /**< independent tasks of the reference */
  uint64_t workspace_bytes;
} fovea_reference_sizes;

/** Contiguous outputs of a reference: `o`, `a` (attention over |V|) and `rounded` (P and O rounded to their types) have
   the sizes of the output, `lse` and `smax` (largest kept |score|) those without the last. */
typedef struct fovea_reference_outputs {
  double *o, *lse, *a, *smax, *rounded;
} fovea_reference_outputs;

FOVEA_API int32_t fovea_function_reference_count(const fovea_function *function);
FOVEA_API fovea_status fovea_function_reference(const fovea_function *function, int32_t index,
                                                fovea_reference_info *info);
FOVEA_API fovea_status fovea_reference_size(const fovea_function *function, int32_t index, const fovea_device *device,
                                            const fovea_value *arguments, int32_t argument_count,
                                            fovea_reference_sizes *sizes);
/** Runs tasks [begin, end) of a reference on the CPU; outputs of other tasks stay as they are. All memory is host
 * memory. */
FOVEA_API fovea_status fovea_reference_run(const fovea_function *function, int32_t index, const fovea_device *device,
                                           const fovea_value *arguments, int32_t argument_count,
                                           const fovea_value *results, int32_t result_count, int64_t begin, int64_t end,
                                           const fovea_reference_outputs *outputs, void *workspace,
                                           uint64_t workspace_bytes);

#ifdef __cplusplus
}
#endif

#endif /* FOVEA_RUNTIME_H */
