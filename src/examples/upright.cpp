// Makes a picture of any format upright, in memory: upright SOURCE RESULT
#include <qturn/pictures.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: upright SOURCE RESULT\n";
    return 2;
  }
  std::ifstream source(argv[1], std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(source), {}};

  qturn::TurnOptions options;
  options.jpeg.edges = qturn::JpegEdges::tag;  // a JPEG is never compressed again
  try {
    const auto upright = qturn::Orientation::identity;
    const qturn::TurnPlan plan = qturn::plan_turn(file.data(), file.size(), upright, options);
    if (plan.memory_bytes > std::size_t{4} << 30) throw qturn::ImageFileError("too large");

    const qturn::Turned turned = qturn::turn(file.data(), file.size(), upright, options);
    for (const std::string& warning : turned.warnings) std::cerr << warning << '\n';
    std::ofstream result(argv[2], std::ios::binary);
    result.write(reinterpret_cast<const char*>(turned.bytes.data()),
                 static_cast<std::streamsize>(turned.bytes.size()));
    const qturn::Size size = turned.outcome.size;
    std::cout << plan.format << ", " << size.width << " x " << size.height << '\n';
    return result ? 0 : 1;
  } catch (const qturn::ImageFileError& error) {
    std::cerr << argv[1] << ": " << error.what() << '\n';
    return 1;
  }
}
