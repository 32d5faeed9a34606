// The ways the CPU can move pixels: the plain one, and one for each instruction set that both this
// processor and the library have. The library picks the first, the tests compare all of them.
#ifndef QTURN_KERNELS_CPU_PATHS_HPP
#define QTURN_KERNELS_CPU_PATHS_HPP

#include <qturn/export.hpp>

#include <vector>

#include "kernels/src/reduced.hpp"

namespace qturn {

/// Where the result is written: through the caches, or past them, straight to memory, which saves
/// reading each line before it is overwritten. Past them pays for pictures that would not stay in a
/// cache anyway.
enum class Store { through_caches, past_caches };

/// One way to do all three motions. The picture must not be empty.
struct CpuPath {
  const char* name;
  void (*move)(const Reduced& reduced, Store store);
};

/// Those that run on this processor, fastest first; the last one is "plain". Exported for the tests
/// and the benchmark, in no installed header.
QTURN_EXPORT const std::vector<CpuPath>& cpu_paths();

/// What suits the size of the picture.
QTURN_EXPORT Store store_for(const Reduced& reduced);

/// The reference: cache-blocked, in portable C++, for every pixel size. Knows one kind of store.
void move_plain(const Reduced& reduced, Store store);

/// Appends the paths of the vector code to `paths`, where it was compiled.
void append_vector_paths(std::vector<CpuPath>& paths);

}  // namespace qturn

#endif  // QTURN_KERNELS_CPU_PATHS_HPP
