#include "tools/qturn/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

#include "src/formats/table.hpp"
#include "src/picture/file_limits.hpp"
#include "src/plan/variants.hpp"
#include "tools/qturn/label_options.hpp"
#include "tools/qturn/option_values.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {
namespace {

const char* description =
    "Turns and mirrors pictures as a viewer shows them: the stored orientation is honoured, and "
    "the result is stored upright. Metadata and colour profiles are kept. A JPEG is turned "
    "losslessly where its size permits that (see --jpeg-edges).";

const char* exit_status =
    "Exit status: 0 all done; 1 some pictures failed, the others are done; 2 nothing was "
    "started; 129, 130, 143 interrupted.";

struct Turn {
  const char* name;
  std::vector<const char*> aliases;
  Orientation orientation;
  const char* help;
};

const Turn turns[] = {
    {"rotate90", {"cw"}, Orientation::rotate90, "a quarter turn clockwise"},
    {"rotate180", {}, Orientation::rotate180, "a half turn"},
    {"rotate270", {"ccw"}, Orientation::rotate270, "a quarter turn counter-clockwise"},
    {"transpose",
     {},
     Orientation::transpose,
     "mirror across the main diagonal: rows become columns"},
    {"transverse", {"anti-transpose"}, Orientation::transverse, "mirror across the other diagonal"},
    {"flip", {"vflip"}, Orientation::flip, "mirror vertically: exchange top and bottom"},
    {"flop", {"hflip"}, Orientation::flop, "mirror horizontally: exchange left and right"},
    {"upright",
     {},
     Orientation::identity,
     "apply the orientation tag to the pixels, so that every program shows the picture upright"},
};

std::vector<std::string> all_formats() {
  std::istringstream names(format_names(" "));
  return {std::istream_iterator<std::string>(names), {}};
}

std::string not_empty(const std::string& glob) {
  return glob.empty() ? "an empty pattern matches nothing; leave it out" : "";
}

void add_inputs(CLI::App& app, CommandLine& line) {
  const std::string group = "Input";
  app.add_option("INPUT", line.inputs,
                 "pictures, folders (searched recursively) or tars; - is one picture or one tar on "
                 "standard input")
      ->group(group);
  app.add_option("--files-from", line.files_from,
                 "read the names of inputs from FILE, one per line; - is standard input")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("-0,--null", line.nul_separated,
               "names in --files-from end with NUL instead of a newline")
      ->group(group);
  app.add_option("--include", line.include,
                 "in folders, take only files whose name or path matches GLOB; may be repeated")
      ->check(not_empty)
      ->type_name("GLOB")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--exclude", line.exclude,
                 "in folders, leave out files whose name or path matches GLOB; may be repeated")
      ->check(not_empty)
      ->type_name("GLOB")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--hidden", line.hidden,
               "in folders, also take hidden entries, @eaDir, *.photoslibrary and *.lrdata")
      ->group(group);
  app.add_flag("--follow", line.follow, "in folders, follow symbolic links")->group(group);
}

void add_others(CLI::App& app, CommandLine& line) {
  add_choice<Others>(
      app, "--others",
      {{"stop", Others::stop},
       {"leave", Others::leave},
       {"count", Others::leave},
       {"copy", Others::copy}},
      "files that are not pictures: stop if any may say where something is in a picture (default), "
      "leave them, or copy them",
      [&line](Others value) { line.others = value; })
      ->group("Input");
}

