// Samples as they are gathered from members that follow each other.
#include "src/sources/sample_stream.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <utility>
#include <vector>

#include "src/files/tar/tar.hpp"

namespace qturn::sample_stream_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

const std::atomic<bool> never{false};

struct Each {
  Member member;
  std::string content = "BM";  ///< what a BMP begins with
};

Each member(const std::string& name, const std::string& content = "BM") {
  return {.member = {.name = name, .bytes = content.size()}, .content = content};
}

/// The members of a test's tar. One without a name is damage of the tar.
class Members : public MemberReader {
 public:
  explicit Members(std::vector<Each> members) : members_(std::move(members)) {}
  std::optional<Member> next() override {
    if (next_ == members_.size()) return std::nullopt;
    const Member& next = members_[next_++].member;
    if (next.name.empty()) throw TarError("damaged");
    return next;
  }
  Bytes content(Bytes) override {
    const std::string& content = members_[next_ - 1].content;
    if (content == "unreadable") throw MemberError("cannot be read");
    const auto bytes = bytes_of(content);
    return {bytes.begin(), bytes.end()};
  }

 private:
  const std::vector<Each> members_;
  std::size_t next_ = 0;
};

/// What becomes of members: the samples, each by the keys of its jobs with what is wrong with them.
struct Streamed {
  explicit Streamed(std::vector<Each> members, const PlanOptions& plan = {},
                    std::uint64_t largest_bytes = 1 << 20) {
    SampleKeys keys;
    SampleStream stream({.plan = plan,
                         .name = "in.tar",
                         .output = "out/",
                         .memory_bytes = 1 << 20,
                         .largest_bytes = largest_bytes},
                        std::make_unique<Members>(std::move(members)), never, keys);
    while (const auto sample = stream.next()) {
      std::string text;
      for (const Job& job : sample->jobs) {
        text += (text.empty() ? "" : " ") + job.key;
        for (const Companion& each : job.companions())
          if (each.kind == CompanionKind::label) text += "+" + each.input.filename().string();
        if (job.problem != Sentence()) text += ": " + job.problem.text;
      }
      samples.push_back(text);
    }
    problem = stream.problem();
    left_out = stream.left_out();
    has_leftover = stream.leftover().has_value();
  }

  std::vector<std::string> samples;
  std::string problem;
  std::map<std::string, std::uint64_t> left_out;
  bool has_leftover = false;
};

using Texts = std::vector<std::string>;

PlanOptions with_labels() {
  PlanOptions options;
  options.labels.take = TakeLabels::found;
  return options;
}

TEST_CASE("Members that follow each other and share a name up to its first dot are a sample") {
  const Streamed streamed({member("x/a.bmp"), member("x/a.txt", "0 .5 .5 1 1\n"),
                           member("x/a.left.bmp"), member("y/a.bmp"), member("notes.md", "")},
                          with_labels());
  CHECK(streamed.samples == Texts{"x/a.bmp+a.txt x/a.left.bmp", "y/a.bmp"});
  CHECK(streamed.left_out == std::map<std::string, std::uint64_t>{{".md", 1}});
  CHECK(streamed.problem.empty());
}

TEST_CASE("Hidden members are passed over, and belong to no sample") {
  const std::vector<Each> members = {member("a.bmp"), member(".x/a.bmp"), member("a.left.bmp"),
                                     member("./b.bmp")};
  CHECK(Streamed(members).samples == Texts{"a.bmp a.left.bmp", "./b.bmp"});
  PlanOptions all;
  all.hidden = true;
  CHECK(Streamed(members, all).samples.size() == 4);
}

TEST_CASE("A sample whose files do not follow each other is told of, and written once") {
  const Streamed streamed({member("a.bmp"), member("b.bmp"), member("a.left.bmp")});
  REQUIRE(streamed.samples.size() == 3);
  CHECK(streamed.samples[0] == "a.bmp");
  CHECK_THAT(streamed.samples[2], StartsWith("a.left.bmp: left out, because there was a sample "
                                             "called a before"));
}

TEST_CASE("A member that cannot be taken refuses its sample, and no other") {
  Each refused = member("a.left.bmp");
  refused.member.refusal = "is a link";
  const auto samples = [&](const Each& bad) {
    return Streamed({member("a.bmp"), bad, member("b.bmp")}).samples;
  };
  CHECK(samples(refused) == Texts{"a.left.bmp: is a link; its sample is left out", "b.bmp"});
  CHECK(samples(member("a.left.bmp", "unreadable")) ==
        Texts{"a.left.bmp: cannot be read", "b.bmp"});
  CHECK(samples(member("a.bmp")) ==
        Texts{"a.bmp: is in its sample twice; the sample is left out", "b.bmp"});
}

TEST_CASE("A sample that needs too much memory is refused before it is read") {
  Each large = member("a.bmp", "unreadable");
  large.member.bytes = 3 << 20;
  const auto samples = Streamed({large, member("b.bmp")}).samples;
  REQUIRE(samples.size() == 2);
  CHECK_THAT(samples[0], ContainsSubstring("its sample needs 6 MiB of memory with its results, "
                                           "more than 1 MiB"));
  CHECK(samples[1] == "b.bmp");
}

TEST_CASE("Where a tar is damaged, the sample that has begun is left out, and the reason told") {
  const Streamed streamed({member("a.bmp"), member("b.bmp"), member("")});
  REQUIRE(streamed.samples.size() == 2);
  CHECK(streamed.samples[0] == "a.bmp");
  CHECK_THAT(streamed.samples[1], StartsWith("b.bmp: left out, because the tar is damaged"));
  CHECK(streamed.problem == "in.tar: damaged");
}

TEST_CASE("After a label that would not be turned no sample is given") {
  const Streamed streamed(
      {member("a.bmp"), member("a.xml", "<box l='12' t='7'/>"), member("b.bmp")}, with_labels());
  CHECK(streamed.has_leftover);
  CHECK(streamed.samples.empty());
}

}  // namespace
}  // namespace qturn::sample_stream_test
