#include "llvm/ADT/StringRef.h"
#include "fovea/ABI/Artifact.h"
