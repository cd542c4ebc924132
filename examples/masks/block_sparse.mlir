// Blocks of 128 x 128 pairs that a table lists, one for all heads, as in BigBird: random, local and global blocks alike.
!qkv = tensor<?x?x?x64xbf16>

func.func @block_sparse(%q: !qkv, %k: !qkv, %v: !qkv, %table: tensor<?x?xi1>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %block = arith.constant 128 : index
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv)
      mask_mod(%b, %h, %i, %j) {
        %bi = arith.divui %i, %block : index
        %bj = arith.divui %j, %block : index
        %keep = tensor.extract %table[%bi, %bj] : tensor<?x?xi1>
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
