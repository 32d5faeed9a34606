// How a call is refused: with one of OpenCV's codes and a sentence, before anything is enqueued.
#ifndef QTURN_OPENCV_REFUSAL_HPP
#define QTURN_OPENCV_REFUSAL_HPP

#include <opencv2/core.hpp>

#include <exception>
#include <source_location>
#include <string>
#include <utility>

namespace qturn::opencv {

/// Becomes a cv::Exception where it leaves the library. Not made by cv::error() here, because that
/// calls the program's error handlers, and the preload library passes refused calls on instead.
class Refusal : public std::exception {
 public:
  Refusal(int code, std::string message,
          std::source_location where = std::source_location::current())
      : code_(code), message_(std::move(message)), where_(where) {}

  int code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::source_location& where() const { return where_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int code_;
  std::string message_;
  std::source_location where_;
};

/// "640x480 CV_8UC3": width first, as in this library's other messages.
inline std::string describe(cv::Size size, int type) {
  return std::to_string(size.width) + "x" + std::to_string(size.height) + " " +
         cv::typeToString(type);
}

}  // namespace qturn::opencv

#endif  // QTURN_OPENCV_REFUSAL_HPP
