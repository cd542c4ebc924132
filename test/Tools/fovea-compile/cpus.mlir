// REQUIRES: x86
// RUN: fovea-compile --mcpu=help | FileCheck %s --check-prefix=HELP
// RUN: not fovea-compile %s --mcpu=znver33 -o %t 2>&1 | FileCheck %s
// RUN: not fovea-compile %s --target=cpu:znver33 -o %t 2>&1 | FileCheck %s

// HELP: x86-64-v3
// HELP: znver3
// CHECK: error: unknown CPU 'znver33' for x86_64-{{.*}}; the nearest of {{[0-9]+}} known names is 'znver3' (--mcpu=help lists them, --mcpu=host is this machine)
func.func @f() {
  return
}
