/*===- Builders.h - What the tests build modules with -*- C -*-===*\
|*                                                                            *|
|* Part of the Fovea Project, under the Apache License v2.0 with LLVM         *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FOVEA_TEST_CAPI_BUILDERS_H
#define FOVEA_TEST_CAPI_BUILDERS_H

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/** Ends the test where a condition does not hold, in every kind of build. */
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                        \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static inline MlirStringRef str(const char *text) { return mlirStringRefCreateFromCString(text); }

static inline MlirType parseType(MlirContext context, const char *text) {
  MlirType type = mlirTypeParseGet(context, str(text));
  REQUIRE(!mlirTypeIsNull(type));
  return type;
}

static inline MlirNamedAttribute attribute(MlirContext context, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, str(name)), value);
}

/** Appends an op with operands and at most one result to a block. */
static inline MlirOperation append(MlirBlock block, MlirLocation location, const char *name, intptr_t operandCount,
                                   const MlirValue *operands, intptr_t resultCount, const MlirType *results) {
  MlirOperationState state = mlirOperationStateGet(str(name), location);
  mlirOperationStateAddOperands(&state, operandCount, operands);
  mlirOperationStateAddResults(&state, resultCount, results);
  MlirOperation op = mlirOperationCreate(&state);
  REQUIRE(!mlirOperationIsNull(op));
  mlirBlockAppendOwnedOperation(block, op);
  return op;
}

/** A function of a module; returns its entry block. */
static inline MlirBlock appendFunction(MlirModule module, const char *name, intptr_t argumentCount,
                                       const MlirType *arguments, intptr_t resultCount, const MlirType *results) {
  MlirContext context = mlirModuleGetContext(module);
  MlirLocation location = mlirLocationUnknownGet(context);
  MlirLocation locations[16];
  REQUIRE(argumentCount <= 16);
  for (intptr_t i = 0; i < argumentCount; ++i)
    locations[i] = location;
  MlirType type = mlirFunctionTypeGet(context, argumentCount, arguments, resultCount, results);
  MlirNamedAttribute attributes[] = {attribute(context, "sym_name", mlirStringAttrGet(context, str(name))),
                                     attribute(context, "function_type", mlirTypeAttrGet(type))};
  MlirBlock entry = mlirBlockCreate(argumentCount, arguments, locations);
  MlirRegion body = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(body, entry);
  MlirOperationState state = mlirOperationStateGet(str("func.func"), location);
  mlirOperationStateAddAttributes(&state, 2, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), mlirOperationCreate(&state));
  return entry;
}

/** Prints diagnostics to standard output. */
static inline void printText(MlirStringRef text, void *userData) { fwrite(text.data, 1, text.length, userData); }
static inline MlirLogicalResult printDiagnostic(MlirDiagnostic diagnostic, void *userData) {
  printf("diagnostic: ");
  mlirDiagnosticPrint(diagnostic, printText, stdout);
  printf("\n");
  return mlirLogicalResultSuccess();
}

static inline void print(MlirAttribute value) {
  mlirAttributePrint(value, printText, stdout);
  printf("\n");
}

#endif /* FOVEA_TEST_CAPI_BUILDERS_H */
