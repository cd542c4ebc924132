// REQUIRES: mlir-runner
// Attention over parts of the keys, merged, against the whole op: a batch without any key, rows without a key in some
// parts, a sink, causal with an offset of the whole, a base.
// RUN: fovea-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/partial-reduction.mlir \
// RUN:   --transform-interpreter --attn-decompose --one-shot-bufferize=bufferize-function-boundaries \
// RUN:   --scf-forall-to-for --convert-linalg-to-loops --expand-strided-metadata --lower-affine --convert-scf-to-cf \
// RUN:   --convert-math-to-libm --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils | FileCheck %s

// The same with kernels of the CPU for the attention ops, and nothing but upstream's lowerings beside them.
// RUN: fovea-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/partial-reduction.mlir \
// RUN:   --transform-interpreter --one-shot-bufferize=bufferize-function-boundaries --scf-forall-to-parallel \
// RUN:   --attn-hand-over='threads=2 strict' --attn-decompose --convert-linalg-to-loops --expand-strided-metadata \
// RUN:   --lower-affine --convert-scf-to-cf --convert-math-to-libm --convert-to-llvm --reconcile-unrealized-casts \
// RUN: | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_c_runner_utils | FileCheck %s

// Outputs and LSEs are near, for each way; the row without key and sink is empty.
// CHECK: 1
// CHECK-NEXT: 1
// CHECK-NEXT: 1
// CHECK-NEXT: 1
// CHECK-NEXT: 1

