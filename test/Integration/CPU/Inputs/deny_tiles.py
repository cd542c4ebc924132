"""Runs a command that the operating system denies tile registers: deny_tiles.py COMMAND ...

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ctypes
import errno
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ARCH_PRCTL, ARCH_REQ_XCOMP_PERM = 158, 0x1023
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000 | errno.EPERM

# (code, jump if equal, jump if not, operand): a request for tile registers fails, everything else is allowed.
FILTER = [(LOAD, 0, 0, 0), (JUMP_EQUAL, 0, 3, ARCH_PRCTL), (LOAD, 0, 0, 16), (JUMP_EQUAL, 0, 1, ARCH_REQ_XCOMP_PERM),
          (RETURN, 0, 0, FAIL), (RETURN, 0, 0, ALLOW)]

program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in FILTER))
header = ctypes.create_string_buffer(struct.pack("HP", len(FILTER), ctypes.addressof(program)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_ulong(ctypes.addressof(header)), 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
