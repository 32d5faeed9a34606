#include <qturn/cpu.hpp>

#include <array>
#include <cstdio>
#include <stdexcept>

int main() {
  std::array<char, 6> picture{'A', 'B', 'C', 'D', 'E', 'F'};
  std::array<char, 6> turned{};
  const qturn::View src{picture.data(), 3, 2, 3, 1};
  const qturn::View dst{turned.data(), 2, 3, 2, 1};
  qturn::transform(src, dst, qturn::Orientation::rotate90);
  try {
    qturn::transform(src, dst, qturn::Orientation::flop);
  } catch (const std::invalid_argument& error) {
    std::printf("%.6s, %s\n", turned.data(), error.what());
  }
}