void add_outputs(CLI::App& app, CommandLine& line, bool or_in_place) {
  const std::string group = "Output";
  app.add_option("-o,--output", line.output,
                 "the folder for the results, or for one picture a file with a picture's suffix, "
                 "such as out.png; a name that ends in .tar is a tar, any other name is a folder "
                 "(of tars, if the inputs are tars), - is standard output")
      ->type_name("OUTPUT")
      ->group(group);
  if (or_in_place)
    app.add_flag("--in-place", line.in_place, "replace each input with its result")->group(group);
  const auto existing = [&](const char* name, Existing value, const char* help) {
    return app
        .add_flag_callback(
            name, [&line, value] { line.existing = value; }, help)
        ->group(group);
  };
  auto* overwrite = existing("--overwrite", Existing::overwrite, "replace outputs that exist");
  auto* skip =
      existing("--skip-existing", Existing::skip, "skip outputs that exist, and count them");
  auto* update = existing("--update", Existing::update,
                          "replace only outputs that are older than their input");
  overwrite->excludes(skip)->excludes(update);
  skip->excludes(update);
  app.add_option("--base", line.base,
                 "with --files-from: write absolute paths below OUTPUT, relative to DIR")
      ->type_name("DIR")
      ->group(group);
  add_value(app, "--format", "FORMAT",
            fmt::format("write this format: {}; default: that of the input", format_names(", ")),
            [&line](const std::string& name) {
              line.format = codec_of_name(name);
              if (!line.format) throw std::invalid_argument(not_one_of(name, all_formats()));
            })
      ->group(group);
  add_value(app, "--quality", "N",
            "quality of the JPEG or WebP that --format writes, 1 to 100; it makes a WebP lossy. "
            "Default: JPEG 95, WebP lossless",
            [&line](const std::string& text) {
              line.quality = static_cast<int>(number_in(text, 1, 100));
            })
      ->needs("--format")
      ->group(group);
  add_choice<PngMode>(app, "--png", {{"small", PngMode::small}, {"fast", PngMode::fast}},
                      "how PNGs are compressed: small, or fast (default of augment), which takes "
                      "half the time and about 7 % more bytes",
                      [&line](PngMode value) { line.png = value; })
      ->group(group);
}

void add_tars(CLI::App& app, CommandLine& line) {
  const std::string group = "Tars";
  CLI::Option* tar_size =
      add_value(app, "--tar-size", "SIZE",
                "begin a new tar before one exceeds SIZE, such as 1GB; out.tar becomes "
                "out-000000.tar, out-000001.tar, ...",
                [&line](const std::string& text) { line.tar_bytes = size_in(text, 1 << 10); })
          ->group(group);
  app.add_flag("--unpack", line.unpack,
               "write the files in the tars into the folder OUTPUT, not a tar for each")
      ->excludes(tar_size)
      ->group(group);
}

void add_jpeg(CLI::App& app, CommandLine& line) {
  const std::string group = "JPEG";
  add_choice<JpegMode>(
      app, "--jpeg", {{"lossless", JpegMode::lossless}, {"planar", JpegMode::planar}},
      "how JPEGs are turned; lossless (default) moves the coefficients where that is exact (see "
      "--jpeg-edges); planar re-encodes every JPEG from its own planes with its own tables",
      [&line](JpegMode value) { line.jpeg = value; })
      ->group(group);
  add_choice<JpegEdges>(
      app, "--jpeg-edges",
      {{"reencode", JpegEdges::reencode},
       {"trim", JpegEdges::trim},
       {"tag", JpegEdges::tag},
       {"skip", JpegEdges::skip},
       {"fail", JpegEdges::fail}},
      "what to do with a JPEG that cannot be turned losslessly, because its edge cuts through a "
      "block; reencode (default with -o) re-encodes it from its own planes; trim cuts off the "
      "incomplete blocks; tag stores the turn in the orientation tag (default in place); skip "
      "leaves the file as it is (default of upright in place); fail reports an error",
      [&line](JpegEdges value) { line.jpeg_edges = value; })
      ->group(group);
}

void add_json(CLI::App& app, CommandLine& line, const char* of_what) {
  app.add_option_function<std::string>(
         "--json",
         [&line](const std::string& file) {
           line.json = true;
           line.json_file = file == "-" ? "" : file;
         },
         fmt::format("print one JSON object per {}, to standard output or to FILE", of_what))
      ->type_name("[=FILE]")
      ->group("Running");
}

void add_progress(CLI::App& app, CommandLine& line) {
  add_value(app, "--progress", "[=SECONDS]",
            "print a line of progress every 30 s, or every SECONDS, where there is no terminal; "
            "SIGUSR1 prints one at any time",
            [&line](const std::string& text) {
              line.progress_seconds = static_cast<int>(number_in(text, 1, 86400));
            })
      ->group("Running");
}

/// The value of NAME=VALUE.
std::uint64_t limit_value(const std::string& option, const std::string& value) try {
  if (value == "none") return Limits::none;
  return number_in(value, 1, std::numeric_limits<std::uint64_t>::max());
} catch (const std::invalid_argument&) {
  throw std::invalid_argument(
      fmt::format("'{}': the value of a limit is a number above zero, or none", option));
}

