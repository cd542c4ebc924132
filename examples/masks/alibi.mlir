// ALiBi: a penalty that grows with the distance, by a slope for each head.
!qkv = tensor<?x?x?x64xbf16>

func.func @alibi(%q: !qkv, %k: !qkv, %v: !qkv, %slopes: tensor<?xf32>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      score_mod(%s, %b, %h, %i, %j) {
        %slope = tensor.extract %slopes[%h] : tensor<?xf32>
        %distance = arith.subi %i, %j : index
        %d64 = arith.index_cast %distance : index to i64
        %d = arith.sitofp %d64 : i64 to f32
        %penalty = arith.mulf %slope, %d : f32
        %t = arith.subf %s, %penalty : f32
        attn.yield %t : f32
      }
      outs(%init : !qkv)
  return %o : !qkv
}
