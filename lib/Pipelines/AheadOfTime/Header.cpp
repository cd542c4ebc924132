//===- Header.cpp - The C header of compiled functions -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CFunction.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace fovea;

static StringRef getCType(Type type) {
  if (isa<ShapedType>(type))
    return "const fovea_value *";
  if (type.isF32())
    return "float ";
  if (type.isF64())
    return "double ";
  if (type.isIndex() || type.isInteger(64))
    return "int64_t ";
  return type.isInteger(32) ? "int32_t " : type.isInteger(16) ? "int16_t " : "int8_t ";
}

static std::string describe(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    os << type;
    return text;
  }
  os << shaped.getElementType() << " [";
  llvm::interleaveComma(shaped.getShape(), os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << "?";
    else
      os << size;
  });
  os << "]";
  return text;
}

static void writeParameters(llvm::raw_ostream &os, ArrayRef<CValue> values) {
  for (const CValue &value : values)
    os << ", " << getCType(value.type) << value.name;
}

static void writeFunction(llvm::raw_ostream &os, const CFunction &function, StringRef targets) {
  os << "/**\n * Runs `" << function.name << "`, compiled for " << targets << ".\n"
     << " * @param device where: backend, CPU threads, CUDA stream; null: the CPU with the default pool\n";
  for (const CValue &value : function.arguments)
    os << " * @param " << value.name << " " << describe(value.type)
       << (isa<MemRefType>(value.type) ? ", read or written in place" : "") << "\n";
  for (const CValue &value : function.results)
    os << " * @param " << value.name << " " << describe(value.type) << ", written\n";
  os << " * @param workspace as many bytes on the device as " << function.name << "_workspace_size says\n"
     << " */\nfovea_status " << function.name << "(const fovea_device *device";
  writeParameters(os, function.arguments);
  writeParameters(os, function.results);
  os << ", void *workspace, uint64_t workspace_bytes);\n\n"
     << "/** Bytes of workspace for arguments of these shapes; see fovea_workspace_size. */\nfovea_status "
     << function.name << "_workspace_size(const fovea_device *device";
  writeParameters(os, function.arguments);
  os << ", uint64_t *bytes);\n\n"
     << "/** The function as the runtime knows it, for fovea_prepare and fovea_result_sizes. */\nfovea_status "
     << function.name << "_find(const fovea_function **function);\n\n";
}

/// A macro that no other header has: made of the file's name and of what is in it.
static std::string getGuard(StringRef stem, StringRef body) {
  std::string guard = ("FOVEA_AOT_" + stem + "_" + llvm::utohexstr(llvm::xxh3_64bits(body)) + "_H").str();
  for (char &c : guard)
    c = llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  return guard;
}

std::string fovea::writeHeader(ArrayRef<CFunction> functions, StringRef stem, StringRef targets) {
  std::string body, text;
  llvm::raw_string_ostream declarations(body), os(text);
  for (const CFunction &function : functions)
    writeFunction(declarations, function, targets);
  std::string guard = getGuard(stem, body);
  os << "/* Written by fovea-compile. Link the object beside it and the runtime (-lfovea_runtime).\n\n"
        "   A tensor is a fovea_value: its address on the device, its sizes, and strides in elements of any value "
        "(null:\n"
        "   contiguous). Sizes written ? below are free at run time. Every call returns FOVEA_OK, or a status whose\n"
        "   message fovea_last_error() has. */\n\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include \"fovea/runtime.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << body << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