void set_limit(CommandLine& line, const std::string& option) {
  const std::size_t sign = std::min(option.find('='), option.size());
  const std::string name = option.substr(0, sign);
  const auto value = [&] {
    return limit_value(option, option.substr(std::min(sign + 1, option.size())));
  };
  if (name == "seconds") {
    const std::uint64_t seconds = value();
    line.seconds = seconds == Limits::none ? std::numeric_limits<double>::infinity()
                                           : static_cast<double>(seconds);
    return;
  }
  const auto* const found = std::ranges::find(limit_names, name, &LimitName::name);
  if (found == limit_names.end()) {
    std::vector<std::string> names;
    for (const LimitName& limit : limit_names) names.emplace_back(limit.name);
    names.emplace_back("seconds");
    throw std::invalid_argument(not_one_of(name, names));
  }
  line.limits.*found->value = value();
}

void add_file_limits(CLI::App& app, CommandLine& line) {
  const Limits& limits = line.limits;
  app.add_option_function<std::vector<std::string>>(
         "--limit",
         [&line](const std::vector<std::string>& options) {
           try {
             for (const std::string& option : options) set_limit(line, option);
           } catch (const std::invalid_argument& error) {
             throw CLI::ValidationError("--limit", error.what());
           }
         },
         fmt::format(
             "refuse a file that exceeds a limit; VALUE is a number or none; may be repeated. "
             "Names and defaults: pixels={}; ratio={} bytes of pixels per byte of the file, for "
             "pixels of more than {} MiB; metadata-bytes={}; metadata-count={}; scans={} of a "
             "JPEG; directories={} of a TIFF; seconds={:.0f} of work",
             limits.pixels, limits.ratio, Limits::ratio_counts_from >> 20, limits.metadata_bytes,
             limits.metadata_count, limits.scans, limits.directories, line.seconds))
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Running");
}

void add_limits(CLI::App& app, CommandLine& line, const char* what_it_does) {
  const std::string group = "Running";
  add_value(app, "-j,--threads", "N",
            fmt::format("{} N pictures at a time; default: one per core that this process may use",
                        what_it_does),
            [&line](const std::string& text) {
              line.threads = static_cast<int>(number_in(text, 1, 1024));
            })
      ->group(group);
  add_value(
      app, "--memory", "SIZE",
      "memory for files and pixels, such as 512MiB or 4G; a picture that needs more is refused. "
      "Default: a quarter of the free memory; a single larger picture may take three quarters",
      [&line](const std::string& text) { line.memory_bytes = size_in(text, 16 << 20); })
      ->group(group);
  add_file_limits(app, line);
}

void add_running(CLI::App& app, CommandLine& line) {
  const std::string group = "Running";
  app.add_option("--device", line.device,
                 "where pictures are turned: auto (default: the fastest), cpu, cuda (all GPUs), or "
                 "cuda:0,1 (these GPUs); 'qturn devices' lists them")
      ->type_name("DEVICE")
      ->group(group);
  add_limits(app, line, "turn");
  app.add_flag("-n,--dry-run", line.dry_run, "print what would be done, and write nothing")
      ->group(group);
  add_json(app, line, "output");
  add_progress(app, line);
  auto* quiet = app.add_flag("-q,--quiet", line.quiet, "print errors only")->group(group);
  app.add_flag("-v,--verbose", line.verbose, "print a line for each output, and the device")
      ->excludes(quiet)
      ->group(group);
}

void add_strict(CLI::App& app, CommandLine& line, const std::string& also = "") {
  app.add_flag("--strict", line.strict,
               "fail a file that would cause a warning, and a JPEG that would be re-encoded "
               "because it cannot be turned losslessly" +
                   also)
      ->group("Output");
}

void add_storage_change(CLI::App& app, CommandLine& line) {
  app.add_flag(
         "--allow-storage-change", line.allow_storage_change,
         "also turn a TIFF that cannot stay stored as it is (JPEG inside becomes Deflate), with a "
         "warning; without this option it is refused")
      ->needs("--output")
      ->group("Output");
}

void add_tag_only(CLI::App& app, CommandLine& line) {
  app.add_flag("--tag-only", line.tag_only,
               "change only the orientation tag (JPEG, PNG, TIFF, WebP, and --raw); pixels are "
               "neither read nor changed")
      ->excludes("--format")
      ->group("Output");
  app.add_flag(
         "--raw", line.raw,
         "with --tag-only: also change the orientation tag of camera raw files that are structured "
         "like a TIFF (DNG, NEF, CR2, ARW and others); nothing else in them changes")
      ->needs("--tag-only")
      ->group("Input");
}

