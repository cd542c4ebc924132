//===- AttnParser.cpp - Custom assembly of the attn dialect, read -*- C++ -*-===//
//
// Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op is a list of clauses, each at most once, in any order. AttnPrinter.cpp prints them in the order of `kClauses`.
//
//===----------------------------------------------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fovea::attn;

//===----------------------------------------------------------------------===//
// Clauses
//===----------------------------------------------------------------------===//

namespace {
using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

constexpr StringLiteral kClauses[] = {"ins",        "scale",     "causal",     "window", "bias",
                                      "mask",       "sink",      "kv_lengths", "base",   "block_map",
                                      "block_list", "score_mod", "mask_mod",   "outs"};
constexpr StringLiteral kCombineClauses[] = {"ins", "sink", "outs"};

/// A clause that names a feature of the semantics which the op does not have yet.
struct RefusedClause {
  StringLiteral name, feature, remedy;
};
constexpr RefusedClause kRefusedClauses[] = {
    {"cu_seqlens", "packed sequences", "pad the sequences to one length and give kv_lengths"},
    {"cu_seqlens_q", "packed sequences", "pad the sequences to one length and give kv_lengths"},
    {"cu_seqlens_k", "packed sequences", "pad the sequences to one length and give kv_lengths"},
    {"page_table", "paged keys and values", "gather the pages into one tensor and give kv_lengths"},
    {"block_table", "paged keys and values", "gather the pages into one tensor and give kv_lengths"},
    {"dropout", "dropout masks", "leave it out for inference"},
    {"q_descale", "descale factors of f8 inputs", "multiply the query factor into scale"},
    {"k_descale", "descale factors of f8 inputs", "multiply the key factor into scale"},
    {"v_descale", "descale factors of f8 inputs", "multiply the output by the value factor"},
};

/// Reads the clauses of one op: dispatch, duplicates, attributes, and what is common to their operands.
class ClauseParser {
public:
  ClauseParser(OpAsmParser &parser, OperationState &result, ArrayRef<StringLiteral> clauses)
      : parser(parser), result(result), clauses(clauses.begin(), clauses.end()) {}
  virtual ~ClauseParser() = default;

protected:
  /// An operand with its type, as written.
  struct TypedOperand {
    UnresolvedOperand operand;
    Type type;
  };
  using TypedList = SmallVector<TypedOperand, 3>;

  /// Parses what stands behind the name of a clause.
  virtual ParseResult parseClause(StringRef name) = 0;
  /// Names of attributes that a clause stands for; they may not be written in the dictionary.
  virtual ArrayRef<StringRef> getClauseAttrs() const { return {}; }

  ParseResult parseClauses();
  ParseResult parseAttrDict();
  /// `(%a, %b : type, type)` with at least `min` and at most `max` operands.
  ParseResult parseTypedList(StringRef name, unsigned min, unsigned max, TypedList &list);
  /// Appends the operands of a list and their number.
  ParseResult addSegment(ArrayRef<TypedOperand> list, SmallVectorImpl<int32_t> &segments);
  /// Types of tensor destinations are the result types.
  void addResults(ArrayRef<TypedOperand> outs);
  ParseResult emitUnknownClause(SMLoc loc, StringRef name);

  OpAsmParser &parser;
  OperationState &result;
  SmallVector<StringRef> clauses;
  llvm::StringSet<> seen;
};
} // namespace

/// The identifier at `loc` if `(` follows it: no operation is spelled so, a clause is, and so is a trailing location.
static StringRef peekClause(SMLoc loc) {
  const char *begin = loc.getPointer(), *end = begin; // the buffer is terminated by zero
  while (llvm::isAlnum(*end) || *end == '_')
    ++end;
  const char *next = end;
  while (*next == ' ')
    ++next;
  StringRef name(begin, end - begin);
  return *next == '(' && name != "loc" ? name : StringRef();
}

ParseResult ClauseParser::emitUnknownClause(SMLoc loc, StringRef name) {
  for (const RefusedClause &refused : kRefusedClauses)
    if (refused.name == name)
      return parser.emitError(loc) << refused.feature << " (" << name << ") are not supported by "
                                   << result.name.getStringRef() << " yet; " << refused.remedy;
  return parser.emitError(loc) << "unknown clause '" << name << "' of " << result.name.getStringRef()
                               << "; known clauses: " << llvm::join(clauses, ", ");
}

