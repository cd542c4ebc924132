// A load for the keys that the table has, whatever it gives for others; %divisor divides keys, %step is of 8 bits.
!q = tensor<?x4x?x16xf32>
func.func @guarded(%q: !q, %k: !q, %v: !q, %o: !q, %table: tensor<?xi8>, %divisor: index, %step: i8, %shift: i32,
                   %unsigned: index) -> !q {
  %r = attn.attention ins(%q, %k, %v : !q, !q, !q)
    mask_mod(%b, %h, %i, %j) {
      %c0 = arith.constant 0 : index
      %size = tensor.dim %table, %c0 : tensor<?xi8>
      %inside = arith.cmpi slt, %j, %size : index
      %kept = scf.if %inside -> i1 {
        %entry = tensor.extract %table[%j] : tensor<?xi8>
        // 127 + 1 is -128 in 8 bits.
        %sum = arith.addi %entry, %step : i8
        %zero = arith.constant 0 : i8
        %negative = arith.cmpi slt, %sum, %zero : i8
        scf.yield %negative : i1
      } else {
        %false = arith.constant false
        scf.yield %false : i1
      }
      %ratio = arith.divui %j, %divisor : index
      %one = arith.constant 1 : i32
      %power = arith.shli %one, %shift : i32
      %bit = arith.cmpi ne, %power, %one : i32
      %rest = arith.remui %ratio, %unsigned : index
      %same = arith.cmpi ule, %rest, %ratio : index
      %both = arith.andi %kept, %same : i1
      %all = arith.andi %both, %bit : i1
      attn.yield %all : i1
    } outs(%o : !q)
  return %r : !q
}