void add_safety(CLI::App& app, CommandLine& line) {
  const std::string group = "Safety";
  auto* resume = app.add_flag("--resume", line.resume,
                              "continue a run that was interrupted, failed in part or is done: do "
                              "only what is not done yet. In place, the record of the run then "
                              "stays beside the pictures")
                     ->excludes("--skip-existing")
                     ->excludes("--update")
                     ->group(group);
  if (app.get_option_no_throw("--in-place")) {
    app.add_flag("--restart", line.restart,
                 "with --in-place: forget the earlier run, and turn every picture, even those that "
                 "it has turned")
        ->needs("--in-place")
        ->excludes(resume)
        ->group(group);
    app.add_flag("--no-record", line.no_record,
                 "with --in-place: when all is done, leave no record of what was turned. --resume "
                 "then knows nothing of this run")
        ->needs("--in-place")
        ->excludes(resume)
        ->group(group);
    app.add_option("--backup", line.backup,
                   "with --in-place: keep the originals in a folder of this run in DIR, so that "
                   "'qturn restore' can put them back")
        ->needs("--in-place")
        ->type_name("DIR")
        ->group(group);
  }
  auto* verify =
      app.add_flag_callback(
             "--verify", [&line] { line.verify = true; },
             "read each result back and compare it with its original before it is put in place: "
             "coefficients, pixels, orientation, metadata, labels (default in place)")
          ->excludes("--format")
          ->group(group);
  if (app.get_option_no_throw("--in-place")) {
    app.add_flag_callback(
           "--no-verify", [&line] { line.verify = false; },
           "with --in-place: do not verify; faster")
        ->needs("--in-place")
        ->excludes(verify)
        ->group(group);
  }
  add_choice<Fsync>(
      app, "--fsync", {{"each", Fsync::each}, {"end", Fsync::end}, {"never", Fsync::never}},
      "when results are flushed to the disk: each (default in place), before it replaces its "
      "original; end (default with a folder as output), once at the end; or never",
      [&line](Fsync value) { line.fsync = value; })
      ->group(group);
}

void add_salvage(CLI::App& app, CommandLine& line) {
  auto* salvage = app.add_flag("--salvage", line.salvage,
                               "write what can be recovered of a damaged JPEG, PNG or TIFF; the "
                               "rest is grey or black. The file is named, and the exit status is "
                               "1. Without this option a damaged picture is not written")
                      ->excludes("--in-place")
                      ->excludes("--strict")
                      ->excludes("--verify")
                      ->group("Output");
  if (app.get_option_no_throw("--tag-only")) salvage->excludes("--tag-only");
}

void add_in_place(CLI::App& app, CommandLine& line) {
  const std::string group = "Output";
  for (const char* other : {"--output", "--base", "--overwrite", "--skip-existing", "--update"})
    app.get_option("--in-place")->excludes(other);
  app.add_flag(
         "--break-links", line.break_links,
         "with --in-place, also turn files with several hard links; the other names keep the old "
         "picture")
      ->needs("--in-place")
      ->group(group);
  app.add_flag(
         "--allow-stale-metadata", line.allow_stale_metadata,
         "with --in-place, also turn pictures with metadata that is no longer true afterwards (map "
         "coordinates, regions, microscope axes), with a warning; otherwise they fail")
      ->needs("--in-place")
      ->group(group);
}

void add_shard(CLI::App& app, CommandLine& line) {
  auto* shard =
      add_value(app, "--shard", "I/N|auto",
                "take part I (0 to N-1) of N parts of the samples or tars; other runs take the "
                "other parts, at the same time, with the same output, and 'qturn merge' merges "
                "them. auto: take I and N from Slurm, Kubernetes, AWS Batch or MPI",
                [&line](const std::string& text) {
                  line.shard_is_auto = text == "auto";
                  if (!line.shard_is_auto) line.shard = parse_shard(text);
                })
          ->group("Running");
  for (const char* other : {"--overwrite", "--skip-existing", "--update", "--html"})
    shard->excludes(other);
}

}  // namespace

