//===- FakeControl.h - The fake driver as a test sees it -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_TEST_FAKECONTROL_H
#define FOVEA_RUNTIME_TEST_FAKECONTROL_H

#include "FakeCuda.h"

#include <cstring>
#include <dlfcn.h>

namespace fovea::test {

template <typename F> F *getControl(const char *name) {
  static void *library = dlopen(FOVEA_FAKE_CUDA, RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, name));
}

inline FakeState &fake() { return *getControl<FakeState *()>("fake_state")(); }

inline void setContext(void *context) { getControl<int(void *)>("cuCtxSetCurrent")(context); }

/// Makes a new context on a device current.
inline void *useContext(int device) {
  void *context = getControl<void *(int)>("fake_context")(device);
  setContext(context);
  return context;
}

/// Makes the next call of a function fail.
inline void failNext(const char *function, int result) {
  std::strcpy(fake().failing, function);
  fake().result = result;
}

} // namespace fovea::test

#endif // FOVEA_RUNTIME_TEST_FAKECONTROL_H
