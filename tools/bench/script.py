"""How scripts read results and end: what a user can put right is one line.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import subprocess
import sys


class ScriptError(Exception):
    """Something that the user can put right; its text is one line."""


def read_results(path, keys):
    """The object in a file of results, which has these keys."""
    try:
        with open(path) as file:
            results = json.load(file)
    except (OSError, ValueError) as error:
        raise ScriptError("cannot read the results '%s': %s" % (path, error)) from None
    missing = [key for key in keys if not isinstance(results, dict) or key not in results]
    if missing:
        raise ScriptError("cannot read the results '%s': it has no %s" % (path, ", ".join(missing)))
    return results


def run_script(main):
    """Runs a script and ends the process with its status."""
    try:
        sys.exit(main())
    except (OSError, ScriptError) as error:
        reason = str(error)
    except subprocess.CalledProcessError as error:
        # Its own messages have been printed.
        reason = "%s ended with status %d" % (os.path.basename(error.cmd[0]), error.returncode)
    sys.exit("%s: error: %s" % (os.path.basename(sys.argv[0]), reason))
