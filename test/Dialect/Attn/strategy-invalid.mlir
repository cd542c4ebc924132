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

// expected-error@+1 {{strategy cluster is 9, must be from 1 to 8}}
#s = #attn.strategy<block_m = 64, block_n = 64, cluster = 9>
