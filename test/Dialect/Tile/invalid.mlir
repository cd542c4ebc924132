// RUN: fovea-opt %s --split-input-file --verify-diagnostics

func.func @indices(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{has 2 indices for a memref of rank 3}}
  %t = attn_tile.load %m[%i, %i] {row_dim = 0} : memref<?x?x16xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @rank(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{needs a tile of rank 1 or 2, but got rank 3}}
  %t = attn_tile.load %m[%i, %i, %i] {row_dim = 0} : memref<?x?x16xf32> -> tensor<2x8x16xf32>
  return
}

// -----

func.func @row_dim(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{has row_dim 3 for a memref of rank 3}}
  %t = attn_tile.load %m[%i, %i, %i] {row_dim = 3} : memref<?x?x16xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @row_dim_is_columns(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{has row_dim 2, the dimension of the columns}}
  %t = attn_tile.load %m[%i, %i, %i] {row_dim = 2} : memref<?x?x16xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @column_limit(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{limits the columns of a tile of rank 1}}
  %t = attn_tile.load %m[%i, %i, %i] cols(%i) {row_dim = 2} : memref<?x?x16xf32> -> tensor<8xf32>
  return
}

// -----

func.func @shift(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{has a shift of columns for a tile of rank 1}}
  %t = attn_tile.load %m[%i, %i, %i] {row_dim = 2, shift = 1 : i64} : memref<?x?x16xf32> -> tensor<8xf32>
  return
}

// -----

func.func @element_type(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{moves elements of type 'f32' as 'f16'}}
  %t = attn_tile.load %m[%i, %i, %i] {row_dim = 1} : memref<?x?x16xf32> -> tensor<8x16xf16>
  return
}

// -----

