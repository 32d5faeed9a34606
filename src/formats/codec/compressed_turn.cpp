#include "src/formats/codec/compressed_turn.hpp"

#include "src/formats/codec/jpeg_device.hpp"

namespace qturn {

std::optional<JpegRequest> CompressedTurn::request(std::span<const Orientation> /*applied*/) const {
  return std::nullopt;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps it
void CompressedTurn::accept(const JpegRequest& /*request*/, JpegMade /*made*/,
                            std::vector<std::string>& /*warnings*/) {}

}  // namespace qturn
