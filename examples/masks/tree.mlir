// A tree of draft tokens for speculative decoding: the queries are its nodes and the last keys theirs. A node sees all
// keys before the tree, and its ancestors.
!qkv = tensor<?x?x?x64xbf16>

func.func @tree(%q: !qkv, %k: !qkv, %v: !qkv, %ancestors: tensor<?x?x?xi1>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %keys = tensor.dim %k, %c2 : !qkv
  %past = arith.subi %keys, %length : index
  %true = arith.constant true
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv)
      mask_mod(%b, %h, %i, %j) {
        %in_tree = arith.cmpi sge, %j, %past : index
        %keep = scf.if %in_tree -> (i1) {
          %node = arith.subi %j, %past : index
          %is_ancestor = tensor.extract %ancestors[%b, %i, %node] : tensor<?x?x?xi1>
          scf.yield %is_ancestor : i1
        } else {
          scf.yield %true : i1
        }
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
