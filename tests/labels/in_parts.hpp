// Files of many pictures, which readers and writers take part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/many/shared_label.hpp"

using Variants = std::vector<qturn::LabelledVariant>;

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
