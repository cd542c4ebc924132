//===- Embedded.cpp - Artifacts inside a program -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "fovea/runtime.h"

namespace {

/// The artifact, loaded by the first of the threads that ask for it.
fovea_status load(fovea_embedded *embedded, fovea_artifact **artifact) {
  using namespace fovea::runtime;
  if (!embedded)
    return failNull("the embedded artifact");
  if (embedded->api_version != FOVEA_API_VERSION)
    return fail(FOVEA_UNSUPPORTED_VERSION, "the program was compiled for version %d of the API, this is version %d",
                embedded->api_version, FOVEA_API_VERSION);
  void *loaded = __atomic_load_n(&embedded->state, __ATOMIC_ACQUIRE);
  if (!loaded) {
    fovea_artifact *mine;
    FOVEA_TRY(fovea_artifact_load_memory(embedded->bytes, embedded->size, FOVEA_PIN, &mine));
    if (__atomic_compare_exchange_n(&embedded->state, &loaded, mine, /*weak=*/false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      loaded = mine;
    else
      fovea_artifact_destroy(mine);
  }
  *artifact = static_cast<fovea_artifact *>(loaded);
  return FOVEA_OK;
}

const fovea_device kDefaultDevice = {};

} // namespace

extern "C" {

fovea_status fovea_embedded_find(fovea_embedded *embedded, const char *name, const fovea_function **function) {
  fovea_artifact *artifact;
  FOVEA_TRY(load(embedded, &artifact));
  return fovea_artifact_find(artifact, name, function);
}

fovea_status fovea_embedded_workspace_size(fovea_embedded *embedded, const char *name, const fovea_device *device,
                                           const fovea_value *arguments, int32_t argument_count, uint64_t *bytes) {
  const fovea_function *function;
  FOVEA_TRY(fovea_embedded_find(embedded, name, &function));
  return fovea_workspace_size(function, device ? device : &kDefaultDevice, arguments, argument_count, bytes);
}

fovea_status fovea_embedded_launch(fovea_embedded *embedded, const char *name, const fovea_device *device,
                                   const fovea_value *arguments, int32_t argument_count, const fovea_value *results,
                                   int32_t result_count, void *workspace, uint64_t workspace_bytes) {
  const fovea_function *function;
  FOVEA_TRY(fovea_embedded_find(embedded, name, &function));
  return fovea_launch(function, device ? device : &kDefaultDevice, arguments, argument_count, results, result_count,
                      workspace, workspace_bytes);
}
}
