#include "tools/qturn/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/formats/codec.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {
namespace {

const char* description =
    "Turns, mirrors and transposes pictures: every pixel, tag and profile kept, files written "
    "whole or not at all.\n"
    "Pictures are turned as a viewer shows them: a stored orientation is honoured, the result is "
    "stored upright.";

struct Turn {
  const char* name;
  std::vector<const char*> aliases;
  Orientation orientation;
  const char* help;
};

const Turn turns[] = {
    {"rotate90", {"cw"}, Orientation::rotate90, "turn clockwise by a quarter"},
    {"rotate180", {}, Orientation::rotate180, "turn by half"},
    {"rotate270", {"ccw"}, Orientation::rotate270, "turn counter-clockwise by a quarter"},
    {"transpose", {}, Orientation::transpose, "mirror at the main diagonal: rows become columns"},
    {"transverse", {"anti-transpose"}, Orientation::transverse, "mirror at the other diagonal"},
    {"flip", {"vflip"}, Orientation::flip, "exchange top and bottom"},
    {"flop", {"hflip"}, Orientation::flop, "exchange left and right"},
    {"upright",
     {},
     Orientation::identity,
     "bake the stored orientation in, so that every program shows it right"},
};

void add_inputs(CLI::App& app, CommandLine& line) {
  const std::string group = "Input";
  app.add_option("INPUT", line.inputs, "pictures, and folders of pictures, searched to any depth");
  app.add_option("--files-from", line.files_from,
                 "read the names of inputs from FILE, one a line; - is standard input")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("-0,--null", line.nul_separated,
               "names in --files-from end with NUL instead of a newline")
      ->group(group);
  app.add_option("--include", line.include,
                 "in folders take only what matches GLOB (name or path); may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--exclude", line.exclude,
                 "in folders leave out what matches GLOB (name or path); may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--hidden", line.hidden, "also hidden entries, @eaDir, *.photoslibrary and *.lrdata")
      ->group(group);
  app.add_flag("--follow", line.follow, "follow symbolic links found in folders")->group(group);
}

void add_others(CLI::App& app, CommandLine& line) {
  app.add_option("--others", line.others,
                 "what is no picture: count it in the summary, or copy it along")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Others>{{"count", Others::count},
                                                                        {"copy", Others::copy}})
                      .description(""))
      ->type_name("count|copy")
      ->group("Input");
}

void add_outputs(CLI::App& app, CommandLine& line) {
  const std::string group = "Output";
  app.add_option(
         "-o,--output", line.output,
         "a folder; or a file, if there is one input file and OUTPUT has a picture's suffix")
      ->type_name("OUTPUT")
      ->group(group);
  app.add_option("--base", line.base,
                 "absolute paths of --files-from are placed under OUTPUT relative to DIR")
      ->type_name("DIR")
      ->group(group);
  app.add_option_function<std::string>(
         "--format",
         [&line](const std::string& name) {
           line.format = format_of_name(name);
           if (!line.format)
             throw CLI::ValidationError(
                 "--format",
                 fmt::format(
                     "'{}' is not one of jpeg, png, tiff, openexr, webp, bmp, pnm, tga, hdr",
                     name));
         },
         "write this format instead of the input's own: jpeg, png, tiff, openexr, webp, bmp, pnm, "
         "tga, hdr")
      ->type_name("FORMAT")
      ->group(group);
  const auto existing = [&](const char* name, Existing value, const char* help) {
    return app
        .add_flag_callback(
            name, [&line, value] { line.existing = value; }, help)
        ->group(group);
  };
  auto* overwrite = existing("--overwrite", Existing::overwrite, "replace outputs that exist");
  auto* skip =
      existing("--skip-existing", Existing::skip, "leave outputs that exist alone, and count them");
  auto* update = existing("--update", Existing::update,
                          "replace only outputs that are older than their input");
  overwrite->excludes(skip)->excludes(update);
  skip->excludes(update);
}

