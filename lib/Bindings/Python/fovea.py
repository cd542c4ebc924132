"""Fovea's compiler from Python: IR as text in, artifacts, code or IR out. Needs nothing but the shared library of the C API.

Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    import fovea
    artifact = fovea.compile(text, targets=["cpu", "sm_80"])      # bytes, for fovea-run or the runtime
    ptx = fovea.emit(text, "ptx", target="sm_80")
    planned = fovea.run_pipeline(text, "builtin.module(attn-plan-pipeline{target=cpu})")

What cannot be compiled raises fovea.Error with the diagnostics. Every call has a context of its own.
"""
import ctypes
import glob
import os

_KINDS = {"llvm": 0, "asm": 1, "obj": 2, "so": 3, "ptx": 4, "cubin": 5}
_TEXTS = ("llvm", "asm", "ptx")


class Error(Exception):
    """What the compiler said, one diagnostic a line."""


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Handle(ctypes.Structure):
    """Every object of the C API: a structure of one pointer."""
    _fields_ = [("ptr", ctypes.c_void_p)]


_WRITE = ctypes.CFUNCTYPE(None, _String, ctypes.c_void_p)
# A structure of one byte is returned as that byte, which is all that a callback may return.
_DIAGNOSE = ctypes.CFUNCTYPE(ctypes.c_int8, _Handle, ctypes.c_void_p)


def _find_library():
    """The path in FOVEA_C_LIBRARY, or the library of the tree that this file is installed in."""
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = glob.glob(os.path.join(prefix, "lib*", "**", "libFovea-C.so"), recursive=True)
    return os.environ.get("FOVEA_C_LIBRARY") or (paths[0] if paths else "libFovea-C.so")


