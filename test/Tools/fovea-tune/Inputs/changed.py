"""What tests of files that are read strictly change in them.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import copy
import json


def with_value(whole, path, value):
    """`whole` as JSON with `value` at a path of keys; a value of `...` takes the key away."""
    whole = copy.deepcopy(whole)
    place = whole
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(whole)
