// RUN: fovea-opt %s --split-input-file --verify-diagnostics

// What describes plans and kernels is refused where it is written, and not by the pass that reads it.

// expected-error@+1 {{launch grid has 1 dimensions and 0 symbols, expected none and the 7 problem symbols}}
#l = #attn.launch<grid = affine_map<(d) -> (d)>>

// -----

// expected-error@+1 {{launch grid has 0 dimensions and 8 symbols, expected none and the 7 problem symbols}}
#l = #attn.launch<grid = affine_map<()[a, b, c, d, e, f, g, h] -> (h)>>

// -----

// expected-error@+1 {{launch grid has no result, expected one or more}}
#l = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> ()>>

// -----

// expected-error@+1 {{launch block is 1025, must be from 1 to 1024}}
#l = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>, block = 1025>

// -----

// expected-error@+1 {{launch shared_bytes is -1, must be at least 0}}
#l = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>, shared_bytes = -1>

// -----

// expected-error@+1 {{launch scratch_bytes is -8, must be at least 0}}
#l = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>, scratch_bytes = -8>

// -----

// expected-error@+1 {{source index is -1, must be at least 0}}
#s = #attn.source<operand = -1>

// -----

// expected-error@+1 {{tensor_map argument is -1, must be at least 0}}
#m = #attn.tensor_map<argument = -1, rows = 8, cols = 64, row_dim = 2>

// -----

// expected-error@+1 {{tensor_map rows is 0, must be at least 1}}
#m = #attn.tensor_map<argument = 0, rows = 0, cols = 64, row_dim = 2>

// -----

// expected-error@+1 {{temporary has element type 'tensor<f32>', expected an integer, a float or index}}
#t = #attn.temporary<tensor<f32>, affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>

// -----

// expected-error@+1 {{temporary dims has 1 dimensions and 0 symbols, expected none and the 7 problem symbols}}
#t = #attn.temporary<f32, affine_map<(d) -> (d)>>

// -----

#some = affine_set<(d) : (d >= 0)>
// expected-error@+1 {{variant condition has 1 dimensions and 0 symbols, expected none and the 7 problem symbols}}
#v = #attn.variant<name = "x", when = #some, kernels = [@k]>

// -----

// expected-error@+1 {{variant 'x' has 5 : i64 among its kernels, expected symbols of functions}}
#v = #attn.variant<name = "x", kernels = [5]>

// -----

// expected-error@+1 {{variant 'x' has 5 : i64 among its temporaries, expected #attn.temporary}}
#v = #attn.variant<name = "x", kernels = [@k], temporaries = [5]>

// -----

func.func @plan(%q: memref<1x1x8x64xf16>, %o: memref<1x1x8x64xf16>) {
  // expected-error@+1 {{expected a list of #attn.variant, found 5 : i32}}
  attn.attention ins(%q, %q, %q : memref<1x1x8x64xf16>, memref<1x1x8x64xf16>, memref<1x1x8x64xf16>) outs(%o : memref<1x1x8x64xf16>) {attn.plan = [5 : i32]}
  return
}

// -----

func.func @no_list(%q: memref<1x1x8x64xf16>, %o: memref<1x1x8x64xf16>) {
  // expected-error@+1 {{'attn.plan' must be a list of #attn.variant}}
  attn.attention ins(%q, %q, %q : memref<1x1x8x64xf16>, memref<1x1x8x64xf16>, memref<1x1x8x64xf16>) outs(%o : memref<1x1x8x64xf16>) {attn.plan = 5}
  return
}

// -----

// expected-error@+1 {{'attn.plan' belongs to attn.attention and attn.combine}}
func.func @elsewhere() attributes {attn.plan = []} {
  return
}

// -----

// expected-error@+1 {{'attn.launch' must be a #attn.launch}}
func.func @launch() attributes {attn.launch = 5} {
  return
}

// -----

func.func @launched_op() {
  // expected-error@+1 {{'attn.launch' belongs to functions}}
  %c = arith.constant {attn.launch = #attn.launch<grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>>} 0 : i32
  return
}

// -----

// expected-error@+1 {{expected a list of #attn.tensor_map, found 1 : i64}}
func.func @maps() attributes {attn.tensor_maps = [1]} {
  return
}

// -----

// expected-error@+1 {{'attn.source' of argument #1 must be a #attn.source}}
func.func @source(%a: index, %b: index {attn.source = "operand"}) {
  return
}
