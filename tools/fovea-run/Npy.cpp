//===- Npy.cpp - NumPy's file format -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "Failure.h"
#include "File.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>

namespace fovea::run {
namespace {

bool isStoredAsF32(fovea_type type) { return type == FOVEA_BF16 || type == FOVEA_F8E4M3FN || type == FOVEA_F8E5M2; }

/// NumPy's name of a type.
const char *getDescriptor(fovea_type type) {
  switch (type) {
  case FOVEA_F16:
    return "<f2";
  case FOVEA_F64:
    return "<f8";
  case FOVEA_I1:
    return "|b1";
  case FOVEA_I8:
    return "|i1";
  case FOVEA_I16:
    return "<i2";
  case FOVEA_I32:
    return "<i4";
  case FOVEA_I64:
  case FOVEA_INDEX:
    return "<i8";
  default:
    return "<f4";
  }
}

struct Header {
  std::string descriptor;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// The text after `'key':` in the header's dictionary.
const char *findKey(const std::string &text, const char *key, const std::string &path) {
  size_t position = text.find(std::string("'") + key + "'");
  if (position == std::string::npos || (position = text.find(':', position)) == std::string::npos)
    failWith("%s: the header of the .npy file has no %s", path.c_str(), key);
  const char *value = text.c_str() + position + 1;
  return value + std::strspn(value, " ");
}

std::vector<int64_t> parseShape(const char *text, const std::string &path) {
  std::vector<int64_t> shape;
  if (*text++ != '(')
    failWith("%s: the shape of the .npy file is no tuple", path.c_str());
  while (true) {
    text += std::strspn(text, " ,");
    if (*text == ')')
      return shape;
    char *end;
    errno = 0;
    int64_t size = std::strtoll(text, &end, 10);
    if (end == text || size < 0 || errno)
      failWith("%s: the shape of the .npy file is damaged", path.c_str());
    if (shape.size() == FOVEA_MAX_RANK)
      failWith("%s: the .npy file has more than %d dimensions", path.c_str(), FOVEA_MAX_RANK);
    shape.push_back(size);
    text = end;
  }
}

Header readHeader(FILE *file, const std::string &path) {
  uint8_t start[12] = {};
  if (std::fread(start, 1, 8, file) != 8 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    failWith("%s is no .npy file", path.c_str());
  size_t lengthBytes = start[6] == 1 ? 2 : 4;
  if (start[6] < 1 || start[6] > 3 || std::fread(start + 8, 1, lengthBytes, file) != lengthBytes)
    failWith("%s: version %d of .npy is not supported", path.c_str(), start[6]);
  uint32_t length = start[8] | start[9] << 8 | start[10] << 16 | static_cast<uint32_t>(start[11]) << 24;
  std::string text(std::min(length, 1u << 20), ' ');
  if (length > text.size() || std::fread(text.data(), 1, length, file) != length)
    failWith("%s: the header of the .npy file is damaged", path.c_str());
  Header header;
  const char *descriptor = findKey(text, "descr", path);
  header.descriptor.assign(descriptor + (*descriptor != 0), std::strcspn(descriptor + (*descriptor != 0), "'\""));
  const char *order = findKey(text, "fortran_order", path);
  header.fortranOrder = std::strncmp(order, "True", 4) == 0;
  if (!header.fortranOrder && std::strncmp(order, "False", 5) != 0)
    failWith("%s: the fortran_order of the .npy file is neither True nor False", path.c_str());
  header.shape = parseShape(findKey(text, "shape", path), path);
  return header;
}

File open(const std::string &path, const char *mode) {
  File file(std::fopen(path.c_str(), mode));
  if (!file)
    failWith("cannot open %s: %s", path.c_str(), std::strerror(errno));
  return file;
}

/// Rounds f32 numbers into a type of 1 or 2 bytes.
std::shared_ptr<Memory> convert(const Memory &source, fovea_type type, int64_t count) {
  size_t size = fovea_type_size(type);
  auto memory = std::make_shared<Memory>(count * size);
  parallelFor(count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      writeElement(type, memory->data() + i * size, readElement(FOVEA_F32, source.data() + 4 * i));
  });
  return memory;
}

std::string makeHeader(const Tensor &tensor) {
  std::string shape;
  for (int64_t dim : tensor.dims)
    shape += std::to_string(dim) + ", ";
  if (tensor.dims.size() > 1)
    shape.resize(shape.size() - 2);
  std::string text = std::string("{'descr': '") + getDescriptor(tensor.type) + "', 'fortran_order': False, 'shape': (" +
                     shape + "), }";
  // The data begin at a multiple of 64 bytes.
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

} // namespace

Tensor readNpy(const std::string &path, fovea_type type) {
  File file = open(path, "rbe");
  Header header = readHeader(file.get(), path);
  if (header.descriptor != getDescriptor(type))
    failWith("%s holds '%s', an argument of type %s is read from '%s'", path.c_str(), header.descriptor.c_str(),
             fovea_type_name(type), getDescriptor(type));
  Tensor tensor;
  tensor.type = type;
  tensor.dims = header.shape;
  int64_t count = tensor.getNumElements();
  size_t stored = isStoredAsF32(type) ? 4 : fovea_type_size(type);
  auto memory = std::make_shared<Memory>(count * stored);
  if (std::fread(memory->data(), 1, count * stored, file.get()) != count * stored)
    failWith("%s is shorter than the %" PRId64 " elements of its header", path.c_str(), count);
  if (std::fgetc(file.get()) != EOF)
    failWith("%s is longer than the %" PRId64 " elements of its header", path.c_str(), count);
  tensor.memory = isStoredAsF32(type) ? convert(*memory, type, count) : memory;
  tensor.strides = getContiguousStrides(header.shape);
  if (header.fortranOrder) {
    std::reverse(header.shape.begin(), header.shape.end());
    tensor.strides = getContiguousStrides(header.shape);
    std::reverse(tensor.strides.begin(), tensor.strides.end());
  }
  return tensor;
}

void writeNpy(const std::string &path, const Tensor &tensor) {
  File file = open(path, "wbe");
  std::string header = makeHeader(tensor);
  bool written = std::fwrite(header.data(), 1, header.size(), file.get()) == header.size();
  fovea_type type = isStoredAsF32(tensor.type) ? FOVEA_F32 : tensor.type;
  size_t size = fovea_type_size(tensor.type), stored = fovea_type_size(type);
  std::vector<uint8_t> row(tensor.getRowLength() * stored);
  int64_t step = tensor.getRowStride() * static_cast<int64_t>(size);
  for (int64_t r = 0; written && !tensor.isEmpty() && r < tensor.getNumRows(); ++r) {
    const uint8_t *address = tensor.memory->data() + tensor.getRowOffset(r);
    for (int64_t i = 0; i < tensor.getRowLength(); ++i)
      if (type == tensor.type)
        std::memcpy(row.data() + i * stored, address + i * step, size);
      else
        writeElement(type, row.data() + i * stored, readElement(tensor.type, address + i * step));
    written = std::fwrite(row.data(), 1, row.size(), file.get()) == row.size();
  }
  if (std::fflush(file.get()) != 0 || !written)
    failWith("cannot write %s: %s", path.c_str(), std::strerror(errno));
}

} // namespace fovea::run