def _load():
    library = ctypes.CDLL(_find_library())
    handle, string, byte, flag, data = _Handle, _String, ctypes.c_int8, ctypes.c_bool, ctypes.c_void_p
    signatures = {
        "foveaGetVersion": (string,),
        "foveaRegisterAllDialects": (None, handle),
        "foveaRegisterAllPasses": (None,),
        "foveaCompileOptionsCreate": (handle,),
        "foveaCompileOptionsDestroy": (None, handle),
        "foveaCompileOptionsSetTargets": (None, handle, ctypes.c_ssize_t, ctypes.POINTER(string)),
        "foveaCompileOptionsSetReference": (None, handle, string),
        "foveaCompileOptionsSetOptLevel": (None, handle, ctypes.c_int),
        "foveaCompileOptionsSetMachineCode": (None, handle, flag),
        "foveaCompileOptionsSetStrategy": (None, handle, string),
        "foveaCompileOptionsSetTuning": (None, handle, string),
        "foveaCompileToArtifact": (byte, handle, handle, _WRITE, data),
        "foveaCompileToCode": (byte, handle, handle, ctypes.c_int, _WRITE, data),
        "mlirDialectRegistryCreate": (handle,),
        "mlirDialectRegistryDestroy": (None, handle),
        "mlirRegisterAllDialects": (None, handle),
        "mlirRegisterAllPasses": (None,),
        "mlirContextCreateWithRegistry": (handle, handle, flag),
        "mlirContextDestroy": (None, handle),
        "mlirContextAttachDiagnosticHandler": (ctypes.c_uint64, handle, _DIAGNOSE, data, data),
        "mlirDiagnosticPrint": (None, handle, _WRITE, data),
        "mlirDiagnosticGetLocation": (handle, handle),
        "mlirLocationPrint": (None, handle, _WRITE, data),
        "mlirModuleCreateParse": (handle, handle, string),
        "mlirModuleGetOperation": (handle, handle),
        "mlirModuleDestroy": (None, handle),
        "mlirOperationPrint": (None, handle, _WRITE, data),
        "mlirPassManagerCreate": (handle, handle),
        "mlirPassManagerDestroy": (None, handle),
        "mlirPassManagerGetAsOpPassManager": (handle, handle),
        "mlirParsePassPipeline": (byte, handle, string, _WRITE, data),
        "mlirPassManagerRunOnOp": (byte, handle, handle),
    }
    for name, (result, *arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.mlirRegisterAllPasses()
    library.foveaRegisterAllPasses()
    return library


_lib = _load()


def _string(text):
    """A string of the C API; the bytes are kept alive by the buffer it refers to."""
    data = text.encode()
    result = _String(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
    result.keep = data
    return result


class _Sink:
    """Collects what callbacks are given."""

    def __init__(self):
        self.data = bytearray()
        self.callback = _WRITE(lambda string, _: self.data.extend(ctypes.string_at(string.data, string.length)))

    def text(self):
        return self.data.decode()


class _Module:
    """A parsed module in a context of its own, whose diagnostics become an Error."""

    def __init__(self, text):
        self.text, self.diagnostics = text, []
        self.handler = _DIAGNOSE(self._diagnose)

    def _diagnose(self, diagnostic, _):
        place, message = _Sink(), _Sink()
        _lib.mlirLocationPrint(_lib.mlirDiagnosticGetLocation(diagnostic), place.callback, None)
        _lib.mlirDiagnosticPrint(diagnostic, message.callback, None)
        self.diagnostics.append("%s: %s" % (place.text(), message.text()))
        return 1

    def __enter__(self):
        registry = _lib.mlirDialectRegistryCreate()
        _lib.mlirRegisterAllDialects(registry)
        _lib.foveaRegisterAllDialects(registry)
        self.context = _lib.mlirContextCreateWithRegistry(registry, False)
        _lib.mlirDialectRegistryDestroy(registry)
        _lib.mlirContextAttachDiagnosticHandler(self.context, self.handler, None, None)
        self.module = _lib.mlirModuleCreateParse(self.context, _string(self.text))
        if not self.module.ptr:
            _lib.mlirContextDestroy(self.context)
            raise Error("\n".join(self.diagnostics))
        return self

    def __exit__(self, *_):
        _lib.mlirModuleDestroy(self.module)
        _lib.mlirContextDestroy(self.context)

    def require(self, result, otherwise=""):
        """Raises what was said where a call failed."""
        if not result:
            raise Error("\n".join(self.diagnostics) or otherwise)


class _Options:
    """Options of a compilation."""

    def __init__(self, targets, opt_level, strategy, tuning, reference=None, machine_code=False):
        names = [targets] if isinstance(targets, str) else targets
        self.targets, self.opt_level = [_string(name) for name in names], opt_level
        self.strategy, self.tuning, self.reference, self.machine_code = strategy, tuning, reference, machine_code

    def __enter__(self):
        options = self.options = _lib.foveaCompileOptionsCreate()
        _lib.foveaCompileOptionsSetTargets(options, len(self.targets), (_String * len(self.targets))(*self.targets))
        _lib.foveaCompileOptionsSetOptLevel(options, self.opt_level)
        _lib.foveaCompileOptionsSetMachineCode(options, self.machine_code)
        _lib.foveaCompileOptionsSetStrategy(options, _string(self.strategy))
        _lib.foveaCompileOptionsSetTuning(options, _string(self.tuning))
        if self.reference:
            _lib.foveaCompileOptionsSetReference(options, _string(self.reference))
        return options

    def __exit__(self, *_):
        _lib.foveaCompileOptionsDestroy(self.options)


def version():
    """Fovea's version."""
    text = _lib.foveaGetVersion()
    return ctypes.string_at(text.data, text.length).decode()


def compile(text, targets=("cpu",), reference=None, opt_level=3, strategy="", tuning="", machine_code=False):
    """The artifact of a module for one or more targets. `reference` names a CPU for the float64 judge, `strategy` is an
    `#attn.strategy<...>` for all ops, `tuning` a file of tuned ones, and `machine_code` adds cubin beside PTX."""
    sink = _Sink()
    with _Module(text) as module, _Options(targets, opt_level, strategy, tuning, reference, machine_code) as options:
        module.require(_lib.foveaCompileToArtifact(module.module, options, sink.callback, None))
    return bytes(sink.data)


def emit(text, kind, target="cpu", opt_level=3, strategy="", tuning=""):
    """Code of one kind for the kernels of a module: llvm, asm and ptx as str; obj, so and cubin as bytes."""
    if kind not in _KINDS:
        raise Error("unknown kind %r of code; known are %s" % (kind, ", ".join(_KINDS)))
    sink = _Sink()
    with _Module(text) as module, _Options([target], opt_level, strategy, tuning) as options:
        module.require(_lib.foveaCompileToCode(module.module, options, _KINDS[kind], sink.callback, None))
    return sink.text() if kind in _TEXTS else bytes(sink.data)


def run_pipeline(text, pipeline):
    """A module after a pipeline, of Fovea's passes and upstream's: `builtin.module(...)`."""
    sink, errors = _Sink(), _Sink()
    with _Module(text) as module:
        passes = _lib.mlirPassManagerCreate(module.context)
        try:
            top = _lib.mlirPassManagerGetAsOpPassManager(passes)
            parsed = _lib.mlirParsePassPipeline(top, _string(pipeline), errors.callback, None)
            module.require(parsed, errors.text())
            module.require(_lib.mlirPassManagerRunOnOp(passes, _lib.mlirModuleGetOperation(module.module)))
        finally:
            _lib.mlirPassManagerDestroy(passes)
        _lib.mlirOperationPrint(_lib.mlirModuleGetOperation(module.module), sink.callback, None)
    return sink.text()
