func.func @f(%q: memref<2x4x5x64xf32, strided<[?, ?, ?, ?], offset: ?>>, %k: memref<2x2x7x64xf32, strided<[?, ?, ?, ?], offset: ?>>, %v: memref<2x2x7x64xf32, strided<[?, ?, ?, ?], offset: ?>>, %offset: memref<2xi64, strided<[?], offset: ?>>, %b0: index, %h0: index, %i0: index, %j0: index, %table: memref<32xf32, strided<[?], offset: ?>>, %out: memref<2x4x5x64xf32, strided<[?, ?, ?, ?], offset: ?>>, %lse: memref<2x4x5xf32, strided<[?, ?, ?], offset: ?>>) {
  attn.attention
    ins(%q, %k, %v : memref<2x4x5x64xf32, strided<[?, ?, ?, ?], offset: ?>>, memref<2x2x7x64xf32, strided<[?, ?, ?, ?], offset: ?>>, memref<2x2x7x64xf32, strided<[?, ?, ?, ?], offset: ?>>)
    scale(1.250000e-01)
    window(3, 5, %offset : memref<2xi64, strided<[?], offset: ?>>)
    base(%b0, %h0, %i0, %j0)
    score_mod(%s, %b, %h, %i, %j) {
      %c31 = arith.constant 31 : index
      %c0r = arith.constant 0 : index
      %n = arith.subi %i, %j : index
      %n0 = arith.maxsi %n, %c0r : index
      %n1 = arith.minsi %n0, %c31 : index
      %e = memref.load %table[%n1] : memref<32xf32, strided<[?], offset: ?>>
      %y = arith.addf %s, %e : f32
      attn.yield %y : f32
    }
    outs(%out, %lse : memref<2x4x5x64xf32, strided<[?, ?, ?, ?], offset: ?>>, memref<2x4x5xf32, strided<[?, ?, ?], offset: ?>>) {allow_tf32}
  return
}
