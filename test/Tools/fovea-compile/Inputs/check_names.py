#!/usr/bin/env python3
"""Compiles functions of many names to C: those that C and C++ take are called by programs, others are refused.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check_names.py FOLDER RUNTIME_INCLUDE LIBRARY_FOLDER CC CXX
Besides CC and CXX, gcc and g++ compile the headers where they are installed.
"""
import os
import shutil
import subprocess
import sys

FUNCTION = """func.func @"%s"(%%q: memref<1x1x8x16xf32>, %%o: memref<1x1x8x16xf32>) {
  attn.attention ins(%%q, %%q, %%q : memref<1x1x8x16xf32>, memref<1x1x8x16xf32>, memref<1x1x8x16xf32>)
    outs(%%o : memref<1x1x8x16xf32>)
  return
}
"""
REFUSED = {
    "it is a keyword of C or C++": "int class asm restrict typeof co_await xor char8_t linux".split(),
    "belong to the compiler": "_Foo _foo a__b tail_".split(),
    "belong to the runtime": "fovea_status fovea_x FOVEA_API".split(),
    "a standard library has that": (
        "NULL printf malloc exp read exit errno assert offsetof int32_t my_t FILE std I EINVAL SIGINT isnan fork environ"
        " pthread_create y0 omp_get_num_threads").split(),
    "a program has that": ["main"],
    "C's names have letters, digits and underscores alone": ["a.b", "a b", "\u03c0", "*/", "a$"],
    "C's names do not begin with a digit": ["1x"],
    "would be there twice": ["f\nf_find", "g_workspace_size\ng"],
}
# Names of parameters, of what the object holds itself, and names near to those that are refused.
ACCEPTED = ("device arg0 result0 workspace workspace_bytes bytes function artifact artifact_bytes embedded value name"
            " A class1 Class NULLS attention Fovea x").split()
ACCEPTED.append("a" + "1b" * 200)
HEADERS = ("assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdarg stdbool stddef stdint"
           " stdio stdlib string time wchar wctype").split()
PROGRAM = """%s
int main(void) {
  static float q[128], o[128];
  static char room[1 << 26];
  char *const scratch = room + FOVEA_WORKSPACE_ALIGNMENT - (uintptr_t)room %% FOVEA_WORKSPACE_ALIGNMENT;
  const int64_t sizes[4] = {1, 1, 8, 16};
  const fovea_value in = fovea_tensor(FOVEA_F32, q, 4, sizes, NULL), out = fovea_tensor(FOVEA_F32, o, 4, sizes, NULL);
  int failures = 0;
  uint64_t count;
%s
  if (failures)
    puts(fovea_last_error());
  return failures;
}
"""
CALL = """  failures += %s_workspace_size(NULL, &in, &out, &count) != FOVEA_OK || count > sizeof room / 2;
  failures += %s(NULL, &in, &out, scratch, count) != FOVEA_OK;
"""


def compile_functions(folder, stem, names):
    """Runs fovea-compile; its messages."""
    source = os.path.join(folder, stem + ".mlir")
    with open(source, "w") as file:
        file.write("".join(FUNCTION % name for name in names))
    command = ["fovea-compile", source, "--emit=header,obj", "-o", os.path.join(folder, stem + ".o")]
    return subprocess.run(command, capture_output=True, text=True)


def check_refused(folder):
    for reason, cases in REFUSED.items():
        for case in cases:
            result = compile_functions(folder, "refused", case.split("\n"))
            errors = [line for line in result.stderr.splitlines() if "error: " in line]
            if result.returncode != 1 or len(errors) != 1 or reason not in errors[0] or "rename" not in errors[0]:
                sys.exit("%r: ended with %d: %s" % (case, result.returncode, result.stderr))


def check_program(folder, include, libraries, compiler, standard, extension, includes):
    calls = "".join(CALL % (name, name) for name in ACCEPTED)
    path = os.path.join(folder, "program" + extension)
    with open(path, "w") as file:
        file.write(PROGRAM % (includes, calls))
    objects = [os.path.join(folder, name + ".o") for name in ("names", "a-b", "a_b")]
    program = os.path.join(folder, "program")
    subprocess.run([compiler, "-std=" + standard, "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-pedantic",
                    "-Werror", "-I" + folder, "-I" + include, path, *objects, "-L" + libraries, "-lfovea_runtime",
                    "-Wl,-rpath," + libraries, "-o", program], check=True)
    subprocess.run([program], check=True)


def main(folder, include, libraries, cc, cxx):
    check_refused(folder)
    # Two files whose names differ in what a macro cannot have.
    for stem, names in (("names", ACCEPTED), ("a-b", ["first"]), ("a_b", ["second"])):
        result = compile_functions(folder, stem, names)
        if result.returncode:
            sys.exit(result.stderr)
    own = "".join('#include "%s.h"\n' % stem for stem in ("names", "a-b", "a_b"))
    use = "fovea_status (*uses[])(const fovea_function **) = {first_find, second_find};\n"
    library = "".join("#include <%s.h>\n" % header for header in HEADERS)
    count = 0
    for compiler, standard, extension in ((cc, "c11", ".c"), ("gcc", "c11", ".c"), (cxx, "c++17", ".cpp"),
                                          ("g++", "c++17", ".cpp")):
        if not shutil.which(compiler):
            continue
        for includes in (own + library + use, library + own + use):
            check_program(folder, include, libraries, compiler, standard, extension, includes)
            count += 1
    print("%d names refused, %d called by %d programs" % (sum(map(len, REFUSED.values())), len(ACCEPTED), count))


if __name__ == "__main__":
    main(*sys.argv[1:])
