#include "src/formats/codec/codec.hpp"

#include <fmt/format.h>

#include <array>

namespace qturn {
namespace {

std::string_view in_words(SampleFormat type) {
  constexpr std::array<std::string_view, 6> words = {"uint8", "uint16", "uint",
                                                     "half",  "float",  "double"};
  return words[static_cast<std::size_t>(type)];
}

std::string_view in_words(Meaning::Alpha alpha) {
  constexpr std::array<std::string_view, 3> words = {"", " with alpha",
                                                     " with premultiplied alpha"};
  return words[static_cast<std::size_t>(alpha)];
}

}  // namespace

Meaning meaning_of(const Image& image) {
  if (image.extras && image.extras->meaning) return *image.extras->meaning;
  return meaning_of_channels(image.pages.front().channels);
}

void check_fits(const Image& image, std::string_view name, const Capacity& capacity) {
  if (image.pages.size() > 1 && !capacity.pages) {
    throw ImageFileError(fmt::format("{} pages cannot be kept in {}", image.pages.size(), name));
  }
  const Meaning meaning = meaning_of(image);
  if (!meaning.refusal.empty()) throw ImageFileError(meaning.refusal);
  for (const Page& page : image.pages) {
    if ((capacity.samples & bit_of(page.type)) == 0) {
      throw ImageFileError(
          fmt::format("samples of type {} cannot be kept in {}", in_words(page.type), name));
    }
    if (!capacity.channels(page.channels, meaning.alpha)) {
      throw ImageFileError(fmt::format("{} channels{} cannot be kept in {}", page.channels,
                                       in_words(meaning.alpha), name));
    }
  }
}

// A format that asks no device.

std::optional<JpegRequest> CompressedTurn::request(std::span<const Orientation> /*applied*/) const {
  return std::nullopt;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps it
void CompressedTurn::accept(const JpegRequest& /*request*/, JpegMade /*made*/,
                            std::vector<std::string>& /*warnings*/) {}

}  // namespace qturn
