// RUN: fovea-opt %s --split-input-file --verify-diagnostics --attn-tile-assign-layouts --attn-tile-stage-memory='shared-limit=4096 chip=sm_80'

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>

func.func @rows() attributes {attn.launch = #launch} {
  // expected-error@+1 {{a tile of 48 rows can't be spread over 4 warps; a multiple of 64 rows works}}
  %0 = arith.constant dense<0.0> : tensor<48xf32>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>

func.func @types(%k: memref<64x64xbf16>) attributes {attn.launch = #launch} {
  %c0 = arith.constant 0 : index
  %p = arith.constant dense<0.0> : tensor<64x64xf32>
  %v = attn_tile.load %k[%c0, %c0] {row_dim = 0} : memref<64x64xbf16> -> tensor<64x64xbf16>
  // expected-error@+1 {{a GPU dot needs operands of one type, but got 'f32' and 'bf16'; the strategy's round_p rounds P to V's type}}
  %0 = attn_tile.dot %p, %v, %p : tensor<64x64xf32>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>

func.func @operand() attributes {attn.launch = #launch} {
  %p = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{the right operand of a GPU dot must be an attn_tile.load that only dots use}}
  %0 = attn_tile.dot %p, %p, %p : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>

// expected-error@+1 {{the kernel needs 8192 bytes of shared memory, but sm_80 has 4096 for a thread block; smaller tiles or fewer stages work}}
func.func @shared(%k: memref<64x64xbf16>) attributes {attn.launch = #launch} {
  %c0 = arith.constant 0 : index
  %p = arith.constant dense<0.0> : tensor<64x64xbf16>
  %acc = arith.constant dense<0.0> : tensor<64x64xf32>
  %v = attn_tile.load %k[%c0, %c0] {row_dim = 0} : memref<64x64xbf16> -> tensor<64x64xbf16>
  %0 = attn_tile.dot %p, %v, %acc : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>

func.func @ones_of_warps(%k: memref<64x64xbf16>) attributes {attn.launch = #launch} {
  %c0 = arith.constant 0 : index
  %p = arith.constant dense<0.0> : tensor<64x64xbf16>
  %acc = arith.constant dense<0.0> : tensor<64x72xf32>
  // expected-error@+1 {{columns of ones need a load that only dots of unit = warpgroup use}}
  %v = attn_tile.load %k[%c0, %c0] {row_dim = 0, ones = 8} : memref<64x64xbf16> -> tensor<64x72xbf16>
  %0 = attn_tile.dot %p, %v, %acc : tensor<64x64xbf16>, tensor<64x72xbf16> -> tensor<64x72xf32>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>

func.func @ones_inside_panel(%k: memref<64x80xbf16>) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant dense<0.0> : tensor<64x64xbf16>
  %acc = arith.constant dense<0.0> : tensor<64x88xf32>
  // expected-error@+1 {{has 8 columns of ones behind 80; 8 behind a multiple of 64 work}}
  %v = attn_tile.load %k[%c0, %c0] {row_dim = 0, ones = 8} : memref<64x80xbf16> -> tensor<64x88xbf16>
  %0 = attn_tile.dot %p, %v, %acc : tensor<64x64xbf16>, tensor<64x88xbf16> -> tensor<64x88xf32>
  return
}

// -----

#launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (Sq)>, block = 128>

func.func @stored_ones(%k: memref<64x64xbf16>, %o: memref<64x72xbf16>) attributes {attn.launch = #launch,
    attn.strategy = #attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{columns of ones need a load that only dots of unit = warpgroup use}}
  %v = attn_tile.load %k[%c0, %c0] {row_dim = 0, ones = 8} : memref<64x64xbf16> -> tensor<64x72xbf16>
  attn_tile.store %v, %o[%c0, %c0] {row_dim = 0} : tensor<64x72xbf16> -> memref<64x72xbf16>
  return
}
