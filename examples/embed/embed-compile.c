/*===- embed-compile.c - Compiles a file by the C API ------------*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: embed-compile IN.mlir OUT.fovea                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "fovea-c/Compile.h"
#include "fovea-c/Registration.h"

#include <stdio.h>
#include <stdlib.h>

static void writeBytes(MlirStringRef bytes, void *file) { fwrite(bytes.data, 1, bytes.length, file); }

static char *readFile(const char *path) {
  enum { SIZE = 1 << 16 };
  FILE *file = fopen(path, "rb");
  char *text = calloc(SIZE, 1);
  size_t count = file && text ? fread(text, 1, SIZE - 1, file) : 0;
  if (file)
    fclose(file);
  if (count)
    return text;
  fprintf(stderr, "embed-compile: cannot read %s\n", path);
  free(text);
  return NULL;
}

/* Diagnostics of the context go to standard error where no handler is attached. */
static int compile(MlirContext context, const char *text, const char *path) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  if (mlirModuleIsNull(module))
    return 1;
  FILE *file = fopen(path, "wb");
  if (!file) {
    fprintf(stderr, "embed-compile: cannot write %s\n", path);
    mlirModuleDestroy(module);
    return 1;
  }
  FoveaCompileOptions options = foveaCompileOptionsCreate();
  MlirLogicalResult result = foveaCompileToArtifact(module, options, writeBytes, file);
  foveaCompileOptionsDestroy(options);
  mlirModuleDestroy(module);
  return fclose(file) || mlirLogicalResultIsFailure(result);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: embed-compile IN.mlir OUT.fovea\n");
    return 1;
  }
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  foveaRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  char *text = readFile(argv[1]);
  int status = text ? compile(context, text, argv[2]) : 1;
  free(text);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return status;
}
