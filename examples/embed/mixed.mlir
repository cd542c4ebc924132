// Sizes that the query knows and the result does not, in a loop, beside another function of the program.
func.func private @sdpa(tensor<1x2x8x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
func.func private @layer_attn0_rows()

func.func @layer(%q: tensor<1x2x8x16xf32>, %k: tensor<?x2x?x16xf32>, %n: index) -> tensor<?x2x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %k) -> (tensor<?x2x?x16xf32>) {
    %o = func.call @sdpa(%q, %a, %k) : (tensor<1x2x8x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
    scf.yield %o : tensor<?x2x?x16xf32>
  }
  return %r : tensor<?x2x?x16xf32>
}
