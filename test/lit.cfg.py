# Configuration of the test suite.
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import platform
import shutil
import subprocess

import lit.formats

config.name = "Fovea"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fovea_binary_dir, "test")

path = [os.path.join(config.fovea_binary_dir, "bin"), config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("HOME", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Threads that spin for others to finish starve them where several tests run at once.
config.environment["OMP_WAIT_POLICY"] = "passive"


def find_python():
    """A Python with numpy if there is one: the test cases need it."""
    for python in (config.python, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.call([python, "-c", "import numpy"], stderr=subprocess.DEVNULL) == 0:
            config.available_features.add("numpy")
            return python
    return config.python


config.substitutions.append(("%python", find_python()))
config.substitutions.append(("%mlir_c_runner_utils",
                             os.path.join(config.llvm_tools_dir, "..", "lib", "libmlir_c_runner_utils.so")))
config.substitutions.append(("%source", config.fovea_source_dir))
config.substitutions.append(("%mlir_lib", config.llvm_lib_dir))
config.substitutions.append(("%cc", config.cc))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%llvm_include", config.llvm_include_dir))
config.substitutions.append(("%bin", os.path.join(config.fovea_binary_dir, "bin")))

# A program that is built without sanitizers cannot link or load what is built with them.
if not config.fovea_sanitize:
    config.available_features.add("plain-build")
if platform.machine() == "x86_64":
    config.available_features.add("x86")


def find_cpu_flags():
    """What /proc/cpuinfo says of the processor."""
    try:
        with open("/proc/cpuinfo") as file:
            return next((line.split(":")[1].split() for line in file if line.startswith("flags")), [])
    except OSError:
        return []


# Products of pairs of bf16: tests that run them need a processor that has them.
for flag in ("avx512_bf16", "amx_bf16"):
    if flag in find_cpu_flags():
        config.available_features.add(flag)
if shutil.which("mlir-runner", path=config.environment["PATH"]):
    config.available_features.add("mlir-runner")
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")

# Another clang-format lays some code out differently.
clang_format = shutil.which("clang-format", path=config.environment["PATH"])
if clang_format and "version 14." in subprocess.run([clang_format, "--version"], capture_output=True, text=True).stdout:
    config.available_features.add("clang-format-14")
