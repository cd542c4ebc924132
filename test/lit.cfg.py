import os
import shutil

import lit.formats

config.name = "Fovea"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fovea_binary_dir, "test")

path = [os.path.join(config.fovea_binary_dir, "bin"), config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("HOME", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%source", config.fovea_source_dir))

if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
