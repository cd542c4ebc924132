// A dilated window: every 4th of the 256 keys up to a query's own.
!qkv = tensor<?x?x?x64xbf16>

func.func @dilated(%q: !qkv, %k: !qkv, %v: !qkv) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %dilation = arith.constant 4 : index
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) window(255, 0, top_left)
      mask_mod(%b, %h, %i, %j) {
        %ri = arith.remui %i, %dilation : index
        %rj = arith.remui %j, %dilation : index
        %keep = arith.cmpi eq, %ri, %rj : index
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