void add_jpeg(CLI::App& app, CommandLine& line) {
  const std::string group = "JPEG";
  app.add_option(
         "--jpeg", line.jpeg,
         "how JPEGs are turned: lossless moves their coefficients (default); planar decodes "
         "them to their own planes and encodes those with their own tables, on a GPU that can; "
         "fastest is planar by whatever is idle, GPU or CPU")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, JpegMode>{{"lossless", JpegMode::lossless},
                                                                  {"planar", JpegMode::planar},
                                                                  {"fastest", JpegMode::fastest}})
              .description(""))
      ->type_name("lossless|planar|fastest")
      ->group(group);
  const std::map<std::string, JpegEdges> edges = {{"reencode", JpegEdges::reencode},
                                                  {"trim", JpegEdges::trim},
                                                  {"tag", JpegEdges::tag},
                                                  {"skip", JpegEdges::skip},
                                                  {"fail", JpegEdges::fail}};
  app.add_option_function<JpegEdges>(
         "--jpeg-edges", [&line](JpegEdges value) { line.jpeg_edges = value; },
         "where an edge that moves cuts through a block: reencode as planar does (default with "
         "-o), "
         "trim the edge, tag the turn and move nothing (default in place), skip (default of "
         "upright "
         "in place) or fail")
      ->transform(CLI::CheckedTransformer(edges).description(""))
      ->type_name("reencode|trim|tag|skip|fail")
      ->group(group);
}

void add_json(CLI::App& app, CommandLine& line, const char* of_what) {
  app.add_option_function<std::string>(
         "--json",
         [&line](const std::string& file) {
           line.json = true;
           line.json_file = file == "-" ? "" : file;
         },
         fmt::format("one JSON object for each {}, to standard output (--json) or to FILE "
                     "(--json=FILE)",
                     of_what))
      ->type_name("[=FILE]")
      ->group("Running");
}

void add_running(CLI::App& app, CommandLine& line) {
  const std::string group = "Running";
  app.add_option("--device", line.device,
                 "where pictures are turned: auto (what is fastest), cpu, cuda, or cuda:0,1 (see "
                 "'qturn devices')")
      ->type_name("DEVICE")
      ->group(group);
  app.add_option("-j,--threads", line.threads,
                 "pictures in work at a time; default: one a core that this process may use")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->group(group);
  app.add_option(
         "--memory", line.memory_bytes,
         "memory for pictures in work, such as 512MiB or 4G; default: a quarter of what is free")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::Range(std::uint64_t{1} << 20, std::uint64_t{1} << 60).description(""))
      ->type_name("SIZE")
      ->group(group);
  app.add_flag("--dry-run", line.dry_run, "print what would be done and write nothing")
      ->group(group);
  add_json(app, line, "output");
  auto* quiet = app.add_flag("-q,--quiet", line.quiet, "print errors only")->group(group);
  app.add_flag("-v,--verbose", line.verbose, "print a line for each output, and what is run on")
      ->excludes(quiet)
      ->group(group);
}

void add_strict(CLI::App& app, CommandLine& line) {
  app.add_flag("--strict", line.strict,
               "whatever would be a warning (a damaged part that stays as it was) fails the file")
      ->group("Output");
}

void add_storage_change(CLI::App& app, CommandLine& line) {
  app.add_flag(
         "--allow-storage-change", line.allow_storage_change,
         "turn also a TIFF that cannot stay stored as it is (JPEG inside becomes deflate), with "
         "a warning; else it is refused")
      ->needs("--output")
      ->group("Output");
}

void add_tag_only(CLI::App& app, CommandLine& line) {
  app.add_flag("--tag-only", line.tag_only,
               "turn by the orientation tag alone (JPEG, PNG, TIFF, WebP): no pixel is touched or "
               "read")
      ->excludes("--format")
      ->group("Output");
}

void add_in_place(CLI::App& app, CommandLine& line) {
  const std::string group = "Output";
  app.add_flag("--in-place", line.in_place, "replace each input by the result")
      ->excludes("--output")
      ->excludes("--base")
      ->excludes("--overwrite")
      ->excludes("--skip-existing")
      ->excludes("--update")
      ->group(group);
  app.add_flag("--break-links", line.break_links,
               "with --in-place: also files with several hard links; the other names keep the old "
               "picture")
      ->needs("--in-place")
      ->group(group);
}

}  // namespace