module {
  func.func @whole(%q: tensor<3x4x6x8xf32>, %k: tensor<3x2x?x8xf32>, %n: tensor<3xi32>, %sink: tensor<4xf32>) -> (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>) {
    %c3 = arith.constant 3 : index
    %o = tensor.empty() : tensor<3x4x6x8xf32>
    %l = tensor.empty() : tensor<3x4x6xf32>
    %r:2 = attn.attention ins(%q, %k, %k : tensor<3x4x6x8xf32>, tensor<3x2x?x8xf32>, tensor<3x2x?x8xf32>)
      causal(bottom_right) window(9, *) sink(%sink : tensor<4xf32>) kv_lengths(%n : tensor<3xi32>) base(%c3, %c3, %c3, %c3)
      score_mod(%s, %b, %h, %i, %j) {
        %d = arith.subi %i, %j : index
        %x = arith.index_cast %d : index to i32
        %f = arith.sitofp %x : i32 to f32
        %t = arith.addf %s, %f : f32
        attn.yield %t : f32
      } outs(%o, %l : tensor<3x4x6x8xf32>, tensor<3x4x6xf32>)
    return %r#0, %r#1 : tensor<3x4x6x8xf32>, tensor<3x4x6xf32>
  }
  func.func @for(%q: tensor<3x4x6x8xf32>, %k: tensor<3x2x?x8xf32>, %n: tensor<3xi32>, %sink: tensor<4xf32>) -> (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>) {
    %c3 = arith.constant 3 : index
    %o = tensor.empty() : tensor<3x4x6x8xf32>
    %l = tensor.empty() : tensor<3x4x6xf32>
    %r:2 = attn.attention ins(%q, %k, %k : tensor<3x4x6x8xf32>, tensor<3x2x?x8xf32>, tensor<3x2x?x8xf32>)
      causal(bottom_right) window(9, *) sink(%sink : tensor<4xf32>) kv_lengths(%n : tensor<3xi32>) base(%c3, %c3, %c3, %c3)
      score_mod(%s, %b, %h, %i, %j) {
        %d = arith.subi %i, %j : index
        %x = arith.index_cast %d : index to i32
        %f = arith.sitofp %x : i32 to f32
        %t = arith.addf %s, %f : f32
        attn.yield %t : f32
      } outs(%o, %l : tensor<3x4x6x8xf32>, tensor<3x4x6xf32>) {by = "for"}
    return %r#0, %r#1 : tensor<3x4x6x8xf32>, tensor<3x4x6xf32>
  }
  func.func @forall(%q: tensor<3x4x6x8xf32>, %k: tensor<3x2x?x8xf32>, %n: tensor<3xi32>, %sink: tensor<4xf32>) -> (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>) {
    %c3 = arith.constant 3 : index
    %o = tensor.empty() : tensor<3x4x6x8xf32>
    %l = tensor.empty() : tensor<3x4x6xf32>
    %r:2 = attn.attention ins(%q, %k, %k : tensor<3x4x6x8xf32>, tensor<3x2x?x8xf32>, tensor<3x2x?x8xf32>)
      causal(bottom_right) window(9, *) sink(%sink : tensor<4xf32>) kv_lengths(%n : tensor<3xi32>) base(%c3, %c3, %c3, %c3)
      score_mod(%s, %b, %h, %i, %j) {
        %d = arith.subi %i, %j : index
        %x = arith.index_cast %d : index to i32
        %f = arith.sitofp %x : i32 to f32
        %t = arith.addf %s, %f : f32
        attn.yield %t : f32
      } outs(%o, %l : tensor<3x4x6x8xf32>, tensor<3x4x6xf32>) {by = "forall"}
    return %r#0, %r#1 : tensor<3x4x6x8xf32>, tensor<3x4x6xf32>
  }

  /// A number in [-1, 1] for each element.
  func.func @fill(%x: tensor<?xf32>, %seed: i32) -> tensor<?xf32> {
    %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%x : tensor<?xf32>) {
    ^bb0(%old: f32):
      %i = linalg.index 0 : index
      %w = arith.index_cast %i : index to i32
      %m = arith.muli %w, %seed : i32
      %f = arith.sitofp %m : i32 to f32
      %s = math.sin %f : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    return %r : tensor<?xf32>
  }

  func.func private @printI64(i64)
  func.func private @printNewline()
  func.func @print(%x: i64) {
    call @printI64(%x) : (i64) -> ()
    call @printNewline() : () -> ()
    return
  }

  /// Prints whether all elements are the same or at most 4e-6 apart.
  func.func @compare(%a: tensor<?xf32>, %b: tensor<?xf32>) {
    %zero = arith.constant 0.0 : f32
    %limit = arith.constant 4.0e-6 : f32
    %one = arith.constant 1 : i64
    %init = tensor.from_elements %one : tensor<i64>
    %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d) -> ()>], iterator_types = ["reduction"]}
        ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<i64>) {
    ^bb0(%x: f32, %y: f32, %so_far: i64):
      %d = arith.subf %x, %y : f32
      %abs = math.absf %d : f32
      %near = arith.cmpf ole, %abs, %limit : f32
      %same = arith.cmpf oeq, %x, %y : f32
      %ok = arith.ori %near, %same : i1
      %w = arith.extui %ok : i1 to i64
      %s = arith.andi %so_far, %w : i64
      linalg.yield %s : i64
    } -> tensor<i64>
    %x = tensor.extract %r[] : tensor<i64>
    call @print(%x) : (i64) -> ()
    return
  }
  func.func @check(%o: tensor<3x4x6x8xf32>, %l: tensor<3x4x6xf32>, %o2: tensor<3x4x6x8xf32>, %l2: tensor<3x4x6xf32>) {
    %a = tensor.collapse_shape %o [[0, 1, 2, 3]] : tensor<3x4x6x8xf32> into tensor<576xf32>
    %b = tensor.collapse_shape %o2 [[0, 1, 2, 3]] : tensor<3x4x6x8xf32> into tensor<576xf32>
    %c = tensor.collapse_shape %l [[0, 1, 2]] : tensor<3x4x6xf32> into tensor<72xf32>
    %d = tensor.collapse_shape %l2 [[0, 1, 2]] : tensor<3x4x6xf32> into tensor<72xf32>
    %ad = tensor.cast %a : tensor<576xf32> to tensor<?xf32>
    %bd = tensor.cast %b : tensor<576xf32> to tensor<?xf32>
    %cd = tensor.cast %c : tensor<72xf32> to tensor<?xf32>
    %dd = tensor.cast %d : tensor<72xf32> to tensor<?xf32>
    call @compare(%ad, %bd) : (tensor<?xf32>, tensor<?xf32>) -> ()
    call @compare(%cd, %dd) : (tensor<?xf32>, tensor<?xf32>) -> ()
    return
  }

  func.func @main() {
    %s1 = arith.constant 37 : i32
    %s2 = arith.constant 53 : i32
    %size = arith.constant 576 : index
    %eq = tensor.empty(%size) : tensor<?xf32>
    %fq = call @fill(%eq, %s1) : (tensor<?xf32>, i32) -> tensor<?xf32>
    %cq = tensor.cast %fq : tensor<?xf32> to tensor<576xf32>
    %q = tensor.expand_shape %cq [[0, 1, 2, 3]] output_shape [3, 4, 6, 8] : tensor<576xf32> into tensor<3x4x6x8xf32>
    // 17 keys.
    %ksize = arith.constant 816 : index
    %ek = tensor.empty(%ksize) : tensor<?xf32>
    %fk = call @fill(%ek, %s2) : (tensor<?xf32>, i32) -> tensor<?xf32>
    %ck = tensor.cast %fk : tensor<?xf32> to tensor<816xf32>
    %sk = tensor.expand_shape %ck [[0, 1, 2, 3]] output_shape [3, 2, 17, 8] : tensor<816xf32> into tensor<3x2x17x8xf32>
    %k = tensor.cast %sk : tensor<3x2x17x8xf32> to tensor<3x2x?x8xf32>
    // With a base of 3: 17, 5 and no keys.
    %n = arith.constant dense<[20, 8, 2]> : tensor<3xi32>
    %sink = arith.constant dense<[1.5, 0xFF800000, -3.0, 0xFF800000]> : tensor<4xf32>
    %o, %l = call @whole(%q, %k, %n, %sink) : (tensor<3x4x6x8xf32>, tensor<3x2x?x8xf32>, tensor<3xi32>, tensor<4xf32>) -> (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>)
    %o1, %l1 = call @for(%q, %k, %n, %sink) : (tensor<3x4x6x8xf32>, tensor<3x2x?x8xf32>, tensor<3xi32>, tensor<4xf32>) -> (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>)
    call @check(%o, %l, %o1, %l1) : (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>, tensor<3x4x6x8xf32>, tensor<3x4x6xf32>) -> ()
    %o2, %l2 = call @forall(%q, %k, %n, %sink) : (tensor<3x4x6x8xf32>, tensor<3x2x?x8xf32>, tensor<3xi32>, tensor<4xf32>) -> (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>)
    call @check(%o, %l, %o2, %l2) : (tensor<3x4x6x8xf32>, tensor<3x4x6xf32>, tensor<3x4x6x8xf32>, tensor<3x4x6xf32>) -> ()
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %none = arith.constant 0xFF800000 : f32
    %x = tensor.extract %l2[%c2, %c1, %c1] : tensor<3x4x6xf32>
    %empty = arith.cmpf oeq, %x, %none : f32
    %w = arith.extui %empty : i1 to i64
    call @print(%w) : (i64) -> ()
    return
  }
}
