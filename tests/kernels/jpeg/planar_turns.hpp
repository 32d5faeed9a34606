// JPEGs as qturn::turn_jpegs_by_planes() is told of them, and what the CPU makes of them.
#pragma once

#include <qturn/jpeg_planar_cuda.hpp>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/jpeg/planar.hpp"

#include "tests/kernels/jpeg/scans.hpp"

namespace qturn::tests {

using namespace jpeg;

/// A file, and how it is to be turned.
struct PlanarTurn {
  ScanTurn scan;
  JpegPlanarTurn turn;  ///< with neither data nor memory

  PlanarTurn(Bytes jpeg, Orientation orientation) : scan(std::move(jpeg), Orientation::identity) {
    JpegDecoder decoder{std::span<const std::byte>(scan.file)};
    qturn::jpeg::JpegPicture stored = layout_of(decoder.info);
    stored.scans = decoder.file.scans;
    turn.src = scan.turn.src;
    turn.orientation = orientation;
    const JpegInside inside = look_inside(scan.file);
    for (int i = 0; i < turn.src.components; ++i) {
      const auto& table = inside.components[static_cast<std::size_t>(i)].table;
      std::copy(table.begin(), table.end(), turn.steps[i].begin());
      const auto& coded = stored.scans[0].components[static_cast<std::size_t>(i)];
      turn.dc_table[i] = static_cast<std::uint8_t>(coded.dc_slot);
      turn.ac_table[i] = static_cast<std::uint8_t>(coded.ac_slot);
    }
    turn.restart_interval = turned(stored, orientation).scans[0].restart_interval;
  }
};

/// What the CPU makes of it.
struct TurnedByPlanes {
  Bytes data;
  JpegScan scan;

  TurnedByPlanes(const Bytes& file, Orientation orientation) {
    const std::atomic<bool> never{false};
    PixelArena arena;
    std::vector<std::string> warnings;
    const Bytes made = JpegPlanes(file, arena, never, warnings).turn(orientation, never);
    data = scan_data(made);
    scan = JpegFile{std::span<const std::byte>(made)}.scans.at(0);
  }
};

}  // namespace qturn::tests
