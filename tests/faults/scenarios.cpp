#include "tests/faults/scenarios.hpp"

#include <signal.h>

#include <algorithm>

#include "tests/cli/cli_pictures.hpp"
#include "tests/faults/disturbed_run.hpp"
#include "tests/metadata_fixtures.hpp"

namespace faults {
namespace {

using Words = std::vector<std::string>;

Tree pictures() {
  using cli::random_picture;
  Tree tree;
  tree["in/a.jpg"].content = cli::tagged_jpeg(cli::smooth_picture(48, 32), 6);
  tree["in/b.png"].content = cli::png(random_picture(9, 7));
  tree["in/scan"].content = cli::png(random_picture(6, 5));  // known by its content alone
  tree["in/sub/c.tif"].content =
      cli::encoded(std::vector{random_picture(8, 6), random_picture(5, 4)}, qturn::tiff_codec);
  return tree;
}

Tree with_sidecars() {
  Tree tree = pictures();
  const std::string packet = qturn::tests::xmp_packet_with("tiff:Orientation='6'");
  tree["in/a.xmp"].content = packet;
  tree["in/b.png.xmp"].content = packet;
  return tree;
}

/// With results of earlier runs: of a.jpg an old one, of b.png one that is newer than the picture.
Tree with_outputs() {
  Tree tree = pictures();
  tree["out/a.jpg"] = {.content = "old", .modified_s = 1'400'000'000};
  tree["out/b.png"] = {.content = "newer", .modified_s = 1'600'000'000};
  return tree;
}

Tree with_others() {
  Tree tree = pictures();
  tree["in/notes.txt"].content = "Taken in May.\n";
  return tree;
}

/// Whether a picture is in its place, and its sidecar is not.
bool is_in_part(const Scenario& scenario, const Tree& after) {
  const auto is_new = [&](const std::string& name) {
    const auto before = scenario.before.find(name), now = after.find(name);
    return now != after.end() &&
           (before == scenario.before.end() || before->second.content != now->second.content);
  };
  const auto is_half = [&](const std::string& folder) {
    return (is_new(folder + "/a.jpg") && !is_new(folder + "/a.xmp")) ||
           (is_new(folder + "/b.png") && !is_new(folder + "/b.png.xmp"));
  };
  return is_half("in") || is_half("out");
}

/// The run that resumes another one, which was killed between a picture and its sidecar, when
/// another picture was done.
Scenario resumed(std::string name, const Scenario& first) {
  std::vector<std::string> words = first.words;
  words.emplace_back("--resume");
  std::size_t renames = std::ranges::count(undisturbed(first).calls, "rename", &SystemCall::name);
  while (renames-- > 0) {
    Tree left = disturbed(first, {"rename", renames}, {"SIGKILL", {.signal = SIGKILL}}).after;
    if (is_in_part(first, left)) return {std::move(name), std::move(words), std::move(left)};
  }
  throw std::logic_error("no run is left in part");
}

}  // namespace

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all = {
      {"in place", {"rotate90", "in", "--in-place"}, pictures()},
      {"in place, upright", {"upright", "in", "--in-place"}, pictures()},
      {"in place, sidecars", {"rotate90", "in", "--in-place", "--sidecars"}, with_sidecars()},
      {"in place, tags",
       {"rotate90", "in/a.jpg", "in/b.png", "--in-place", "--tag-only"},
       pictures()},
      {"in place, JSON", {"rotate90", "in", "--in-place", "--json=log"}, pictures()},
      {"in place, two threads", {"rotate90", "in", "--in-place", "-j2", "--json=log"}, pictures()},
      {"to a folder", {"rotate90", "in", "-o", "out"}, pictures(), Words{"--skip-existing"}},
      {"to a folder, planar",
       {"rotate90", "in", "-o", "out", "--jpeg", "planar"},
       pictures(),
       Words{"--skip-existing"}},
      {"to a folder, sidecars", {"rotate90", "in", "-o", "out", "--sidecars"}, with_sidecars()},
      {"to a folder, others",
       {"rotate90", "in", "-o", "out", "--others", "copy"},
       with_others(),
       Words{"--skip-existing"}},
      {"--overwrite", {"rotate90", "in", "-o", "out", "--overwrite"}, with_outputs()},
      {"--update", {"rotate90", "in", "-o", "out", "--update"}, with_outputs(), Words()},
      {"to a file", {"rotate90", "in/a.jpg", "-o", "turned.jpg", "--json=log"}, pictures()},
      {"augment",
       {"augment", "in", "-o", "out", "--variants", "flip,rotate90"},
       pictures(),
       Words{"--skip-existing"}},
  };
  for (Scenario& scenario : all) {
    std::vector<std::string>& words = scenario.words;
    words.insert(words.end(), {"--device", "cpu", "--memory", "64MiB"});
    if (scenario.name.find("threads") == std::string::npos) words.emplace_back("-j1");
  }
  const auto named = [&](std::string_view name) {
    return *std::ranges::find(all, name, &Scenario::name);
  };
  all.push_back(resumed("in place, resumed", named("in place, sidecars")));
  all.push_back(resumed("to a folder, resumed", named("to a folder, sidecars")));
  return all;
}

}  // namespace faults
