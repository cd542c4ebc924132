// A schedule for the transform dialect: for each attention op of a module, tiles the op that consumes it by batch, head and 32
// queries, and fuses attention and its producer into the loops, by upstream's tiler and the TilingInterface of attn.attention.
//
// fovea-opt layer.mlir --pass-pipeline="builtin.module(transform-preload-library{transform-library-paths=schedule.mlir},
//                                                      transform-interpreter)"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %all = transform.structured.match ops{["attn.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.foreach %all : !transform.any_op {
    ^bb0(%attention: !transform.any_op):
      %consumer = transform.get_consumers_of_result %attention[0] : (!transform.any_op) -> !transform.any_op
      %fused, %loops:3 = transform.structured.fuse %consumer tile_sizes [1, 1, 32, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    }
    %func = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
