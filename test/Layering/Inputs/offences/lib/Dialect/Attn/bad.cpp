#include "fovea/Dialect/Tile/IR/Tile.h"
#include "fovea/Target/Target.h"