func.func @alignment(%m: memref<?x?x16xf32>, %i: index) {
  // expected-error@below {{has alignment 12, must be a power of two}}
  %t = attn_tile.load %m[%i, %i, %i] {row_dim = 1, alignment = 12} : memref<?x?x16xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @store_element_type(%m: memref<?x?x16xf32>, %i: index, %t: tensor<8x16xf16>) {
  // expected-error@below {{moves elements of type 'f32' as 'f16'}}
  attn_tile.store %t, %m[%i, %i, %i] {row_dim = 1} : tensor<8x16xf16> -> memref<?x?x16xf32>
  return
}

// -----

func.func @gather_mask(%m: memref<?xf32>, %i: tensor<8x16xindex>, %k: tensor<8xi1>) {
  // expected-error@below {{has a mask of type 'tensor<8xi1>' for a result of type 'tensor<8x16xf32>'}}
  %t = attn_tile.gather %m[%i] mask(%k) : memref<?xf32>, [tensor<8x16xindex>], tensor<8xi1> -> tensor<8x16xf32>
  return
}

// -----

func.func @gather_index(%m: memref<?xf32>, %i: tensor<8xindex>, %k: tensor<8x16xi1>) {
  // expected-error@below {{has an index of type 'tensor<8xindex>' for a result of type 'tensor<8x16xf32>'}}
  %t = attn_tile.gather %m[%i] mask(%k) : memref<?xf32>, [tensor<8xindex>], tensor<8x16xi1> -> tensor<8x16xf32>
  return
}

// -----

func.func @gather_type(%m: memref<?xf32>, %i: index, %k: tensor<8xi1>) {
  // expected-error@below {{gathers elements of type 'f32' as 'i32'}}
  %t = attn_tile.gather %m[%i] mask(%k) : memref<?xf32>, [index], tensor<8xi1> -> tensor<8xi32>
  return
}

// -----

func.func @dot_depth(%a: tensor<8x16xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) {
  // expected-error@below {{contracts 16 columns of lhs with 8 of rhs}}
  %t = attn_tile.dot %a, %b, %c : tensor<8x16xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @dot_acc(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>, %c: tensor<8x16xf32>) {
  // expected-error@below {{gives 8x8 but accumulates into 'tensor<8x16xf32>'}}
  %t = attn_tile.dot %a, %b, %c {transpose_rhs} : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @dot_type(%a: tensor<8x8xf16>, %c: tensor<8x8xf16>) {
  // expected-error@below {{accumulates in f32, but got 'tensor<8x8xf16>'}}
  %t = attn_tile.dot %a, %a, %c : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf16>
  return
}

// -----

func.func @reduce(%a: tensor<8x16xf32>, %c: tensor<16xf32>) {
  // expected-error@below {{reduces 'tensor<8x16xf32>' from 'tensor<16xf32>'}}
  %t = attn_tile.row_reduce max %a, %c : tensor<8x16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @broadcast(%a: tensor<8xf32>) {
  // expected-error@below {{broadcasts 'tensor<8xf32>' to 'tensor<16x8xf32>'}}
  %t = attn_tile.broadcast %a : tensor<8xf32> -> tensor<16x8xf32>
  return
}

// -----

func.func @splat(%a: f32) {
  // expected-error@below {{splats 'f32' to 'tensor<8xf16>'}}
  %t = attn_tile.splat %a : f32 -> tensor<8xf16>
  return
}

// -----

func.func @iota_dim() {
  // expected-error@below {{has dim 1 for a tile of rank 1}}
  %t = attn_tile.iota {dim = 1} : tensor<8xi32>
  return
}

// -----

func.func @iota_type() {
  // expected-error@below {{counts in i32 or index, but got 'tensor<8xf32>'}}
  %t = attn_tile.iota {dim = 0} : tensor<8xf32>
  return
}

// -----

func.func @exchange_alone(%t: tensor<16x24xf32>) {
  // expected-error@below {{has a cluster of 1 programs; 2 to 16 work}}
  %0 = attn_tile.exchange %t programs 1 : (tensor<16x24xf32>) -> tensor<16x24xf32>
  return
}

// -----

func.func @exchange_results(%t: tensor<16x24xf32>) {
  // expected-error@below {{has 1 tiles and 1 results for 2 programs; a tile or more, and a result for each of every program, work}}
  %0 = attn_tile.exchange %t programs 2 : (tensor<16x24xf32>) -> tensor<16x16xf32>
  return
}

// -----

func.func @exchange_nothing() {
  // expected-error@below {{has 0 tiles and 0 results for 2 programs}}
  attn_tile.exchange programs 2 : () -> ()
  return
}

// -----

func.func @exchange_columns(%t: tensor<16x24xf32>) {
  // expected-error@below {{gives 'tensor<16x8xf32>' of 'tensor<16x24xf32>'; as many rows and at least 12 columns work}}
  %0:2 = attn_tile.exchange %t programs 2 : (tensor<16x24xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>)
  return
}

// -----

func.func @exchange_rows(%t: tensor<16xf32>) {
  // expected-error@below {{gives 'tensor<8xf32>' of 'tensor<16xf32>'; an equal tile works}}
  %0:2 = attn_tile.exchange %t programs 2 : (tensor<16xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @exchange_sizes(%t: tensor<16x24xf32>) {
  // expected-error@below {{gives slices of different sizes of 'tensor<16x24xf32>'; equal ones work}}
  %0:2 = attn_tile.exchange %t programs 2 : (tensor<16x24xf32>) -> (tensor<16x16xf32>, tensor<16x24xf32>)
  return
}

// -----

func.func @exchange_type(%t: tensor<16x24xbf16>) {
  // expected-error@below {{exchanges tiles of f32 of rank 1 or 2, but got 'tensor<16x24xbf16>'}}
  %0:2 = attn_tile.exchange %t programs 2 : (tensor<16x24xbf16>) -> (tensor<16x16xbf16>, tensor<16x16xbf16>)
  return
}

// -----

func.func @dot_part(%a: tensor<8x64xf16>, %c: tensor<8x8xf32>) {
  // expected-error@below {{sums up parts of 24; a positive multiple of 16 works}}
  %t = attn_tile.dot %a, %a, %c {part = 24 : i64, transpose_rhs} : tensor<8x64xf16>, tensor<8x64xf16> -> tensor<8x8xf32>
  return
}

// -----

func.func @dot_no_part(%a: tensor<8x64xf16>, %c: tensor<8x8xf32>) {
  // expected-error@below {{sums up parts of 0; a positive multiple of 16 works}}
  %t = attn_tile.dot %a, %a, %c {part = 0 : i64, transpose_rhs} : tensor<8x64xf16>, tensor<8x64xf16> -> tensor<8x8xf32>
  return
}

// -----

func.func @fold_to_nothing(%t: tensor<8x8xf32>) {
  // expected-error@below {{folds 'tensor<8x8xf32>' into 'tensor<8x0xf32>'; a tile of as many rows, whose columns divide those of the operand, works}}
  %0 = attn_tile.fold %t : tensor<8x8xf32> -> tensor<8x0xf32>
  return
}

// -----

func.func @fold_bits_to_nothing(%t: tensor<8x8xi32>) {
  // expected-error@below {{folds 'tensor<8x8xi32>' into 'tensor<8x0xi32>'; a tile of as many rows, whose columns divide those of the operand, works}}
  %0 = attn_tile.fold_bits %t : tensor<8x8xi32> -> tensor<8x0xi32>
  return
}

// -----

// expected-error@below {{#attn_tile.mma_acc is spread over 1 to 32 warps, but got 0}}
func.func private @no_warps(tensor<16x8xf32, #attn_tile.mma_acc<warps = 0>>)

// -----

// expected-error@below {{#attn_tile.mma_rows is spread over 1 to 32 warps, but got 33}}
func.func private @many_warps(tensor<16xf32, #attn_tile.mma_rows<warps = 33>>)

// -----

func.func @pending() {
  // expected-error@below {{attribute 'pending' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  attn_tile.await_fetches -1
  return
}

// -----

func.func @exchange_scalar(%t: tensor<f32>) {
  // expected-error@below {{exchanges tiles of f32 of rank 1 or 2, but got 'tensor<f32>'}}
  %0:2 = attn_tile.exchange %t programs 2 : (tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return
}

// -----

func.func @gather_unranked_index(%m: memref<8xf32>, %i: tensor<*xindex>, %mask: tensor<4x4xi1>) {
  // expected-error@below {{operand #1 must be variadic of index or statically shaped tensor of index values, but got 'tensor<*xindex>'}}
  %t = attn_tile.gather %m[%i] mask(%mask) : memref<8xf32>, [tensor<*xindex>], tensor<4x4xi1> -> tensor<4x4xf32>
  return
}

// -----

func.func @fetch_dynamic(%m: memref<8x8xf16>, %i: index, %slot: i32) {
  // expected-error@below {{needs a tile with the encoding #attn_tile.shared, but got}}
  attn_tile.fetch %m[%i, %i] slot(%slot) {row_dim = 0, alignment = 16} : memref<8x8xf16> -> tensor<?x8xf16, #attn_tile.shared<offset = 0, slot_bytes = 8192, pitch = 128>>
  return
}

// -----

func.func @lanes_no_power() -> index {
  // expected-error@below {{'attn_tile.program_id' op needs a power of two of lanes from 1 to 32, but has 12}}
  %id = attn_tile.program_id {lanes = 12 : i64} : index
  return %id : index
}

// -----

func.func @lanes_too_many() -> index {
  // expected-error@below {{'attn_tile.lane' op needs a power of two of lanes from 1 to 32, but has 64}}
  %lane = attn_tile.lane of 64 : index
  return %lane : index
}

// -----

func.func @lanes_none(%condition: i1) -> i32 {
  // expected-error@below {{'attn_tile.count_lanes' op needs a power of two of lanes from 1 to 32, but has 0}}
  %before, %all = attn_tile.count_lanes %condition of 0 : i32
  return %all : i32
}

// -----

func.func @lanes_wide(%v: i128) -> i128 {
  // expected-error@below {{'attn_tile.reduce_lanes' op needs an integer of at most 64 bits, but got 'i128'}}
  %sum = attn_tile.reduce_lanes add %v of 8 : i128
  return %sum : i128
}
