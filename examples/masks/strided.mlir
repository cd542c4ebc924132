// Strided sparse, as in the Sparse Transformer: causal, the last 64 keys and of those before the last 8 of every 64.
!qkv = tensor<?x?x?x64xbf16>

func.func @strided(%q: !qkv, %k: !qkv, %v: !qkv) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %stride = arith.constant 64 : index
  %summary = arith.constant 56 : index
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      mask_mod(%b, %h, %i, %j) {
        %end = arith.addi %j, %stride : index
        %near = arith.cmpi sgt, %end, %i : index
        %rest = arith.remui %j, %stride : index
        %summarises = arith.cmpi uge, %rest, %summary : index
        %keep = arith.ori %near, %summarises : i1
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
