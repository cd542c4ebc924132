//===- TileDialect.td - The attn_tile dialect ---------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_DIALECT_TILE_IR_TILEDIALECT_TD
#define FOVEA_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/DialectBase.td"

def Tile_Dialect : Dialect {
  let name = "attn_tile";
  let cppNamespace = "::fovea::tile";
  let summary = "How one block of attention is computed, on tiles";
  let description = [{
    A *tile* is a statically shaped `tensor<MxNxT>` or `tensor<MxT>`, computed by one task: a worker of the CPU or a
    thread block of a GPU. Elementwise work on tiles is `arith` and `math`, loops are `scf`; this dialect has only what
    those lack: program ids, transfers between memory and tiles, products, row reductions and coordinates.
    On a GPU the encoding of a tile type says which thread holds which element; without an encoding a tile is
    target-neutral.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif // FOVEA_DIALECT_TILE_IR_TILEDIALECT_TD
