// A call that the example's pass refuses.
func.func private @sdpa(memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>)

func.func @memrefs(%q: memref<1x2x8x16xf32>) {
  call @sdpa(%q, %q, %q) : (memref<1x2x8x16xf32>, memref<1x2x8x16xf32>, memref<1x2x8x16xf32>) -> ()
  return
}
