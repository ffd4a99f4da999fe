#include "lockstep/ops/gather.h"

#include <fmt/format.h>

#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/positions.h"

namespace lockstep {

namespace {
void check_index(std::string_view op, const Type& index) {
  if (index.dtype != DType::i32 && index.dtype != DType::i64)
    refuse(op, "index must be whole numbers", type_text(index), "i32 or i64");
}

int64_t row_of(std::string_view op, const Tensor& index, size_t i, int64_t rows) {
  int64_t row = index.whole[i];
  if (row < 0 || row >= rows)
    throw data_error(fmt::format("{}: index[{}] = {} is out of range", op, i, row))
        .but(std::to_string(row),
             rows == 0 ? "nothing: the table has no rows" : fmt::format("0..{}", rows - 1));
  return row;
}

int64_t row_size(const Shape& table) { return elements(Shape(table.begin() + 1, table.end())); }

/// Only the rows that are looked up are touched.
Cost lookup_cost(const Type& index, const Type& rows, double flops) {
  return {flops * static_cast<double>(rows.elements()),
          static_cast<double>(index.bytes()) + 2 * static_cast<double>(rows.bytes())};
}
}  // namespace

Types Gather::infer(const Types& in) const {
  check_index(info.name, in[1]);
  if (in[0].shape.empty())
    refuse(info.name, "table must have rows", type_text(in[0]), "a table with at least one axis");
  Type out{in[0].dtype, in[1].shape};
  out.shape.insert(out.shape.end(), in[0].shape.begin() + 1, in[0].shape.end());
  check_shape(info.name, out.shape);
  return {out};
}

Values Gather::grad(NodeView n, const Values& dy) const {
  return {gather_backward(dy[0], n.in(1), n.in(0).shape()[0]), Value{}};
}

void Gather::eval(Args a) const {
  const Tensor& index = *a.in[1];
  int64_t width = row_size(a.in[0]->shape());
  with_elements(*a.in[0], *a.out[0], [&](const auto& table, auto& y) {
    for (size_t i = 0; i < index.whole.size(); ++i) {
      int64_t row = row_of(info.name, index, i, a.in[0]->shape()[0]);
      for (int64_t j = 0; j < width; ++j) y[i * width + j] = table[row * width + j];
    }
  });
}

Cost Gather::cost(const Types& in) const { return lookup_cost(in[1], infer(in)[0], 0); }

OpCases Gather::cases() {
  OpCases all;
  auto one = [&](const char* table, const char* index) {
    Type t = parse_type(table);
    all.push_back(
        op_case(Gather{}, {t, parse_type(index)}, {Domain{}, Domain{0, static_cast<double>(t.shape[0])}}));
  };
  one("f32[4,3]", "i32[5]");
  one("f64[3,2,5]", "i64[2,3]");
  one("f64[7]", "i32[]");
  one("f32[1,1]", "i32[1]");
  one("f32[0,3]", "i32[0]");
  one("f32[3,0]", "i64[5]");
  one("f16[5,3]", "i32[7]");
  one("bf16[3,3]", "i32[3]");
  one("i32[5]", "i32[3]");
  return all;
}

Types GatherBackward::infer(const Types& in) const {
  check_index(info.name, in[1]);
  if (in[0].dtype == DType::pred)
    refuse(info.name, "dy must be a number", type_text(in[0]), "floating point or integers");
  const Shape &dy = in[0].shape, &index = in[1].shape;
  if (dy.size() < index.size() || !std::equal(index.begin(), index.end(), dy.begin()))
    refuse(info.name, "the shape of dy must begin with that of index", inputs_text(info, in));
  Type out{in[0].dtype, {rows}};
  out.shape.insert(out.shape.end(), dy.begin() + static_cast<int64_t>(index.size()), dy.end());
  check_shape(info.name, out.shape);
  return {out};
}

Values GatherBackward::grad(NodeView n, const Values& dy) const { return {gather(dy[0], n.in(1)), Value{}}; }

void GatherBackward::eval(Args a) const {
  const Tensor& index = *a.in[1];
  int64_t width = row_size(a.out[0]->shape());
  with_elements(*a.in[0], *a.out[0], [&](const auto& dy, auto& dtable) {
    for (size_t i = 0; i < index.whole.size(); ++i) {
      int64_t row = row_of(info.name, index, i, rows);
      for (int64_t j = 0; j < width; ++j)
        dtable[row * width + j] = Add::value(dtable[row * width + j], dy[i * width + j]);
    }
  });
}

Cost GatherBackward::cost(const Types& in) const {
  Cost cost = lookup_cost(in[1], in[0], 1);
  cost.bytes += static_cast<double>(infer(in)[0].bytes());
  return cost;
}

OpCases GatherBackward::cases() {
  OpCases all;
  auto one = [&](const char* dy, const char* index, int64_t rows) {
    all.push_back(op_case(GatherBackward{rows}, {parse_type(dy), parse_type(index)},
                          {Domain{}, Domain{0, static_cast<double>(rows)}}));
  };
  one("f32[5,3]", "i32[5]", 4);
  one("f64[2,3,2,5]", "i64[2,3]", 3);
  one("f64[]", "i32[]", 7);
  one("f32[1,1]", "i32[1]", 1);
  one("f32[0,3]", "i32[0]", 0);
  one("f32[0,3]", "i32[0]", 3);
  one("f16[7,3]", "i32[7]", 5);
  one("bf16[3,3]", "i32[3]", 3);
  one("i32[3]", "i32[3]", 5);
  return all;
}

Value gather(Value table, Value index, Site site) { return emit_one(Gather{}, {table, index}, site); }
Value gather_backward(Value dy, Value index, int64_t rows, Site site) {
  return emit_one(GatherBackward{rows}, {dy, index}, site);
}

}  // namespace lockstep