ParseResult ClauseParser::parseClauses() {
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (succeeded(parser.parseOptionalKeyword(&name, clauses))) {
      if (!seen.insert(name).second)
        return parser.emitError(loc) << "clause '" << name << "' is given twice";
      if (parseClause(name))
        return failure();
      continue;
    }
    if (StringRef unknown = peekClause(loc); !unknown.empty())
      return emitUnknownClause(loc, unknown);
    if (parseAttrDict())
      return failure();
    if (parser.getCurrentLocation() == loc)
      break;
  }
  for (StringRef name : {"ins", "outs"})
    if (!seen.contains(name))
      return parser.emitError(parser.getNameLoc()) << "clause '" << name << "' is missing";
  return success();
}

ParseResult ClauseParser::parseAttrDict() {
  SMLoc loc = parser.getCurrentLocation();
  NamedAttrList attrs;
  if (parser.parseOptionalAttrDict(attrs))
    return failure();
  for (NamedAttribute attr : attrs) {
    StringRef name = attr.getName();
    if (name == "operandSegmentSizes" || llvm::is_contained(getClauseAttrs(), name))
      return parser.emitError(loc) << "attribute '" << name << "' is written as a clause, not in the dictionary";
    if (result.attributes.get(name))
      return parser.emitError(loc) << "attribute '" << name << "' is given twice";
  }
  result.attributes.append(attrs);
  return result.name.verifyInherentAttrs(
      attrs, [&] { return parser.emitError(loc) << "'" << result.name.getStringRef() << "' op "; });
}

ParseResult ClauseParser::parseTypedList(StringRef name, unsigned min, unsigned max, TypedList &list) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (parser.parseLParen() || parser.parseOperandList(operands) || parser.parseColonTypeList(types) ||
      parser.parseRParen())
    return failure();
  if (operands.size() < min || operands.size() > max) {
    InFlightDiagnostic diag = parser.emitError(loc) << "clause '" << name << "' takes " << min;
    if (min != max)
      diag << " or " << max;
    return diag << (max == 1 ? " operand" : " operands") << ", got " << operands.size();
  }
  if (operands.size() != types.size())
    return parser.emitError(loc) << "clause '" << name << "' has " << operands.size() << " operands but "
                                 << types.size() << " types";
  for (auto [operand, type] : llvm::zip_equal(operands, types))
    list.push_back({operand, type});
  return success();
}

ParseResult ClauseParser::addSegment(ArrayRef<TypedOperand> list, SmallVectorImpl<int32_t> &segments) {
  segments.push_back(list.size());
  for (const TypedOperand &operand : list)
    if (parser.resolveOperand(operand.operand, operand.type, result.operands))
      return failure();
  return success();
}

