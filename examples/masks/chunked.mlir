// Chunked attention: causal within chunks of 128 positions.
!qkv = tensor<?x?x?x64xbf16>

func.func @chunked(%q: !qkv, %k: !qkv, %v: !qkv) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %chunk = arith.constant 128 : index
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      mask_mod(%b, %h, %i, %j) {
        %ci = arith.divui %i, %chunk : index
        %cj = arith.divui %j, %chunk : index
        %keep = arith.cmpi eq, %ci, %cj : index
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
