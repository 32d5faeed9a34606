#pragma once

#include <chrono>

namespace qturn {

/// For condition_variable::wait_until(). Its wait() would be a symbol of libstdc++ 12 where g++ 12
/// compiles it, and manylinux_2_34 has libstdc++ 11.
inline constexpr auto for_ever = std::chrono::steady_clock::time_point::max();

}  // namespace qturn
