// The name of the function is a keyword of C.
func.func @double(%q: memref<1x1x8x16xf32>, %o: memref<1x1x8x16xf32>) {
  attn.attention ins(%q, %q, %q : memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, memref<1x1x8x16xf32>) outs(%o : memref<1x1x8x16xf32>)
  return
}
