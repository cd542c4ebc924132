// Local and global tokens, as in Longformer: 128 keys to each side, and the first 64 positions see and are
// seen by all.
!qkv = tensor<?x?x?x64xbf16>

func.func @local_global(%q: !qkv, %k: !qkv, %v: !qkv) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %reach = arith.constant 128 : index
  %globals = arith.constant 64 : index
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv)
      mask_mod(%b, %h, %i, %j) {
        %end = arith.addi %i, %reach : index
        %below = arith.cmpi sle, %j, %end : index
        %far = arith.addi %j, %reach : index
        %above = arith.cmpi sge, %far, %i : index
        %local = arith.andi %below, %above : i1
        %global_query = arith.cmpi slt, %i, %globals : index
        %global_key = arith.cmpi slt, %j, %globals : index
        %global = arith.ori %global_query, %global_key : i1
        %keep = arith.ori %local, %global : i1
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
