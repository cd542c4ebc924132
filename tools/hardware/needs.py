"""Python packages that scripts need and that may not be there.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import importlib
import os
import sys


def need(module, purpose, package=None):
    """The imported module. Where it cannot be imported, the script ends with one line that says what needs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        sys.exit("%s: error: %s needs %s: %s" % (os.path.basename(sys.argv[0]), purpose, package or module, reason))