std::unique_ptr<CLI::App> make_parser(CommandLine& line) {
  auto app = std::make_unique<CLI::App>(description, "qturn");
  app->require_subcommand(1);
  app->set_version_flag("--version", fmt::format("qturn {}\n{}", version, codec_versions()));
  app->get_formatter()->column_width(34);
  const std::string exit_status =
      "Exit status: 0 all done; 1 some files failed, the others are done; 2 nothing was started; "
      "130, 143 interrupted.\n";
  app->footer(exit_status + "Example: qturn upright photos -o turned");

  for (const Turn& turn : turns) {
    CLI::App* command = app->add_subcommand(turn.name, turn.help);
    for (const char* alias : turn.aliases) command->alias(alias);
    add_inputs(*command, line);
    add_others(*command, line);
    add_outputs(*command, line);
    add_in_place(*command, line);
    add_jpeg(*command, line);
    // To make a picture upright by its tag would be to do nothing.
    if (turn.orientation != Orientation::identity) add_tag_only(*command, line);
    add_strict(*command, line);
    add_storage_change(*command, line);
    command
        ->add_flag("--sidecars", line.sidecars,
                   "turn the orientation in XMP files beside the pictures (a.xmp, a.jpg.xmp) along")
        ->group("Output");
    add_running(*command, line);
    command->footer(exit_status + fmt::format("Example: qturn {} photos -o turned", turn.name));
    command->callback([&line, orientation = turn.orientation] { line.orientation = orientation; });
  }

  CLI::App* augment = app->add_subcommand(
      "augment", "write several orientations of each picture, as NAME__ORIENTATION.SUFFIX");
  add_inputs(*augment, line);
  add_others(*augment, line);
  add_outputs(*augment, line);
  add_strict(*augment, line);
  add_storage_change(*augment, line);
  const std::string group = "Variants";
  auto* variants = augment
                       ->add_option("--variants", line.variants,
                                    "all (default), rotations, or a list: identity,rotate90,flop")
                       ->check([](const std::string& text) {
                         try {
                           parse_variants(text);
                           return std::string();
                         } catch (const std::invalid_argument& error) {
                           return std::string(error.what());
                         }
                       })
                       ->type_name("LIST")
                       ->group(group);
  auto* random =
      augment
          ->add_option(
              "--random", line.random,
              "K different ones for each picture, a function of its path and the seed alone")
          ->check(CLI::Range(1, 8).description(""))
          ->type_name("K")
          ->group(group)
          ->excludes(variants);
  augment->add_option("--seed", line.seed, "the seed of --random; default: 0")
      ->type_name("S")
      ->needs(random)
      ->group(group);
  augment
      ->add_option_function<std::string>(
          "--labels", [&line](const std::string&) { line.ignore_labels = true; },
          "none: turn the pictures although label files lie beside them, which stay as they are")
      ->check(CLI::IsMember({"none"}).description(""))
      ->type_name("none")
      ->group(group);
  add_jpeg(*augment, line);
  add_running(*augment, line);
  augment->footer(exit_status + "Example: qturn augment photos -o more --random 3 --seed 1");
  augment->callback([&line] { line.command = CommandLine::Command::augment; });

  CLI::App* check = app->add_subcommand(
      "check", "report where tags and pixels of a picture disagree about its orientation");
  add_inputs(*check, line);
  add_json(*check, line, "picture");
  check->add_flag("-q,--quiet", line.quiet, "print what disagrees and errors only")
      ->group("Running");
  check->footer(
      "Exit status: 0 all agree; 1 some disagree or cannot be read; 2 nothing was checked; 130, "
      "143 "
      "interrupted.\n"
      "Example: qturn check photos");
  check->callback([&line] { line.command = CommandLine::Command::check; });

  app->add_subcommand("devices", "what qturn would run on, and why")->footer("")->callback([&line] {
    line.command = CommandLine::Command::devices;
  });
  return app;
}

std::vector<Orientation> parse_variants(const std::string& text) {
  constexpr Orientation all[] = {Orientation::identity,   Orientation::flop,
                                 Orientation::rotate180,  Orientation::flip,
                                 Orientation::transpose,  Orientation::rotate90,
                                 Orientation::transverse, Orientation::rotate270};
  if (text.empty() || text == "all") return {std::begin(all), std::end(all)};
  if (text == "rotations")
    return {Orientation::identity, Orientation::rotate180, Orientation::rotate90,
            Orientation::rotate270};
  std::vector<Orientation> variants;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string item = text.substr(start, end - start);
    const auto orientation = orientation_of_name(item);
    if (!orientation) throw std::invalid_argument(fmt::format("'{}' is no orientation", item));
    if (std::ranges::find(variants, *orientation) != variants.end())
      throw std::invalid_argument(fmt::format("'{}' is named twice", item));
    variants.push_back(*orientation);
    start = end + 1;
  }
  std::ranges::sort(variants);
  return variants;
}

}  // namespace qturn
