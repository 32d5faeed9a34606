#include "src/check/check.hpp"

namespace qturn {

MetadataCheck check_metadata(std::span<const std::byte> file, const Codec& codec,
                             const Limits& limits) {
  if (codec.check_limits) codec.check_limits(file, limits);
  MetadataCheck check(codec.read_header(file));
  if (codec.check) codec.check(file, check);
  return check;
}

}  // namespace qturn
