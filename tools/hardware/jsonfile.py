"""Reads the JSON files of the tools strictly: what is no such file is one error that names the file and the place in it.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A form says what a file holds. It is a function form(value, place) that raises JsonError where `value`, which stands at `place`
("problems[3].sizes"), is something else; the functions below make forms.
"""
import json
import re

# Deeper than any file of the tools; Python's parser and whatever walks over the value recurse.
MAX_DEPTH = 64
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.S)


class JsonError(Exception):
    """A file that cannot be used; its text is one line."""


def check_depth(text):
    depth = 0
    for token in TOKENS.finditer(text):
        if token.group() in "[{":
            depth += 1
        elif token.group() in "]}":
            depth -= 1
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, token.start()) + 1
            raise JsonError("line %d: arrays and objects are nested deeper than %d" % (line, MAX_DEPTH))


def unique(pairs):
    """An object whose keys are given once each."""
    found = dict(pairs)
    for key in found:
        if sum(key == other for other, _ in pairs) > 1:
            raise JsonError("the key \"%s\" is given twice" % key)
    return found


def parse(text):
    check_depth(text)
    try:
        return json.loads(text, object_pairs_hook=unique)
    except ValueError as error:  # also of integers with thousands of digits
        raise JsonError(str(error)) from None


def read_json(path, what, form=None):
    """The value in a file, of a form if one is given. `what` ("the problem list") stands in errors."""
    try:
        with open(path, encoding="utf-8") as file:
            value = parse(file.read())
        if form:
            form(value, "")
        return value
    except (OSError, UnicodeDecodeError, JsonError) as error:
        raise JsonError("cannot read %s '%s': %s" % (what, path, error)) from None


def show(value):
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:80] + "..."


def fail(place, text):
    raise JsonError(place + ": " + text if place else text)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def integer(low, high=2 ** 62):
    def form(value, place):
        if not is_integer(value) or not low <= value <= high:
            fail(place, "must be an integer from %d to %d, but is %s" % (low, high, show(value)))
    return form


def number(value, place):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        fail(place, "must be a number, but is %s" % show(value))


def positive(value, place):
    number(value, place)
    if not 0 < value < float("inf"):
        fail(place, "must be a finite number above 0, but is %s" % show(value))


def text(value, place):
    if not isinstance(value, str):
        fail(place, "must be a text, but is %s" % show(value))


def one_of(*choices):
    def form(value, place):
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            fail(place, "must be %s%s, but is %s" % ("the integer " if len(choices) == 1 and is_integer(choices[0]) else "one of ",
                                                     ", ".join(c if isinstance(c, str) else show(c) for c in choices), show(value)))
    return form


def listed(item, least=0):
    """A list of `item`."""
    def form(value, place):
        if not isinstance(value, list) or len(value) < least:
            fail(place, "must be a list%s, but is %s" % (" of %d or more" % least if least else "", show(value)))
        for number_, element in enumerate(value):
            item(element, "%s[%d]" % (place, number_))
    return form


def mapping(item):
    """An object with any keys, whose values are `item`."""
    def form(value, place):
        if not isinstance(value, dict):
            fail(place, "must be an object, but is %s" % show(value))
        for key, element in value.items():
            item(element, "%s[%s]" % (place, json.dumps(key)))
    return form


def record(required, optional=None):
    """An object with all keys of `required`, maybe some of `optional`, and no others; values are forms."""
    known = {**required, **(optional or {})}

    def form(value, place):
        if not isinstance(value, dict):
            fail(place, "expected an object with %s, but got %s" % (", ".join(known), show(value)))
        for key in value:
            if key not in known:
                fail(place, "unknown key \"%s\"; known are %s" % (key, ", ".join(known)))
        for key in required:
            if key not in value:
                fail(place, "\"%s\" is missing; an object here has %s" % (key, ", ".join(known)))
        for key, element in value.items():
            known[key](element, "%s.%s" % (place, key) if place else key)
    return form
