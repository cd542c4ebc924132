// ALiBi as a score region: slopes are a captured tensor, no Sq x Skv bias is ever made. Also returns the log-sum-exp.
!qkv = tensor<?x?x?x64xf16>
!lse = tensor<?x?x?xf32>

func.func @alibi(%q: !qkv, %k: !qkv, %v: !qkv, %slopes: tensor<?xf32>) -> (!qkv, !lse) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %lse_init = tensor.empty(%batch, %heads, %length) : !lse
  %o, %lse = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      score_mod(%s, %b, %h, %i, %j) {
        %slope = tensor.extract %slopes[%h] : tensor<?xf32>
        %distance = arith.subi %i, %j : index
        %d32 = arith.index_cast %distance : index to i32
        %d = arith.sitofp %d32 : i32 to f32
        %penalty = arith.mulf %slope, %d : f32
        %t = arith.subf %s, %penalty : f32
        attn.yield %t : f32
      }
      outs(%init, %lse_init : !qkv, !lse)
  return %o, %lse : !qkv, !lse
}
