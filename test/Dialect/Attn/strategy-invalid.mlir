// RUN: fovea-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{strategy warps is 4611686018427387904, must be from 1 to 32}}
#s = #attn.strategy<block_m = 64, block_n = 64, warps = 4611686018427387904>

// -----

// expected-error@+1 {{strategy stages is 65, must be from 1 to 64}}
#s = #attn.strategy<block_m = 64, block_n = 64, stages = 65>

// -----

// expected-error@+1 {{strategy block_m is 0, must be from 1 to 1024}}
#s = #attn.strategy<block_m = 0, block_n = 64>

// -----

// expected-error@+1 {{strategy block_n is 1025, must be from 1 to 1024}}
#s = #attn.strategy<block_m = 64, block_n = 1025>

// -----

// expected-error@+1 {{strategy cluster is 17, must be from 1 to 16}}
#s = #attn.strategy<block_m = 64, block_n = 64, cluster = 17>

// -----

// expected-error@+1 {{strategy vector_bytes is 12, must be a power of two}}
#s = #attn.strategy<block_m = 64, block_n = 64, vector_bytes = 12>

// -----

// expected-error@+1 {{strategy vector_bytes is 256, must be from 1 to 128}}
#s = #attn.strategy<block_m = 64, block_n = 64, vector_bytes = 256>

// -----

// expected-error@+1 {{strategy persistent needs split_kv = false}}
#s = #attn.strategy<block_m = 64, block_n = 64, split_kv = true, persistent = true>

// -----

// expected-error@+1 {{strategy persistent needs pack_heads = false}}
#s = #attn.strategy<block_m = 64, block_n = 64, pack_heads = true, persistent = true>

// -----

// expected-error@+1 {{strategy rescale = optimistic needs overlap = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, rescale = optimistic>

// -----

// expected-error@+1 {{strategy cluster needs persistent = true, or split_kv = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, unit = warpgroup, cluster = 2>

// -----

// expected-error@+1 {{strategy cluster needs unit = warpgroup, or split_kv = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, persistent = true, cluster = 2>

// -----

// expected-error@+1 {{strategy pingpong needs unit = warpgroup}}
#s = #attn.strategy<block_m = 64, block_n = 64, pingpong = true>

// -----

// expected-error@+1 {{strategy cluster needs unit = warp or warpgroup}}
#s = #attn.strategy<block_m = 64, block_n = 64, split_kv = true, unit = thread, cluster = 2>

// -----

// expected-error@+1 {{strategy score_part is 24, must be a multiple of 16 from 0 to 1024}}
#s = #attn.strategy<block_m = 64, block_n = 64, score_part = 24>

// -----

// expected-error@+1 {{strategy score_part is -16, must be a multiple of 16 from 0 to 1024}}
#s = #attn.strategy<block_m = 64, block_n = 64, score_part = -16>

// -----

// expected-error@+1 {{strategy score_part is 1040, must be a multiple of 16 from 0 to 1024}}
#s = #attn.strategy<block_m = 64, block_n = 64, score_part = 1040>

// -----

// expected-error@+1 {{strategy interleave needs unit = warpgroup}}
#s = #attn.strategy<block_m = 64, block_n = 64, overlap = true, interleave = true>

// -----

// expected-error@+1 {{strategy interleave needs overlap = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, unit = warpgroup, interleave = true>

// -----

// expected-error@+1 {{strategy row_sums = product needs unit = warpgroup}}
#s = #attn.strategy<block_m = 64, block_n = 64, overlap = true, row_sums = product>

// -----

// expected-error@+1 {{strategy row_sums = product needs overlap = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, unit = warpgroup, row_sums = product>

// -----

// expected-error@+1 {{strategy min_blocks is 5, must be from 1 to 4}}
#s = #attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup, min_blocks = 5>

// -----

// expected-error@+1 {{strategy min_blocks is 0, must be from 1 to 4}}
#s = #attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup, min_blocks = 0>

// -----

// expected-error@+1 {{strategy min_blocks needs unit = warpgroup}}
#s = #attn.strategy<block_m = 64, block_n = 64, warps = 4, min_blocks = 2>

// -----

// expected-error@+1 {{strategy min_blocks needs warps = 4}}
#s = #attn.strategy<block_m = 128, block_n = 64, warps = 8, unit = warpgroup, min_blocks = 2>

// -----

// expected-error@+1 {{strategy min_blocks needs cluster = 1}}
#s = #attn.strategy<block_m = 64, block_n = 64, warps = 4, unit = warpgroup, persistent = true, cluster = 2, min_blocks = 2>

// -----

// expected-error@+1 {{strategy carry_scores needs unit = warpgroup}}
#s = #attn.strategy<block_m = 64, block_n = 64, overlap = true, persistent = true, carry_scores = true>

// -----

// expected-error@+1 {{strategy carry_scores needs overlap = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, unit = warpgroup, persistent = true, carry_scores = true>

// -----

// expected-error@+1 {{strategy carry_scores needs persistent = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, unit = warpgroup, overlap = true, carry_scores = true>

// -----

// expected-error@+1 {{strategy longest_first needs persistent = true}}
#s = #attn.strategy<block_m = 64, block_n = 64, longest_first = true>
