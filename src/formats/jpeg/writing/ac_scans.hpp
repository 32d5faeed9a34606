// The scans of a progressive picture that hold AC coefficients.
//
// They visit the same blocks many times, each for a few bits. But each holds only one component. So
// all scans of a component are written at once, each into its own bytes: a block is looked at once,
// and each scan needs only a few sets of its coefficients.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "kernels/jpeg/src/scans.hpp"
#include "src/formats/jpeg/writing/bit_writer.hpp"
#include "src/formats/jpeg/writing/turned_blocks.hpp"

namespace qturn::jpeg {

/// The data of all `scans` of AC coefficients of one component, with `blocks` read in `order`.
/// Throws as code_scans().
std::vector<JpegData> code_ac_scans(std::span<const JpegScan* const> scans,
                                    const TurnedBlocks& blocks, const TurnedOrder& order,
                                    const std::atomic<bool>& stop);

}  // namespace qturn::jpeg
