// The ways in which the CPU can move pixels: the plain one, and one for each instruction set that
// this processor and the library both have. The library uses the first; the tests compare all of
// them.
#pragma once

#include <qturn/export.hpp>

#include <vector>

#include "kernels/src/reduced.hpp"

namespace qturn {

struct WeighedAxis;

/// Where the result is written: through the caches, or directly to memory, which saves reading each
/// line before it is overwritten. Directly pays for pictures that would not stay in a cache anyway.
enum class Store { through_caches, past_caches };

/// One way to do all three motions, of a picture that is not empty, and the passes of a resized one
/// (resize_passes.hpp).
struct CpuPath {
  const char* name;
  void (*move)(const Reduced& reduced, Store store);
  void (*make_columns)(ConstView src, int first, const WeighedAxis& axis, View dst);
  void (*make_rows)(ConstView src, int first, const WeighedAxis& axis, View dst);
};

/// The paths that run on this processor, fastest first; the last one is "plain". Exported for the
/// tests and the benchmark, but not in an installed header.
QTURN_EXPORT const std::vector<CpuPath>& cpu_paths();

/// The better way for a picture of this size.
QTURN_EXPORT Store store_for(const Reduced& reduced);

/// The reference: cache-blocked, in portable C++, for every pixel size. Has only one kind of store.
void move_plain(const Reduced& reduced, Store store);

/// Appends the paths of the vector code to `paths`, where it was compiled.
void append_vector_paths(std::vector<CpuPath>& paths);

}  // namespace qturn
