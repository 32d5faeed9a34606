#include "src/gpu/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace qturn {
namespace {

/// "0,2" as numbers. Throws std::invalid_argument.
std::vector<int> parse_indices(std::string_view list) {
  std::vector<int> indices;
  while (true) {
    const std::string_view item = list.substr(0, list.find(','));
    int index = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), index);
    if (error != std::errc() || end != item.data() + item.size() || index < 0)
      throw std::invalid_argument(fmt::format("'{}' is not a device number", item));
    if (std::ranges::find(indices, index) != indices.end())
      throw std::invalid_argument(fmt::format("device {} is named twice", index));
    indices.push_back(index);
    if (item.size() == list.size()) return indices;
    list.remove_prefix(item.size() + 1);
  }
}

}  // namespace

Work work_of(std::uint64_t jpeg_bytes, int threads) {
  // 0.8 s of a core (docs/measurements/jpeg.md).
  const std::uint64_t enough = static_cast<std::uint64_t>(threads) * (16 << 20);
  return jpeg_bytes >= enough ? Work::many_jpegs : Work::other;
}

DeviceChoice choose_device(std::string_view option, Work work) {
  if (option == "cpu") return {{}, "asked for"};

  constexpr std::string_view numbered = "cuda:";
  const bool lists = option.starts_with(numbered);
  if (option != "auto" && option != "cuda" && !lists)
    throw std::invalid_argument(
        fmt::format("'{}' is not a device; choose auto, cpu, cuda or cuda:0,1", option));
  if (option == "auto" && work == Work::other) return {{}, "a GPU is faster only for many JPEGs"};
  const std::vector<int> wanted =
      lists ? parse_indices(option.substr(numbered.size())) : std::vector<int>{};

  const Devices devices = find_devices();
  DeviceChoice choice;
  std::string problem = devices.cuda_problem;
  for (const CudaDevice& device : devices.cuda) {
    if (device.problem.empty())
      choice.cuda.push_back(device.index);
    else
      problem = fmt::format("device {} ({}): {}", device.index, device.name, device.problem);
  }
  if (option == "auto") {
    choice.only_jpegs = true;
    choice.why = choice.cuda.empty() ? problem : "for JPEGs; all else is turned on the CPU";
    return choice;
  }
  for (const int index : wanted)
    if (std::ranges::find(choice.cuda, index) == choice.cuda.end())
      throw DeviceError(
          problem.empty()
              ? fmt::format("there is no CUDA device {}, only {}", index, devices.cuda.size())
              : fmt::format("CUDA device {} is not usable: {}", index, problem));
  if (choice.cuda.empty()) throw DeviceError(fmt::format("no CUDA device is usable: {}", problem));
  if (lists) choice.cuda = wanted;
  choice.why = "asked for";
  return choice;
}

DeviceChoice device_of_rank(DeviceChoice choice, int local_rank) {
  const std::size_t devices = choice.cuda.size();
  if (devices < 2) return choice;
  choice.cuda = {choice.cuda[static_cast<std::size_t>(local_rank) % devices]};
  choice.why = fmt::format("one of {}, for local rank {}", devices, local_rank);
  return choice;
}

}  // namespace qturn
