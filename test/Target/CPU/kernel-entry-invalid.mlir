// RUN: fovea-opt %s --attn-cpu-kernel-entry --split-input-file --verify-diagnostics

#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
func.func @dynamic_stack(%n: index) attributes {attn.launch = #attn.launch<grid = #grid>} {
  // expected-error @below {{'memref.alloca' op has a dynamic size, which would grow the 64 KiB stack of a task; use a static size}}
  %a = memref.alloca(%n) : memref<?xf32>
  return
}

// -----

#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
// expected-error @below {{kernel argument #1 has type 'tensor<4xf32>', must be a scalar of at most 64 bits or a strided memref}}
func.func @tensor(%n: index, %t: tensor<4xf32>) attributes {attn.launch = #attn.launch<grid = #grid>} {
  return
}

// -----

#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
// expected-error @below {{is a kernel and must have no results}}
func.func @result(%n: index) -> index attributes {attn.launch = #attn.launch<grid = #grid>} {
  return %n : index
}

// -----

#grid = affine_map<()[B, Hq, Hkv, Sq, Skv, threads, align] -> (B)>
// expected-error @below {{a task of the kernel needs 1600000000 bytes of scratch memory, but the CPU has 1073741824 for one; heads that are less deep work}}
func.func @scratch(%n: index) attributes {attn.launch = #attn.launch<grid = #grid>} {
  %a = memref.alloc() : memref<400000000xf32>
  return
}
