// Packed documents, causal within each.
!qkv = tensor<?x?x?x64xbf16>

func.func @document_causal(%q: !qkv, %k: !qkv, %v: !qkv, %documents: tensor<?x?xi32>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      mask_mod(%b, %h, %i, %j) {
        %mine = tensor.extract %documents[%b, %i] : tensor<?x?xi32>
        %other = tensor.extract %documents[%b, %j] : tensor<?x?xi32>
        %keep = arith.cmpi eq, %mine, %other : i32
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
