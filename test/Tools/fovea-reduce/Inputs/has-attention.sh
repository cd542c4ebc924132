#!/bin/sh
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Exit code 1 says that the module is still interesting.
fovea-opt "$1" | grep -q attn.attention && exit 1
exit 0
