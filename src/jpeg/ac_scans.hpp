// The scans of a progressive picture that hold AC coefficients.
//
// They go over the same blocks many times, each for a few bits of them. But each holds one
// component only, so all of a component's scans are written at once, each into bytes of its own: a
// block is looked at once, and what each scan needs of it are a few sets of coefficients.
#ifndef QTURN_SRC_JPEG_AC_SCANS_HPP
#define QTURN_SRC_JPEG_AC_SCANS_HPP

#include <atomic>
#include <span>
#include <vector>

#include "src/jpeg/bit_writer.hpp"
#include "src/jpeg/scans.hpp"
#include "src/jpeg/turned_blocks.hpp"

namespace qturn {

/// The data of all `scans` of AC coefficients of one component, with `blocks` read in `order`.
/// Throws as code_scans().
std::vector<JpegData> code_ac_scans(std::span<const JpegScan* const> scans,
                                    const TurnedBlocks& blocks, const TurnedOrder& order,
                                    const std::atomic<bool>& stop);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_AC_SCANS_HPP
