// Neighbourhood attention on an image of `height` x `width` positions, as in NATTEN: the 7 x 7 positions around a query,
// moved inwards at the borders. The size of the image is known when the kernel runs.
!qkv = tensor<?x?x?x64xbf16>

func.func @neighbourhood(%q: !qkv, %k: !qkv, %v: !qkv, %height: index, %width: index) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %bottom = arith.subi %height, %c4 : index
  %right = arith.subi %width, %c4 : index
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv)
      mask_mod(%b, %h, %i, %j) {
        %yi = arith.divui %i, %width : index
        %xi = arith.remui %i, %width : index
        %yj = arith.divui %j, %width : index
        %xj = arith.remui %j, %width : index
        %y0 = arith.maxsi %yi, %c3 : index
        %y = arith.minsi %y0, %bottom : index
        %x0 = arith.maxsi %xi, %c3 : index
        %x = arith.minsi %x0, %right : index
        %dy = arith.subi %yj, %y : index
        %dx = arith.subi %xj, %x : index
        %up = math.absi %dy : index
        %side = math.absi %dx : index
        %is_near_y = arith.cmpi sle, %up, %c3 : index
        %is_near_x = arith.cmpi sle, %side, %c3 : index
        %keep = arith.andi %is_near_y, %is_near_x : i1
        attn.yield %keep : i1
      }
      outs(%init : !qkv)
  return %o : !qkv
}
