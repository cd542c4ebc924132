//===- Passes.td - Passes of the NVPTX target ------------------*- tablegen -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TARGET_NVPTX_PASSES_TD
#define FOVEA_TARGET_NVPTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignLayouts : Pass<"attn-tile-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Gives every tile of a GPU kernel the layout that its matrix instructions imply";
  let description = [{
    Tiles that a dot alone reads straight from memory become operands in shared memory, all others are spread over
    threads as accumulators or as their rows. There is no search and no conversion between layouts. The number of warps
    comes from the function's `attn.strategy`.

    ```mlir
    %k = attn_tile.load %K[...] : ... -> tensor<64x128xbf16>
    %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : ... -> tensor<128x64xf32>
    %m = attn_tile.row_reduce max %s, %m0 : tensor<128x64xf32> -> tensor<128xf32>
    ```
    becomes
    ```mlir
    %k = attn_tile.load %K[...] : ... -> tensor<64x128xbf16, #attn_tile.mma_operand>
    %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : ... -> tensor<128x64xf32, #attn_tile.mma_acc<warps = 4>>
    %m = attn_tile.row_reduce max %s, %m0 : ... -> tensor<128xf32, #attn_tile.mma_rows<warps = 4>>
    ```
  }];
  let dependentDialects = ["::fovea::tile::TileDialect"];
}

def StageMemory : Pass<"attn-tile-stage-memory", "::mlir::ModuleOp"> {
  let summary = "Stages dot operands in shared memory, those of loops through a ring of asynchronous copies";
  let description = [{
    A load in a loop becomes a ring of `stages` slots: each iteration waits for its own block, issues the copy of the
    block `stages - 1` iterations ahead, then computes. Loops that follow each other over one range (the masked and the
    full blocks) share one ring, so that the copies never pause. An `attn_tile.exchange` reuses the memory of the rings, after a wait
    for all copies and threads. Writes `shared_bytes` of `attn.launch`.

    ```mlir
    scf.for %j = %lb to %ub step %n {
      %k = attn_tile.load %K[%b, %h, %j, %c0] : ... -> tensor<64x128xbf16, #attn_tile.mma_operand>
      use(%k)
    }
    ```
    becomes
    ```mlir
    attn_tile.fetch %K[%b, %h, %lb, %c0] slot(%0) ...     // if %lb < %ub
    attn_tile.commit_fetches
    scf.for %j = %lb to %ub step %n iter_args(%slot = %0) {
      attn_tile.await_fetches 0
      attn_tile.fetch %K[%b, %h, %next, %c0] slot(%other) ...   // if %next < %ub
      attn_tile.commit_fetches
      %k = attn_tile.staged slot(%slot) : tensor<64x128xbf16, #attn_tile.shared<...>>
      use(%k)
    }
    ```
  }];
  let options = [
    Option<"sharedLimit", "shared-limit", "int64_t", "101376", "Bytes of shared memory that a thread block may use">,
    Option<"chip", "chip", "std::string", "\"sm_80\"", "Name of the chip, for messages">
  ];
  let dependentDialects = ["::fovea::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect"];
}

