// A scalar that C has no type for.
func.func @f(%q: memref<1x1x8x16xf32>, %x: bf16, %o: memref<1x1x8x16xf32>) {
  attn.attention ins(%q, %q, %q : memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, memref<1x1x8x16xf32>) outs(%o : memref<1x1x8x16xf32>)
  return
}
