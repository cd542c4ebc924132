#include "fovea/Target/NVPTX/Chips.h"
#include "fovea/Target/CPU/CPU.h"
