// How a call is refused: with one of OpenCV's codes and a sentence, before anything is enqueued.
#pragma once

#include <opencv2/core.hpp>

#include <exception>
#include <string>
#include <utility>

namespace qturn::opencv {

/// Becomes a cv::Exception at the border of the library. cv::error() is not used here, because it
/// calls the program's error handlers, while the preload library passes refused calls on.
class Refusal : public std::exception {
 public:
  Refusal(int code, std::string message, const char* file = __builtin_FILE(),
          int line = __builtin_LINE())
      : code_(code), message_(std::move(message)), file_(file), line_(line) {}

  int code() const { return code_; }
  const std::string& message() const { return message_; }
  /// Where it was thrown.
  const char* file() const { return file_; }
  int line() const { return line_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int code_;
  std::string message_;
  const char* file_;
  int line_;
};

/// "640x480 CV_8UC3": width first, as in this library's other messages.
inline std::string describe(cv::Size size, int type) {
  return std::to_string(size.width) + "x" + std::to_string(size.height) + " " +
         cv::typeToString(type);
}

}  // namespace qturn::opencv
