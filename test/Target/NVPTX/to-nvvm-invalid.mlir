// RUN: fovea-opt %s --split-input-file --verify-diagnostics --attn-tile-to-nvvm

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>
func.func @kernel(%m: memref<?x64xbf16, strided<[?, 1], offset: ?>>, %i: index) attributes {attn.launch = #launch} {
  // expected-error@+1 {{makes a tile without a place, 'tensor<64x64xbf16>'; attn-tile-assign-layouts and the staging passes give it one}}
  %t = attn_tile.load %m[%i, %i] {row_dim = 0} : memref<?x64xbf16, strided<[?, 1], offset: ?>> -> tensor<64x64xbf16>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 256>
func.func @rows(%x: f32) attributes {attn.launch = #launch} {
  // expected-error@+1 {{a tile of 96 rows can't be spread over 8 warps; a multiple of 128 rows works}}
  %t = attn_tile.splat %x : f32 -> tensor<96xf32, #attn_tile.mma_rows<warps = 8>>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 32>
!t = tensor<16x24xf32, #attn_tile.mma_acc<warps = 1>>
!s = tensor<16x12xf32, #attn_tile.mma_acc<warps = 1>>
func.func @slice(%x: f32) attributes {attn.launch = #launch} {
  %t = attn_tile.splat %x : f32 -> !t
  // expected-error@+1 {{a GPU exchange needs slices of a multiple of 8 columns, but got 'tensor<16x12xf32, #attn_tile.mma_acc<warps = 1>>'}}
  %0:2 = attn_tile.exchange %t programs 2 : (!t) -> (!s, !s)
  return
}
