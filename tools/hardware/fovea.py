"""The runtime's C API for Python, by ctypes: what the hardware tools and benchmarks need of it.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ctypes
import hashlib
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint64, c_void_p

MAX_RANK = 8
TYPES = {"f32": 0, "f16": 1, "bf16": 2, "f64": 3, "f8E4M3FN": 4, "f8E5M2": 5, "i1": 6, "i8": 7, "i16": 8, "i32": 9,
         "i64": 10, "index": 11}
CPU, CUDA = 0, 1


class Value(ctypes.Structure):
    """fovea_value"""
    _fields_ = [("type", c_int32), ("rank", c_int32), ("data", c_void_p), ("sizes", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("scalar", c_uint64), ("buffer", c_void_p), ("buffer_bytes", c_uint64)]


class Device(ctypes.Structure):
    """fovea_device"""
    _fields_ = [("backend", c_int32), ("arch", c_char_p), ("threads", c_int32), ("parallel_for", c_void_p),
                ("parallel_context", c_void_p), ("stream", c_void_p)]


class ImplementationInfo(ctypes.Structure):
    """fovea_implementation_info"""
    _fields_ = [("backend", c_char_p), ("arch", c_char_p), ("features", c_char_p), ("kind", c_char_p),
                ("ptx_version", c_int32), ("code", c_void_p), ("code_size", ctypes.c_size_t)]


class KernelInfo(ctypes.Structure):
    """fovea_kernel_info"""
    _fields_ = [("symbol", c_char_p), ("step", c_char_p), ("variant", c_char_p), ("code", c_void_p),
                ("code_size", ctypes.c_size_t)]


class Selection(ctypes.Structure):
    """fovea_selection"""
    _fields_ = [("implementation", c_int32), ("step", c_char_p), ("variant", c_char_p), ("flops", c_int64)]


class FoveaError(RuntimeError):
    """A call that returned a status other than FOVEA_OK."""


class Runtime:
    """The loaded library."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.fovea_last_error.restype = c_char_p
        self.lib.fovea_artifact_function.restype = c_void_p
        self.lib.fovea_artifact_function.argtypes = [c_void_p, c_int32]
        self.lib.fovea_artifact_destroy.argtypes = [c_void_p]
        self.lib.fovea_function_implementation_count.argtypes = [c_void_p]
        self.lib.fovea_function_implementation.argtypes = [c_void_p, c_int32, POINTER(ImplementationInfo)]
        self.lib.fovea_function_kernel_count.argtypes = [c_void_p, c_int32]
        self.lib.fovea_function_kernel.argtypes = [c_void_p, c_int32, c_int32, POINTER(KernelInfo)]
        self.lib.fovea_workspace_size.argtypes = [c_void_p, POINTER(Device), POINTER(Value), c_int32, POINTER(c_uint64)]
        self.lib.fovea_select.argtypes = [c_void_p, POINTER(Device), POINTER(Value), c_int32, POINTER(Value), c_int32,
                                          c_int32, POINTER(Selection)]
        self.lib.fovea_prepare.argtypes = [c_void_p, POINTER(Device)]
        self.lib.fovea_prepare_launch.argtypes = [c_void_p, POINTER(Device), POINTER(Value), c_int32, POINTER(Value), c_int32]
        self.lib.fovea_launch.argtypes = [c_void_p, POINTER(Device), POINTER(Value), c_int32, POINTER(Value), c_int32,
                                          c_void_p, c_uint64]

    def require(self, status):
        if status:
            raise FoveaError(self.lib.fovea_last_error().decode())

    def load(self, path):
        artifact = c_void_p()
        self.require(self.lib.fovea_artifact_load_file(path.encode(), ctypes.byref(artifact)))
        return Function(self, artifact)


def tensor(kind, address, sizes, strides):
    """A fovea_value of a tensor; the sizes and strides live as long as the value."""
    rank = len(sizes)
    value = Value(TYPES[kind], rank, address, (c_int64 * rank)(*sizes), (c_int64 * rank)(*strides))
    return value


def scalar(kind, bits):
    """A fovea_value of an integer or, by its bits, a float."""
    return Value(type=TYPES[kind], rank=-1, scalar=bits)


class Function:
    """The first function of an artifact."""

    def __init__(self, runtime, artifact):
        self.runtime, self.artifact = runtime, artifact
        self.handle = runtime.lib.fovea_artifact_function(artifact, 0)

    def kernels(self, kind):
        """[(variant, symbol, bytes that are loaded for it)] of the implementations of one kind of code (ptx, cubin)"""
        lib, found = self.runtime.lib, []
        for i in range(lib.fovea_function_implementation_count(self.handle)):
            info = ImplementationInfo()
            self.runtime.require(lib.fovea_function_implementation(self.handle, i, ctypes.byref(info)))
            for k in range(lib.fovea_function_kernel_count(self.handle, i) if info.kind.decode() == kind else 0):
                kernel = KernelInfo()
                self.runtime.require(lib.fovea_function_kernel(self.handle, i, k, ctypes.byref(kernel)))
                found.append((kernel.variant.decode(), kernel.symbol.decode(), ctypes.string_at(kernel.code, kernel.code_size)))
        return found

    def variant_hashes(self):
        """{variant: SHA-256 of the PTX of its kernels}"""
        hashes = {}
        for variant, _, code in self.kernels("ptx"):
            hashes.setdefault(variant, hashlib.sha256()).update(code)
        return {variant: found.hexdigest() for variant, found in hashes.items()}


    def prepare(self, device):
        """Loads all kernels for a device."""
        self.runtime.require(self.runtime.lib.fovea_prepare(self.handle, ctypes.byref(device)))

    def workspace_bytes(self, device, arguments):
        count = c_uint64()
        array = (Value * len(arguments))(*arguments)
        self.runtime.require(self.runtime.lib.fovea_workspace_size(self.handle, ctypes.byref(device), array,
                                                                   len(arguments), ctypes.byref(count)))
        return count.value

    def variant(self, device, arguments, results):
        """Which variant of its first step a launch with these values runs."""
        ins, outs, selection = (Value * len(arguments))(*arguments), (Value * len(results))(*results), Selection()
        self.runtime.require(self.runtime.lib.fovea_select(self.handle, ctypes.byref(device), ins, len(ins), outs, len(outs),
                                                           0, ctypes.byref(selection)))
        return selection.variant.decode()

    def launcher(self, device, arguments, results, workspace, workspace_bytes):
        """A callable that launches with these values and does nothing else: what it runs is loaded here."""
        ins, outs = (Value * len(arguments))(*arguments), (Value * len(results))(*results)
        self.runtime.require(self.runtime.lib.fovea_prepare_launch(self.handle, ctypes.byref(device), ins, len(ins), outs,
                                                                   len(outs)))
        launch, require, where = self.runtime.lib.fovea_launch, self.runtime.require, ctypes.byref(device)

        def call(keep=(arguments, results)):
            require(launch(self.handle, where, ins, len(ins), outs, len(outs), workspace, workspace_bytes))
        return call