void ClauseParser::addResults(ArrayRef<TypedOperand> outs) {
  for (const TypedOperand &out : outs)
    if (isa<RankedTensorType>(out.type))
      result.addTypes(out.type);
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

namespace {
class AttentionParser final : public ClauseParser {
public:
  AttentionParser(OpAsmParser &parser, OperationState &result)
      : ClauseParser(parser, result, kClauses), scoreMod(result.addRegion()), maskMod(result.addRegion()) {}
  ParseResult parse();

private:
  ParseResult parseClause(StringRef name) override;
  ArrayRef<StringRef> getClauseAttrs() const override { return clauseAttrs; }

  ParseResult parseScale();
  ParseResult parseDiagonal();
  ParseResult parseWindow();
  ParseResult parseWindowBound(StringAttr attrName);
  ParseResult parseBase();
  ParseResult parseBlockMap();
  ParseResult parseRegion(StringRef name, Region &region, ArrayRef<StringRef> argNames);

  const StringRef clauseAttrs[6] = {"static_scale", "causal",       "diagonal",
                                    "window_left",  "window_right", "block_map_sizes"};
  TypedList ins, scale, bias, mask, sink, kvLengths, offset, base, blockMap, blockList, outs;
  std::optional<Diagonal> diagonal;
  Region *scoreMod, *maskMod;
};
} // namespace

ParseResult AttentionParser::parseClause(StringRef name) {
  TypedList *single = llvm::StringSwitch<TypedList *>(name)
                          .Case("bias", &bias)
                          .Case("mask", &mask)
                          .Case("sink", &sink)
                          .Case("kv_lengths", &kvLengths)
                          .Case("block_list", &blockList)
                          .Default(nullptr);
  if (single)
    return parseTypedList(name, 1, 1, *single);
  if (name == "ins")
    return parseTypedList(name, 3, 3, ins);
  if (name == "outs")
    return parseTypedList(name, 1, 2, outs);
  if (name == "scale")
    return parseScale();
  if (name == "causal") {
    result.addAttribute("causal", parser.getBuilder().getUnitAttr());
    return failure(parser.parseLParen() || parseDiagonal() || parser.parseRParen());
  }
  if (name == "window")
    return parseWindow();
  if (name == "base")
    return parseBase();
  if (name == "block_map")
    return parseBlockMap();
  if (name == "score_mod")
    return parseRegion(name, *scoreMod, {"score", "batch", "head", "query", "key"});
  return parseRegion(name, *maskMod, {"batch", "head", "query", "key"});
}

/// `(0.125)` or `(%scale)`
ParseResult AttentionParser::parseScale() {
  if (parser.parseLParen())
    return failure();
  Type f32 = parser.getBuilder().getF32Type();
  UnresolvedOperand operand;
  OptionalParseResult hasOperand = parser.parseOptionalOperand(operand);
  if (hasOperand.has_value()) {
    if (*hasOperand)
      return failure();
    scale.push_back({operand, f32});
    return parser.parseRParen();
  }
  APFloat constant(APFloat::IEEEsingle());
  if (parser.parseFloat(APFloat::IEEEsingle(), constant) || parser.parseRParen())
    return failure();
  result.addAttribute("static_scale", FloatAttr::get(f32, constant));
  return success();
}

/// `top_left`, `bottom_right` or `%offset : type`
ParseResult AttentionParser::parseDiagonal() {
  SMLoc loc = parser.getCurrentLocation();
  if (diagonal)
    return parser.emitError(loc, "the diagonal is named twice, in causal and in window; name it in causal alone");
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"top_left", "bottom_right"}))) {
    diagonal = symbolizeDiagonal(keyword);
    return success();
  }
  UnresolvedOperand operand;
  OptionalParseResult hasOperand = parser.parseOptionalOperand(operand);
  if (!hasOperand.has_value())
    return parser.emitError(loc, "expected a diagonal: top_left, bottom_right or '%offset : type'");
  Type type;
  if (*hasOperand || parser.parseColonType(type))
    return failure();
  diagonal = Diagonal::Offset;
  offset.push_back({operand, type});
  return success();
}

