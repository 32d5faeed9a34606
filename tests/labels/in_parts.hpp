// Files of many pictures, which readers and writers take part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/many/shared_label.hpp"

using Variants = std::vector<qturn::LabelledVariant>;

inline const Variants two_of_7x5 = {
    {.turn = {}, .name = "a__identity.jpg", .size = {7, 5}},
    {.turn = {qturn::Orientation::rotate90, qturn::Orientation::rotate90},
     .name = "a__rotate90.jpg",
     .size = {7, 5}}};
inline const Variants one_of_9x9 = {{.turn = {qturn::Orientation::flop, qturn::Orientation::flop},
                                     .name = "b__flop.jpg",
                                     .size = {9, 9}}};

/// Gives a text part by part to whatever takes it.
template <typename Taker>
void feed(Taker& taker, std::string_view text) {
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(5, text.size())))
    taker.take(text.substr(0, 5));
}

template <typename Reader>
auto read_in_parts(std::string_view text) {
  Reader reader;
  feed(reader, text);
  return reader.finish();
}

/// What is written with these variants of each picture.
template <typename Reader, typename Writer>
std::string written_in_parts(std::string_view text, const std::vector<Variants>& variants) {
  const auto content = read_in_parts<Reader>(text);
  std::string result;
  Writer writer(
      content, [&](std::size_t image) -> const Variants& { return variants.at(image); },
      [&](std::string_view part) { result += part; });
  feed(writer, text);
  writer.finish();
  return result;
}
