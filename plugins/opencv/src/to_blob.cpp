// Turned, planar and normalised pictures, as cv::dnn::blobFromImages() makes them on the CPU. A
// GpuMat has two dimensions, so the planes lie one below the other, picture after picture. Without
// gaps between the rows this is the memory of a tensor of N x C x H x W.
#include <qturn/opencv.hpp>
#include <qturn/planar.hpp>

#include <limits>

#include "plugins/opencv/src/refusal.hpp"
#include "plugins/opencv/src/turn.hpp"

namespace qturn::opencv {

using cv::cuda::GpuMat;

namespace {

SampleType sample_type_of(const GpuMat& src, Name name) {
  if (src.channels() <= 4) {
    switch (src.depth()) {
      case CV_8U:
        return SampleType::uint8;
      case CV_16U:
        return SampleType::uint16;
      case CV_16F:
        return SampleType::float16;
      case CV_32F:
        return SampleType::float32;
      default:
        break;
    }
  }
  throw Refusal(src.channels() > 4 ? cv::Error::BadNumChannels : cv::Error::BadDepth,
                name.text() + " is " + cv::typeToString(src.type()) +
                    ", expected CV_8U, CV_16U, CV_16F or CV_32F with 1 to 4 channels");
}

SampleType blob_type_of(int depth) {
  switch (depth) {
    case CV_16F:
      return SampleType::float16;
#ifdef CV_16BF
    case CV_16BF:
      return SampleType::bfloat16;
#endif
    case CV_32F:
      return SampleType::float32;
    default:
      throw Refusal(cv::Error::BadDepth, "ddepth is " + cv::typeToString(depth) +
                                             ", expected CV_32F, CV_16F or, in OpenCV 5, CV_16BF");
  }
}

PlanarFormat format_of(const GpuMat& src, const BlobParams& params) {
  const int channels = src.channels();
  PlanarFormat format;
  format.src_type = sample_type_of(src, {"src"});
  format.dst_type = blob_type_of(params.ddepth);
  format.planes = params.planes == 0 ? channels : params.planes;
  const int fewest = channels > 1 && params.swap_rb ? 3 : 1;
  const int most = channels == 1 ? 4 : channels;
  if (format.planes < fewest || format.planes > most) {
    throw Refusal(cv::Error::BadNumChannels,
                  std::to_string(format.planes) + " planes of " + cv::typeToString(src.type()) +
                      (fewest == 3 ? ", expected 3 or 4 of as many channels, to exchange 0 and 2"
                                   : ", expected 1 to " + std::to_string(most)));
  }
  if (channels == 1) {
    format.channel = {0, 0, 0, 0};
  } else if (params.swap_rb) {
    format.channel = {2, 1, 0, 3};
  }
  // OpenCV multiplies by a factor, the kernels divide.
  for (int c = 0; c < 4; ++c) {
    format.mean[static_cast<std::size_t>(c)] = params.mean[c];
    format.deviation[static_cast<std::size_t>(c)] = 1 / params.scalefactor[c];
  }
  return format;
}

// The size of a blob of `pictures` pictures.
cv::Size blob_size(cv::Size picture, int planes, std::size_t pictures) {
  const double rows = static_cast<double>(pictures) * planes * picture.height;
  if (rows > std::numeric_limits<int>::max()) {
    throw Refusal(cv::Error::StsOutOfRange, std::to_string(pictures) + " pictures of " +
                                                std::to_string(planes) + " planes of " +
                                                std::to_string(picture.height) +
                                                " rows are more rows than a GpuMat has");
  }
  return {picture.width, static_cast<int>(pictures) * planes * picture.height};
}

PlanarView planes_at(const GpuMat& blob, cv::Size size, int planes, std::size_t picture) {
  const auto pitch = static_cast<std::int64_t>(blob.step);
  return {blob.data + static_cast<std::int64_t>(picture) * planes * size.height * pitch, size.width,
          size.height, pitch, size.height * pitch};
}

}  // namespace

bool to_blob(const GpuMat& src, GpuMat& dst, Orientation orientation, const BlobParams& params,
             cudaStream_t stream) {
  if (!has_pixels(src)) {
    release(dst, stream);
    return false;
  }
  const PlanarFormat format = format_of(src, params);
  const View from = device_view(src, {"src"});
  const cv::Size size = turned(orientation, src.size());
  // `dst` may be `src` itself, which must stay what it is if this fails.
  GpuMat blob = dst;
  const std::optional<Replaced> replaced =
      replace(blob, {"dst"}, blob_size(size, format.planes, 1), CV_MAKETYPE(params.ddepth, 1),
              stream, Rows::dense);
  device_view(blob, {"dst"});
  to_planar(from, planes_at(blob, size, format.planes, 0), orientation, format, stream);
  if (replaced) dst = blob;
  return true;
}

bool to_blob(const std::vector<GpuMat>& src, GpuMat& dst,
             const std::vector<Orientation>& orientations, const BlobParams& params,
             cudaStream_t stream) {
  require_one_each(orientations.size(), src.size());
  if (src.empty()) {
    release(dst, stream);
    return false;
  }
  const PlanarFormat format = format_of(src[0], params);
  const cv::Size size = turned(orientations[0], src[0].size());
  for (std::size_t i = 0; i < src.size(); ++i) {
    if (!has_pixels(src[i])) {
      throw Refusal(cv::Error::StsBadSize,
                    Name{"src", i}.text() + " is empty, and a blob has no gaps");
    }
    const cv::Size expected = turned(orientations[i], size);
    if (src[i].size() != expected || src[i].type() != src[0].type()) {
      throw Refusal(cv::Error::StsUnmatchedSizes,
                    Name{"src", i}.text() + " is " + describe(src[i].size(), src[i].type()) +
                        ", expected " + describe(expected, src[0].type()) +
                        ", which turned has the size of src[0]");
    }
  }
  const cv::Size blob = blob_size(size, format.planes, src.size());
  std::vector<PlanarImage> images(src.size());
  for (std::size_t i = 0; i < src.size(); ++i) {
    images[i].src = device_view(src[i], {"src", i});
    images[i].orientation = orientations[i];
  }
  const std::optional<Replaced> replaced =
      replace(dst, {"dst"}, blob, CV_MAKETYPE(params.ddepth, 1), stream, Rows::dense);
  device_view(dst, {"dst"});
  for (std::size_t i = 0; i < src.size(); ++i) {
    images[i].dst = planes_at(dst, size, format.planes, i);
  }
  to_planar_batch(images.data(), images.size(), format, stream);
  return true;
}

}  // namespace qturn::opencv