/// A number of keys, or `*` for unbounded.
ParseResult AttentionParser::parseWindowBound(StringAttr attrName) {
  if (succeeded(parser.parseOptionalStar()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  APInt bound;
  OptionalParseResult hasBound = parser.parseOptionalInteger(bound);
  if (!hasBound.has_value())
    return parser.emitError(loc, "expected a window bound: a number of keys, or * for unbounded");
  if (*hasBound)
    return failure();
  if (!bound.isSignedIntN(64))
    return parser.emitError(loc) << "a window bound is a number of keys up to 2^63 - 1, but this one is "
                                 << llvm::toString(bound, /*Radix=*/10, /*Signed=*/true)
                                 << "; * is for an unbounded side";
  result.addAttribute(attrName, parser.getBuilder().getI64IntegerAttr(bound.getSExtValue()));
  return success();
}

/// `(left, right)` or `(left, right, diagonal)`
ParseResult AttentionParser::parseWindow() {
  Builder &b = parser.getBuilder();
  if (parser.parseLParen() || parseWindowBound(b.getStringAttr("window_left")) || parser.parseComma() ||
      parseWindowBound(b.getStringAttr("window_right")))
    return failure();
  if (succeeded(parser.parseOptionalComma()) && parseDiagonal())
    return failure();
  return parser.parseRParen();
}

/// `(%b0, %h0, %i0, %j0)`
ParseResult AttentionParser::parseBase() {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<UnresolvedOperand> operands;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  if (operands.size() != 4)
    return parser.emitError(loc) << "base takes 4 indices (batch, head, query, key), got " << operands.size();
  for (UnresolvedOperand &operand : operands)
    base.push_back({operand, parser.getBuilder().getIndexType()});
  return success();
}

/// `(%states : type, queries, keys)`
ParseResult AttentionParser::parseBlockMap() {
  UnresolvedOperand states;
  Type type;
  int64_t queries, keys;
  if (parser.parseLParen() || parser.parseOperand(states) || parser.parseColonType(type) || parser.parseComma() ||
      parser.parseInteger(queries) || parser.parseComma() || parser.parseInteger(keys) || parser.parseRParen())
    return failure();
  blockMap.push_back({states, type});
  result.addAttribute("block_map_sizes", parser.getBuilder().getDenseI64ArrayAttr({queries, keys}));
  return success();
}

/// `(%b, %h, %i, %j) { ... }`; the types are known: f32 for the score, index for the rest.
ParseResult AttentionParser::parseRegion(StringRef name, Region &region, ArrayRef<StringRef> argNames) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> args;
  if (parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren))
    return failure();
  if (args.size() != argNames.size())
    return parser.emitError(loc) << name << " takes " << argNames.size() << " arguments (" << llvm::join(argNames, ", ")
                                 << "), got " << args.size();
  Builder &b = parser.getBuilder();
  for (auto [arg, argName] : llvm::zip_equal(args, argNames))
    arg.type = argName == "score" ? Type(b.getF32Type()) : Type(b.getIndexType());
  if (parser.parseRegion(region, args))
    return failure();
  AttentionOp::ensureTerminator(region, b, result.location);
  return success();
}

ParseResult AttentionParser::parse() {
  if (parseClauses())
    return failure();
  bool needsDiagonal =
      result.attributes.get("causal") || result.attributes.get("window_left") || result.attributes.get("window_right");
  if (!needsDiagonal) { // window(*, *, diagonal) keeps every key
    diagonal = std::nullopt;
    offset.clear();
  }
  if (diagonal)
    result.addAttribute("diagonal", DiagonalAttr::get(parser.getContext(), *diagonal));
  SmallVector<int32_t> segments;
  for (const TypedOperand &operand : ins)
    if (addSegment(operand, segments))
      return failure();
  for (const TypedList *list : {&scale, &bias, &mask, &sink, &kvLengths, &offset, &base, &blockMap, &blockList})
    if (addSegment(*list, segments))
      return failure();
  if (addSegment(outs.front(), segments) || addSegment(ArrayRef(outs).drop_front(), segments))
    return failure();
  llvm::copy(segments, result.getOrAddProperties<AttentionOp::Properties>().operandSegmentSizes.begin());
  addResults(outs);
  return success();
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &result) {
  return AttentionParser(parser, result).parse();
}

//===----------------------------------------------------------------------===//
// combine
//===----------------------------------------------------------------------===//

namespace {
class CombineParser final : public ClauseParser {
public:
  CombineParser(OpAsmParser &parser, OperationState &result) : ClauseParser(parser, result, kCombineClauses) {}
  ParseResult parse();

private:
  ParseResult parseClause(StringRef name) override;

  TypedList ins, sink, outs;
};
} // namespace

ParseResult CombineParser::parseClause(StringRef name) {
  if (name == "ins")
    return parseTypedList(name, 2, 2, ins);
  if (name == "sink")
    return parseTypedList(name, 1, 1, sink);
  return parseTypedList(name, 1, 2, outs);
}

ParseResult CombineParser::parse() {
  SmallVector<int32_t> segments;
  if (parseClauses() || addSegment(ins[0], segments) || addSegment(ins[1], segments) || addSegment(sink, segments) ||
      addSegment(outs.front(), segments) || addSegment(ArrayRef(outs).drop_front(), segments))
    return failure();
  llvm::copy(segments, result.getOrAddProperties<CombineOp::Properties>().operandSegmentSizes.begin());
  addResults(outs);
  return success();
}

ParseResult CombineOp::parse(OpAsmParser &parser, OperationState &result) {
  return CombineParser(parser, result).parse();
}
