// Writes the seeds of tar_fuzz: small tars of every form. tar_seeds FOLDER
#include "tests/fixtures/tar_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const tests::Members some = {{"x/a.jpg", "pixels"}, {"./a.txt", ""}, {"../b", "-> /etc/passwd"}};
  const std::string folder(120, 'n');
  const tests::Members more = {some.front(), {folder + "/" + folder + ".png", "long"}};
  const struct {
    const char* name;
    const tests::Members& members;
    tests::TarForm form;
  } seeds[] = {{"ustar", some, {}},
               {"pax", more, {ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE}},
               {"gnu", more, {ARCHIVE_FORMAT_TAR_GNUTAR}},
               {"gzip", some, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}},
               {"zstd", some, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD}}};
  for (const auto& [name, members, form] : seeds) {
    std::ofstream(std::filesystem::path(argv[1]) / name, std::ios::binary)
        << tests::tar(members, form);
  }
}