def SpecializeWarps : Pass<"attn-tile-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Warp specialization: a producer warpgroup copies dot operands, consumer warpgroups compute";
  let description = [{
    Works on kernels whose strategy has `unit = warpgroup`. The loads of dot operands become rings in shared memory that TMA
    copies fill: left operands have one or two slots, in bands that each belong to one warpgroup, right operands `stages` slots. Both roles run
    the same loops; the producer keeps only what positions depend on. Appends a parameter for each ring, described by
    `attn.tensor_maps`, and writes `block` and `shared_bytes` of `attn.launch`.

    ```mlir
    scf.for %j = %lb to %ub step %n iter_args(%o = %zero) {
      %k = attn_tile.load %K[%b, %h, %j, %c0] {row_dim = 2} : ... -> tensor<128x64xbf16, #attn_tile.mma_operand>
      ...
    }
    ```
    becomes
    ```mlir
    attn_tile.roles copy {
      scf.for %j = %lb to %ub step %n iter_args(%slot = %0, %phase = %0) {
        attn_tile.bulk_fetch %map[%b, %h, %j, %c0] slot(%slot) phase(%phase) ...
        ...
      }
    } compute {
      scf.for %j = %lb to %ub step %n iter_args(%o = %zero, %slot = %0, %phase = %0) {
        %k = attn_tile.await_tile slot(%slot) phase(%phase) : tensor<128x64xbf16, #attn_tile.swizzled<...>>
        ...
      }
    }
    ```
  }];
  let options = [
    Option<"sharedLimit", "shared-limit", "int64_t", "232448", "Bytes of shared memory that a thread block may use">,
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "Name of the chip, for messages">
  ];
  let dependentDialects = ["::fovea::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def ScheduleDots : Pass<"attn-tile-schedule-dots", "::mlir::ModuleOp"> {
  let summary = "Splits warpgroup products into issue and a wait before the first use, and releases what they read";
  let description = [{
    Products are issued in program order. The wait for one stands before the first operation that uses its
    result and leaves later products in flight. A tile in shared memory is released when the last product that
    reads it is done.

    ```mlir
    %s = attn_tile.dot %q, %k, %zero {transpose_rhs} : ...
    %o1 = attn_tile.dot %p, %v, %o : ...
    %e = math.exp2 %s : ...
    %o2 = arith.mulf %o1, %r : ...
    ```
    becomes
    ```mlir
    %s0 = attn_tile.issue_dot %q, %k, %zero {transpose_rhs} : ...
    %o0 = attn_tile.issue_dot %p, %v, %o : ...
    %s = attn_tile.await_dots %s0 pending 1 : ...
    attn_tile.release %k ...
    %e = math.exp2 %s : ...
    %o1 = attn_tile.await_dots %o0 pending 0 : ...
    attn_tile.release %v ...
    %o2 = arith.mulf %o1, %r : ...
    ```
  }];
  let dependentDialects = ["::fovea::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def VerifyAsync : Pass<"attn-tile-verify-async", "::mlir::ModuleOp"> {
  let summary = "Checks that nothing uses products in flight or changes what they read";
  let description = [{
    Refuses with one error at the operation in question: a result of `attn_tile.issue_dot` with a use other than one
    `attn_tile.await_dots` of the same block, a wait that leaves its own product in flight, a release or an overwrite of a tile that
    a product in flight reads, a read of a tile after its release, a tile that is never released or twice, a turn
    (`attn_tile.await_turn`) that is not passed in its block, and within a turn what waits for other warpgroups.
  }];
}

def TileToNVVM : Pass<"attn-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lowers tiles with layouts to vectors per thread and matrix instructions";
  let description = [{
    A tile becomes the vector of the elements that one thread holds, a tile in shared memory the byte offset of its slot.
    Elementwise operations keep their operation and change their type.

    ```mlir
    %e = arith.mulf %s, %c : tensor<128x64xf32, #attn_tile.mma_acc<warps = 4>>
    ```
    becomes
    ```mlir
    %e = arith.mulf %s, %c : vector<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def MathToNVVM : Pass<"attn-math-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lowers math operations to GPU instructions and polynomials, without a device library";
  let description = [{
    `math.exp2` and `math.log2` of f32 become `ex2.approx.ftz` and `lg2.approx.ftz`, `math.tanh fastmath<afn>` becomes
    `tanh.approx`; other functions become polynomials over these.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"];
}

def MarkKernels : Pass<"attn-nvptx-mark-kernels", "::mlir::ModuleOp"> {
  let summary = "Marks the LLVM functions with an `attn.launch` as kernels of its block size";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // FOVEA_TARGET_NVPTX_PASSES_TD
