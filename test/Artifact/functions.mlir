// RUN: fovea-compile %s --with-reference -o %t.fovea 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: fovea-run %t.fovea --describe | FileCheck %s
// RUN: fovea-run %t.fovea --function=chain --random --dim=0.2=5 --dim=1.2=7 --dim=1.0=2
// RUN: fovea-run %t.fovea --function=buffers --random --dim=0.2=5 --dim=1.2=7 --check --guard | FileCheck %s --check-prefix=BUFFERS
// RUN: not fovea-run %t.fovea --function=chain --random --dim=0.2=5 --dim=1.2=7 --dim=1.0=3 2>&1 | FileCheck %s --check-prefix=BATCH

// Several functions share one artifact; a chain keeps its first result in a temporary.
// REMARK: remark: has no reference in the artifact: its result is read by another op of the function and is no result of it
// REMARK: remark: has no reference in the artifact: it reads a result of 'attn.attention', where the reference reads arguments of the function alone
// CHECK: function  chain
// CHECK: function  buffers
// BUFFERS: near
// BATCH: batch of key (dimension 0) and query: 3 and 2 differ

func.func @chain(%q: tensor<2x4x?x16xf32>, %k: tensor<?x2x?x16xf32>) -> tensor<2x4x?x16xf32> {
  %c2 = arith.constant 2 : index
  %s = tensor.dim %q, %c2 : tensor<2x4x?x16xf32>
  %e = tensor.empty(%s) : tensor<2x4x?x16xf32>
  %a = attn.attention ins(%q, %k, %k : tensor<2x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) outs(%e : tensor<2x4x?x16xf32>)
  %o = attn.attention ins(%a, %k, %k : tensor<2x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) outs(%e : tensor<2x4x?x16xf32>)
  return %o : tensor<2x4x?x16xf32>
}

func.func @buffers(%q: memref<2x4x?x16xf32>, %k: memref<2x2x?x16xf32>, %o: memref<2x4x?x16xf32>, %off: index) {
  attn.attention ins(%q, %k, %k : memref<2x4x?x16xf32>, memref<2x2x?x16xf32>, memref<2x2x?x16xf32>)
    causal(%off : index) outs(%o : memref<2x4x?x16xf32>)
  return
}
