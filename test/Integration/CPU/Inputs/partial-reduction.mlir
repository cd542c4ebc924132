// Cuts the keys of ops marked "for" and "forall".
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %for = transform.structured.match ops{["attn.attention"]} attributes{by = "for"} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_reduction_using_for %for by tile_sizes = [0, 0, 0, 5]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %forall = transform.structured.match ops{["attn.attention"]} attributes{by = "forall"} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_reduction_using_forall %forall by tile_sizes = [0, 0, 0, 7]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
