// NVIDIA's JPEG library, to compare with.
#pragma once

#include <qturn/orientation.hpp>

#include <span>
#include <string>

#include "src/picture/bytes.hpp"

namespace qturn::bench {

struct PeerJpeg {
  const Bytes& file;
  Size size;
};

struct PeerRate {
  double images = 0;    ///< per second
  std::string problem;  ///< why nothing was measured; empty if something was
};

/// How many of `jpegs` the hardware decoders of the current device decode to planes, batch after
/// batch. Throws std::runtime_error if the device fails.
PeerRate nvjpeg_decode_rate(std::span<const PeerJpeg> jpegs);

}  // namespace qturn::bench
