// Packed documents, causal within each, with ALiBi.
!qkv = tensor<?x?x?x64xbf16>

func.func @document_alibi(%q: !qkv, %k: !qkv, %v: !qkv, %documents: tensor<?x?xi32>, %slopes: tensor<?xf32>) -> !qkv {
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
      mask_mod(%b, %h, %i, %j) {
        %mine = tensor.extract %documents[%b, %i] : tensor<?x?xi32>
        %other = tensor.extract %documents[%b, %j] : tensor<?x?xi32>
        %keep = arith.cmpi eq, %mine, %other : i32
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
