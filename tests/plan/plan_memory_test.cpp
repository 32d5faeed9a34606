// Counts the bytes that a plan takes.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include "src/plan/plan.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

std::atomic<std::size_t> taken{0}, most{0};

void* take(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  if (!block) throw std::bad_alloc();
  const std::size_t now = taken += malloc_usable_size(block);
  if (now > most) most = now;
  return block;
}

void give_back(void* block) {
  if (block) taken -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept try {
  return take(bytes);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { give_back(block); }
void operator delete(void* block, const std::nothrow_t& /*tag*/) noexcept { give_back(block); }

namespace fs = std::filesystem;
using namespace qturn;

TEST_CASE("a plan takes at most 200 bytes for each picture, also while it is made") {
  constexpr std::size_t folders = 5, in_folder = 1000, pictures = folders * in_folder;
  const TemporaryFolder folder;
  const fs::path input = folder.path() / "in";
  PlanOptions options;
  NameList list;
  for (std::size_t f = 0; f < folders; ++f) {
    for (std::size_t i = 0; i < in_folder; ++i) {
      const std::string key = fmt::format("{}CANON/IMG_20240517_{:08}.jpg", 100 + f, i);
      folder.add("in/" + key, "");
      list.add((input / key).native());
    }
  }
  options.inputs = {input};
  options.output = folder.path() / "out";

  SECTION("to a folder") {}
  SECTION("in place") { options.output.clear(); }
  SECTION("in all eight orientations") {
    for (int n = 1; n <= 8; ++n) options.variants.push_back(static_cast<Orientation>(n));
  }
  SECTION("where all outputs exist") {
    fs::copy(input, options.output, fs::copy_options::recursive);
    options.existing = Existing::skip;
  }
  SECTION("with sidecars") { options.sidecars = true; }
  SECTION("of a list") {
    options.inputs.clear();
    options.listed = std::move(list);
    options.base = folder.path();
  }
  const std::size_t before = taken;
  most = before;
  const Plan plan = qturn::plan(options);
  CHECK(plan.jobs.files().size() == pictures);
  CHECK((most - before) / pictures <= 200);
  CHECK((taken - before) / pictures <= 125);
}
