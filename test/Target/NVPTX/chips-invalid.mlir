// RUN: not fovea-compile %s --target=sm_91 --emit=ptx 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not fovea-compile %s --target=sm_90a --ptx-version=7.8 --emit=ptx 2>&1 | FileCheck %s --check-prefix=LOW
// RUN: not fovea-compile %s --target=sm_80 --ptx-version=9.9 --emit=ptx 2>&1 | FileCheck %s --check-prefix=NEW

// UNKNOWN: error: unknown target 'sm_91'; known targets: {{.*}}sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a
// LOW: error: PTX version 7.8 is too low for sm_90a, which needs at least 8.0
// NEW: error: unknown PTX version 9.9; the newest known is 9.0

!t = tensor<?x?x?x64xbf16>
func.func @f(%q: !t, %k: !t, %v: !t, %init: !t) -> !t {
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) outs(%init : !t)
  return %o : !t
}
