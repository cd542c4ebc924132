// Two functions of C have one name.
func.func @f(%q: memref<1x1x8x16xf32>, %o: memref<1x1x8x16xf32>) {
  attn.attention ins(%q, %q, %q : memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, memref<1x1x8x16xf32>) outs(%o : memref<1x1x8x16xf32>)
  return
}
func.func @f_find(%q: memref<1x1x8x16xf32>, %o: memref<1x1x8x16xf32>) {
  attn.attention ins(%q, %q, %q : memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, memref<1x1x8x16xf32>) outs(%o : memref<1x1x8x16xf32>)
  return
}
