// REQUIRES: x86
// RUN: split-file %s %t
// RUN: not fovea-cpu-emit %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not fovea-cpu-emit %t/frame.mlir 2>&1 | FileCheck %s --check-prefix=FRAME
// RUN: not fovea-cpu-emit %t/call.mlir --mcpu=x86-64-v33 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not fovea-cpu-emit %t/call.mlir --mcpu=pentium4 2>&1 | FileCheck %s --check-prefix=CPU32

// CALL: call.mlir:1:1: error: kernels call 'expf', which CPU code must not depend on
// FRAME: frame.mlir:2:1: error: {{.*}}stack frame size{{.*}}in function 'large'; a launch runs on a stack of 64 KiB, use smaller tiles
// CPU: error: unknown CPU 'x86-64-v33' for x86_64-{{.*}}; the nearest of {{.*}} known names is 'x86-64-v3' (--mcpu=help lists them, --mcpu=host is this machine)
// CPU32: error: unknown CPU 'pentium4'

//--- call.mlir
llvm.func @expf(f32) -> f32
llvm.func @f(%x: f32) -> f32 {
  %y = llvm.call @expf(%x) : (f32) -> f32
  llvm.return %y : f32
}

//--- frame.mlir
llvm.func @use(!llvm.ptr)
llvm.func @large() {
  %n = llvm.mlir.constant(40000 : i64) : i64
  %p = llvm.alloca %n x i8 : (i64) -> !llvm.ptr
  llvm.call @use(%p) : (!llvm.ptr) -> ()
  llvm.return
}
