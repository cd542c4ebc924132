"""What a measurement needs of the CUDA driver, by ctypes: memory, events, the device.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ctypes
import os
from ctypes import byref, c_float, c_int, c_size_t, c_ubyte, c_uint64, c_void_p

MULTIPROCESSORS = 16  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT


class CudaError(RuntimeError):
    """A driver call that failed."""


class Cuda:
    """The primary context of a device, current in this thread. FOVEA_LIBCUDA names another driver, as for the runtime."""

    def __init__(self, ordinal):
        path = os.environ.get("FOVEA_LIBCUDA", "libcuda.so.1")
        try:
            self.lib = ctypes.CDLL(path)
        except OSError:
            raise CudaError("no CUDA driver: cannot open '%s'" % path) from None
        device, context, stream = c_int(), c_void_p(), c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", byref(device), ordinal)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuStreamCreate", byref(stream), 0)
        self.device, self.stream = device, stream
        self.begin, self.end = self.event(), self.event()

    def call(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status:
            raise CudaError("%s failed with status %d" % (name, status))

    def event(self):
        event = c_void_p()
        self.call("cuEventCreate", byref(event), 0)
        return event

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, 255, self.device)
        return text.value.decode()

    def driver(self):
        """The version that the kernel module says, else the CUDA version of the driver."""
        try:
            with open("/sys/module/nvidia/version") as file:
                return file.read().strip()
        except OSError:
            version = c_int()
            self.call("cuDriverGetVersion", byref(version))
            return "CUDA %d.%d" % (version.value // 1000, version.value % 1000 // 10)

    def multiprocessors(self):
        count = c_int()
        self.call("cuDeviceGetAttribute", byref(count), MULTIPROCESSORS, self.device)
        return count.value

    def allocate(self, size):
        pointer = c_uint64()
        self.call("cuMemAlloc_v2", byref(pointer), c_size_t(max(size, 1)))
        return pointer.value

    def free(self, pointer):
        self.call("cuMemFree_v2", c_uint64(pointer))

    def upload(self, array):
        """A copy of a numpy array on the device."""
        pointer = self.allocate(array.nbytes)
        self.call("cuMemcpyHtoD_v2", c_uint64(pointer), c_void_p(array.ctypes.data), c_size_t(array.nbytes))
        return pointer

    def download(self, pointer, array):
        self.call("cuMemcpyDtoH_v2", c_void_p(array.ctypes.data), c_uint64(pointer), c_size_t(array.nbytes))

    def fill(self, pointer, byte, size):
        self.call("cuMemsetD8Async", c_uint64(pointer), c_ubyte(byte), c_size_t(size), self.stream)

    def synchronize(self):
        self.call("cuStreamSynchronize", self.stream)

    def time(self, call, count=1):
        """Milliseconds of each of so many calls back to back."""
        self.call("cuEventRecord", self.begin, self.stream)
        for _ in range(count):
            call()
        self.call("cuEventRecord", self.end, self.stream)
        self.call("cuEventSynchronize", self.end)
        elapsed = c_float()
        self.call("cuEventElapsedTime", byref(elapsed), self.begin, self.end)
        return elapsed.value / count
