// Prefix-LM: causal, but all of a sequence's prefix is seen by every query. Prefix lengths are read when the kernel runs.
!qkv = tensor<?x?x?x64xbf16>

func.func @prefix_lm(%q: !qkv, %k: !qkv, %v: !qkv, %prefix: tensor<?xi32>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv)
      mask_mod(%b, %h, %i, %j) {
        %n32 = tensor.extract %prefix[%b] : tensor<?xi32>
        %n = arith.index_cast %n32 : i32 to index
        %inside = arith.cmpi slt, %j, %n : index
        %behind = arith.cmpi sle, %j, %i : index
        %keep = arith.ori %inside, %behind : i1
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
