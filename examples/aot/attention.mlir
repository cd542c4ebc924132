// Causal attention in f32 of any batch size, head count and length, with a scale at run time, for C and C++ programs.
!t = tensor<?x?x?x16xf32>

func.func @causal(%q: !t, %k: !t, %v: !t, %scale: f32) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !t
  %heads = tensor.dim %q, %c1 : !t
  %length = tensor.dim %q, %c2 : !t
  %init = tensor.empty(%batch, %heads, %length) : !t
  %o = attn.attention ins(%q, %k, %v : !t, !t, !t) scale(%scale) causal(top_left) outs(%init : !t)
  return %o : !t
}

// A step of decoding in place: one query and the KV cache with its lengths.
func.func @decode(%q: memref<1x8x1x16xf32>, %k: memref<1x2x?x16xf32>, %v: memref<1x2x?x16xf32>, %n: memref<1xi32>,
                  %o: memref<1x8x1x16xf32>) {
  attn.attention ins(%q, %k, %v : memref<1x8x1x16xf32>, memref<1x2x?x16xf32>, memref<1x2x?x16xf32>)
    kv_lengths(%n : memref<1xi32>) outs(%o : memref<1x8x1x16xf32>)
  return
}
