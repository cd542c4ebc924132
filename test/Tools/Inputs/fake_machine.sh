#!/bin/bash
# Makes a directory of commands that acts as a machine without build tools, for tests of the set-up's messages.
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: fake_machine.sh DIR [NAME=BODY...]: NAME becomes a script with that body.

dir=$1
shift
rm -rf "$dir"
mkdir -p "$dir"
for tool in bash sh awk sed grep tr cut head tail cat df mkdir rm dirname basename id nproc mktemp tee env chown ls; do
  ln -s "$(command -v "$tool")" "$dir/$tool"
done
for fake in "$@"; do
  rm -f "$dir/${fake%%=*}"
  printf '#!/bin/bash\n%s\n' "${fake#*=}" >"$dir/${fake%%=*}"
  chmod +x "$dir/${fake%%=*}"
done
