// T5's relative bias by its formula, causal: distances below 16 have a bucket each, larger ones share 16 by their
// logarithm, and the last takes all from 128 on.
!qkv = tensor<?x?x?x64xbf16>

func.func @t5_buckets(%q: !qkv, %k: !qkv, %v: !qkv, %weights: tensor<32x?xf32>) -> !qkv {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %q, %c0 : !qkv
  %heads = tensor.dim %q, %c1 : !qkv
  %length = tensor.dim %q, %c2 : !qkv
  %zero = arith.constant 0.0 : f32
  %exact = arith.constant 16.0 : f32
  // 16 buckets from a distance of 16 to one of 128: 16 / log2(128 / 16).
  %per_octave = arith.constant 5.33333349 : f32
  %sixteenth = arith.constant 0.0625 : f32
  %last = arith.constant 31.0 : f32
  %init = tensor.empty(%batch, %heads, %length) : !qkv
  %o = attn.attention ins(%q, %k, %v : !qkv, !qkv, !qkv) causal(top_left)
      score_mod(%s, %b, %h, %i, %j) {
        %distance = arith.subi %i, %j : index
        %d64 = arith.index_cast %distance : index to i64
        %d = arith.sitofp %d64 : i64 to f32
        %near = arith.maximumf %d, %zero : f32
        %far = arith.maximumf %d, %exact : f32
        %ratio = arith.mulf %far, %sixteenth : f32
        %octaves = math.log2 %ratio : f32
        %steps = arith.mulf %octaves, %per_octave : f32
        %above = arith.addf %steps, %exact : f32
        %shared = arith.minimumf %above, %last : f32
        %is_near = arith.cmpf olt, %d, %exact : f32
        %place = arith.select %is_near, %near, %shared : f32
        %bucket32 = arith.fptosi %place : f32 to i32
        %bucket = arith.index_cast %bucket32 : i32 to index
        %bias = tensor.extract %weights[%bucket, %h] : tensor<32x?xf32>
        %t = arith.addf %s, %bias : f32
        attn.yield %t : f32
      }
      outs(%init : !qkv)
  return %o : !qkv
}
