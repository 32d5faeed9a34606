// Other libraries that turn pictures, to compare with.
//
// They are looked for at run time: nothing is linked, and no header of theirs is needed. Known
// besides speed: cuBLAS computes (its geam is 1 * A' + 0 * B), so a NaN may come out as another
// one; NPP knows neither 2 channels nor quarter turns.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace qturn::bench {

struct Peer {
  std::string name;
  /// Whether it has a function for that.
  std::function<bool(ConstView src, View dst, Orientation orientation)> can;
  /// Enqueues `dst = src` seen in `orientation`. Throws std::runtime_error when the library
  /// refuses.
  std::function<void(ConstView src, View dst, Orientation orientation, cudaStream_t stream)>
      enqueue;
};

struct Peers {
  std::vector<Peer> found;
  std::vector<std::string> missing;  ///< each with the name of the library that was not there
};

/// Finds the peers that can be used on the current device.
Peers find_peers();

/// cuBLAS's cublasSgeam and cublasDgeam, transposing pixels of 4 and 8 bytes; in Peers::missing if
/// it is not there.
Peers find_cublas();

}  // namespace qturn::bench
