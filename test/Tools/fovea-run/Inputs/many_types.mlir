// Arguments of several types: tensors and scalars.
!q = tensor<1x1x4x16xf16>
func.func @f(%q: !q, %offsets: tensor<1xi32>, %table: tensor<4xi8>, %keep: tensor<1x1x4x4xi1>, %scale: f32, %at: index,
             %n: i32) -> !q {
  %init = tensor.empty() : !q
  %o = attn.attention ins(%q, %q, %q : !q, !q, !q) scale(%scale) causal(%offsets : tensor<1xi32>)
      mask(%keep : tensor<1x1x4x4xi1>)
      mask_mod(%b, %h, %i, %j) {
        %entry = tensor.extract %table[%j] : tensor<4xi8>
        %wide = arith.extsi %entry : i8 to i32
        %less = arith.cmpi sle, %wide, %n : i32
        %other = arith.cmpi ne, %j, %at : index
        %both = arith.andi %less, %other : i1
        attn.yield %both : i1
      } outs(%init : !q)
  return %o : !q
}