std::unique_ptr<CLI::App> make_parser(CommandLine& line, std::string_view first_word) {
  auto app = std::make_unique<CLI::App>(description, "qturn");
  app->require_subcommand(1);
  app->set_help_flag("-h", "print the operations")->group("More");
  app->set_help_all_flag("--help", "print the operations, options and exit status")->group("More");
  app->set_version_flag("-V,--version", fmt::format("qturn {}\n{}", version, library_versions()),
                        "print the versions of qturn and its codecs")
      ->group("More");
  const auto help = std::make_shared<Help>();
  app->formatter(help);  // before the operations, which take it over
  help->set_examples(app.get(),
                     "  qturn upright photos -o turned          pixels turned as the tags say\n"
                     "  qturn upright photos --in-place         the files replaced, losslessly\n"
                     "  qturn rotate90 scan.tif -o turned.tif   a quarter turn clockwise\n");
  app->footer(exit_status);

  const auto add_command = [&](const char* name, const char* does) {
    CLI::App* command = app->add_subcommand(name, does)->group("Operations");
    for (const char* flag : {"-h", "--help"})
      command->get_option(flag)->group("");  // who reads it knows it
    return command;
  };
  for (const Turn& turn : turns) {
    CLI::App* command = add_command(turn.name, turn.help);
    for (const char* alias : turn.aliases) command->alias(alias);
    if (!first_word.empty() && !command->check_name(std::string(first_word))) continue;
    add_outputs(*command, line, true);
    add_in_place(*command, line);
    add_safety(*command, line);
    // `upright --tag-only` would do nothing.
    if (turn.orientation != Orientation::identity) add_tag_only(*command, line);
    add_strict(*command, line);
    add_storage_change(*command, line);
    add_salvage(*command, line);
    command
        ->add_flag(
            "--sidecars", line.sidecars,
            "also turn XMP sidecars, the files a.xmp or a.jpg.xmp beside a.jpg; in place those "
            "that agree with their picture are always turned")
        ->group("Output");
    add_choice<Believe>(*command, "--believe",
                        {{"exif", Believe::picture}, {"sidecar", Believe::sidecars}},
                        "where two say differently how a picture is stored: its Exif block, "
                        "against an XMP sidecar or "
                        "the container of a HEIC or AVIF that says nothing, or the sidecar "
                        "(default: such a picture "
                        "stays, in place and with --sidecars)",
                        [&line](Believe value) { line.believe = value; })
        ->group("Output");
    add_labels(*command, line);
    add_inputs(*command, line);
    add_others(*command, line);
    add_jpeg(*command, line);
    add_tars(*command, line);
    add_running(*command, line);
    command->footer(exit_status);
    help->set_examples(command, fmt::format("  qturn {0} photos -o turned\n"
                                            "  qturn {0} photos --in-place\n"
                                            "  qturn {0} a.jpg -o b.jpg\n",
                                            turn.name));
    command->callback([&line, orientation = turn.orientation] { line.orientation = orientation; });
  }

  CLI::App* augment = add_command(
      "augment", "write several orientations of each picture, as NAME__ORIENTATION.SUFFIX");
  add_outputs(*augment, line, false);
  add_safety(*augment, line);
  add_strict(*augment, line,
             "; refuse to start if a file of an unknown kind would be copied with its picture");
  add_storage_change(*augment, line);
  const std::string group = "Variants";
  auto* variants =
      add_value(
          *augment, "--variants", "LIST",
          "which orientations: all (default), rotations, or a list such as identity,rotate90,flop",
          [&line](const std::string& text) {
            (void)parse_variants(text);
            line.variants = text;
          })
          ->group(group);
  auto* random =
      add_value(*augment, "--random", "K",
                "K different orientations for each picture, chosen by its path and the seed",
                [&line](const std::string& text) {
                  line.random = static_cast<int>(number_in(text, 1, 8));
                })
          ->group(group)
          ->excludes(variants);
  add_value(*augment, "--seed", "S", "the seed of --random; default: 0",
            [&line](const std::string& text) {
              line.seed = number_in(text, 0, std::numeric_limits<std::uint64_t>::max());
            })
      ->needs(random)
      ->group(group);
  add_value(*augment, "--group", "REGEX",
            "what of a path without its suffix chooses the variants, so that pictures that belong "
            "together get the same: the first group of a regular expression, such as "
            "'(.*?)(_seg|_depth)?'; path chooses for each picture by itself",
            [&line](const std::string& text) { line.group = DrawGroup(text); })
      ->needs(random)
      ->group(group);
  add_labels(*augment, line);
  add_page(*augment, line);
  add_inputs(*augment, line);
  add_others(*augment, line);
  add_jpeg(*augment, line);
  add_tars(*augment, line);
  add_running(*augment, line);
  add_shard(*augment, line);
  augment->footer(exit_status);
  help->set_examples(augment,
                     "  qturn augment data -o data8                       all eight\n"
                     "  qturn augment data -o data3 --random 3 --seed 1   three of the eight\n");
  augment->callback([&line] { line.command = CommandLine::Command::augment; });

  CLI::App* merge = add_command("merge", "merge the shards of an augmentation into one output");
  merge->add_option("OUTPUT", line.output, "the folder that all shards wrote to")
      ->required()
      ->group("Output");
  merge->add_flag("-q,--quiet", line.quiet, "print errors only")->group("Running");
  merge->footer(
      "Exit status: 0 merged, now or earlier; 1 a file could not be written, run it again; 2 "
      "nothing was started.");
  help->set_examples(merge,
                     "  qturn augment data -o out --shard 0/2   here, or on any machine\n"
                     "  qturn augment data -o out --shard 1/2\n"
                     "  qturn merge out                         when both are done\n");
  merge->callback([&line] { line.command = CommandLine::Command::merge; });

  CLI::App* restore =
      add_command("restore", "put back the originals that a run with --backup replaced");
  restore
      ->add_option("BACKUP", line.backup,
                   "the folder of a run in the DIR of --backup, such as kept/2026-11-24T18-20-11; "
                   "DIR itself lists its runs")
      ->required()
      ->group("Input");
  restore
      ->add_option(
          "--to", line.to,
          "the folder that the run turned lies at DIR now, because it was renamed or moved")
      ->type_name("DIR")
      ->group("Output");
  restore->add_flag("-n,--dry-run", line.dry_run, "print what would be put back, and write nothing")
      ->group("Running");
  add_progress(*restore, line);
  restore->add_flag("-q,--quiet", line.quiet, "print errors only")->group("Running");
  restore->footer(
      "Exit status: 0 all were restored; 1 some were not, for instance because they have changed "
      "since; 2 nothing was started; 129, 130, 143 interrupted, run it again.");
  help->set_examples(
      restore,
      "  qturn restore kept                       the runs whose originals are there\n"
      "  qturn restore kept/2026-11-24T18-20-11   what that run replaced\n");
  restore->callback([&line] { line.command = CommandLine::Command::restore; });

  CLI::App* check =
      add_command("check", "find damage, and metadata or labels that contradict the picture");
  add_label_check(*check, line);
  add_inputs(*check, line);
  check
      ->add_flag(
          "--quick", line.quick,
          "read headers and metadata only; pixels are not decoded, so most damage is not found")
      ->group("Running");
  auto* against =
      check
          ->add_option("--against", line.against,
                       "compare INPUT, turned by any program, with the originals of the same names "
                       "below DIR; each picture must be its original in one of the eight "
                       "orientations, with its metadata, labels and masks")
          ->type_name("DIR")
          ->group("Input");
  for (const char* other : {"--quick", "--html", "--files-from"})
    against->excludes(check->get_option(other));
  check->get_option("--swap-pairs")->needs(against);
  check->add_flag("--raw", line.raw, "also check the orientation tags of camera raw files")
      ->group("Input");
  add_limits(*check, line, "check");
  add_json(*check, line, "picture");
  add_progress(*check, line);
  check->add_flag("-q,--quiet", line.quiet, "print only findings and errors")->group("Running");
  check->footer(
      "Exit status: 0 nothing found; 1 some are damaged, disagree or cannot be read; 2 nothing "
      "was checked; 129, 130, 143 interrupted.");
  help->set_examples(check,
                     "  qturn check photos           decodes every picture; writes nothing\n"
                     "  qturn check photos --quick   headers and metadata only\n"
                     "  qturn check --labels data    also boxes, polygons, keypoints and masks\n"
                     "  qturn check --against photos turned   each result with its original\n");
  check->callback([&line] { line.command = CommandLine::Command::check; });

  CLI::App* devices =
      add_command("devices", "list the CPU and the GPUs, and say what qturn would use");
  add_json(*devices, line, "machine");
  devices->footer("")->callback([&line] { line.command = CommandLine::Command::devices; });
  return app;
}

}  // namespace qturn
