#include "src/nvjpeg/codec.hpp"

#include <qturn/cuda.hpp>

#include <algorithm>
#include <cstring>

namespace qturn {
namespace {

// Rows of device memory begin at multiples of this, because the kernels are fastest there.
constexpr std::int64_t alignment = 128;

const unsigned char* unsigned_bytes(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

nvjpegImage_t image_of(const std::byte* planes, const PlanarLayout& layout) {
  nvjpegImage_t image{};
  for (std::size_t i = 0; i < layout.planes.size(); ++i) {
    const PlanarLayout::Plane& plane = layout.planes[i];
    // nvJPEG has one type for what it reads and what it writes.
    image.channel[i] =
        reinterpret_cast<unsigned char*>(const_cast<std::byte*>(planes + plane.offset));
    image.pitch[i] = static_cast<std::size_t>(plane.pitch);
  }
  return image;
}

nvjpegChromaSubsampling_t sampling_of(const PlanarLayout& layout) {
  if (layout.h == 2) return layout.v == 2 ? NVJPEG_CSS_420 : NVJPEG_CSS_422;
  return layout.v == 2 ? NVJPEG_CSS_440 : NVJPEG_CSS_444;
}

std::unique_ptr<nvjpegJpegStream, Release> make_stream(const NvJpegHandle& handle) {
  nvjpegJpegStream_t stream = nullptr;
  check(nvjpeg_library().jpeg_stream_create(handle.get(), &stream), "nvjpegJpegStreamCreate");
  return std::unique_ptr<nvjpegJpegStream, Release>(stream);
}

}  // namespace

PlanarLayout::PlanarLayout(Size of_picture, int of_h, int of_v)
    : size(of_picture), h(of_h), v(of_v) {
  for (std::size_t i = 0; i < planes.size(); ++i) {
    Plane& plane = planes[i];
    plane.width = i == 0 ? size.width : (size.width + h - 1) / h;
    plane.height = i == 0 ? size.height : (size.height + v - 1) / v;
    plane.pitch = (plane.width + alignment - 1) / alignment * alignment;
    plane.offset = bytes;
    bytes += static_cast<std::uint64_t>(plane.pitch * plane.height);
  }
}

NvJpegHandle::NvJpegHandle(nvjpegBackend_t backend) {
  const NvJpegLibrary& nv = nvjpeg_library();
  if (!nv.problem.empty()) throw NvJpegError(nv.problem);
  check(nv.create_ex(backend, nullptr, nullptr, NVJPEG_FLAGS_DEFAULT, &handle_), "nvjpegCreateEx");
}

NvJpegHandle::~NvJpegHandle() { nvjpeg_library().destroy(handle_); }

unsigned NvJpegHandle::engines() const {
  unsigned engines = 0, cores = 0;
  check(nvjpeg_library().get_hardware_decoder_info(handle_, &engines, &cores),
        "nvjpegGetHardwareDecoderInfo");
  return engines;
}

NvJpegDecoder::NvJpegDecoder(const NvJpegHandle& handle, cudaStream_t stream)
    : nv_(nvjpeg_library()), handle_(handle), stream_(stream) {
  nvjpegJpegState_t state = nullptr;
  check(nv_.jpeg_state_create(handle_.get(), &state), "nvjpegJpegStateCreate");
  state_.reset(state);
  header_ = make_stream(handle_);
}

bool NvJpegDecoder::supports(std::span<const std::byte> header) {
  int unsupported = 1;  // the function returns 0 for yes
  return nv_.jpeg_stream_parse_header(handle_.get(), unsigned_bytes(header), header.size(),
                                      header_.get()) == NVJPEG_STATUS_SUCCESS &&
         nv_.decode_batched_supported(handle_.get(), header_.get(), &unsupported) ==
             NVJPEG_STATUS_SUCCESS &&
         unsupported == 0;
}

void NvJpegDecoder::decode(std::span<const std::span<const std::byte>> files,
                           std::span<const PlanarLayout> layouts,
                           std::span<std::byte* const> planes) {
  if (files.size() != batch_) {
    batch_ = 0;
    check(nv_.decode_batched_initialize(handle_.get(), state_.get(), static_cast<int>(files.size()),
                                        1, NVJPEG_OUTPUT_YUV),
          "nvjpegDecodeBatchedInitialize");
    batch_ = files.size();
  }
  std::vector<const unsigned char*> data;
  std::vector<std::size_t> lengths;
  std::vector<nvjpegImage_t> images;
  for (std::size_t i = 0; i < files.size(); ++i) {
    data.push_back(unsigned_bytes(files[i]));
    lengths.push_back(files[i].size());
    images.push_back(image_of(planes[i], layouts[i]));
  }
  const nvjpegStatus_t status = nv_.decode_batched(handle_.get(), state_.get(), data.data(),
                                                   lengths.data(), images.data(), stream_);
  const cudaError_t error = cudaStreamSynchronize(stream_);
  if (status != NVJPEG_STATUS_SUCCESS) {
    batch_ = 0;  // discards what is left of the failed batch
    cudaGetLastError();
    check(status, "nvjpegDecodeBatched");
  }
  check(error, "decoding on the device");
}

NvJpegEncoder::NvJpegEncoder(const NvJpegHandle& handle) : nv_(nvjpeg_library()), handle_(handle) {
  nvjpegEncoderState_t state = nullptr;
  check(nv_.encoder_state_create(handle_.get(), &state, stream_.get()), "nvjpegEncoderStateCreate");
  state_.reset(state);
  nvjpegEncoderParams_t params = nullptr;
  check(nv_.encoder_params_create(handle_.get(), &params, stream_.get()),
        "nvjpegEncoderParamsCreate");
  params_.reset(params);
  tables_stream_ = make_stream(handle_);
  check(nv_.encoder_params_set_encoding(params, NVJPEG_ENCODING_BASELINE_DCT, stream_.get()),
        "nvjpegEncoderParamsSetEncoding");
}

void NvJpegEncoder::set_up(const PlanarLayout& layout, std::span<const std::byte> tables,
                           bool optimised) {
  if (!std::ranges::equal(tables, tables_)) {
    tables_.clear();
    check(nv_.jpeg_stream_parse(handle_.get(), unsigned_bytes(tables), tables.size(), 0, 0,
                                tables_stream_.get()),
          "nvjpegJpegStreamParse");
    check(nv_.encoder_params_copy_quantization_tables(params_.get(), tables_stream_.get(),
                                                      stream_.get()),
          "nvjpegEncoderParamsCopyQuantizationTables");
    tables_.assign(tables.begin(), tables.end());
  }
  check(nv_.encoder_params_set_sampling_factors(params_.get(), sampling_of(layout), stream_.get()),
        "nvjpegEncoderParamsSetSamplingFactors");
  check(nv_.encoder_params_set_optimized_huffman(params_.get(), optimised ? 1 : 0, stream_.get()),
        "nvjpegEncoderParamsSetOptimizedHuffman");
}

std::span<const std::byte> NvJpegEncoder::encode(const std::byte* planes,
                                                 const PlanarLayout& layout,
                                                 std::span<const std::byte> tables,
                                                 bool optimised) {
  set_up(layout, tables, optimised);
  const nvjpegImage_t image = image_of(planes, layout);
  check(nv_.encode_yuv(handle_.get(), state_.get(), params_.get(), &image, sampling_of(layout),
                       static_cast<int>(layout.size.width), static_cast<int>(layout.size.height),
                       stream_.get()),
        "nvjpegEncodeYUV");
  std::size_t length = 0;
  check(nv_.encode_retrieve_bitstream(handle_.get(), state_.get(), nullptr, &length, stream_.get()),
        "nvjpegEncodeRetrieveBitstream");
  check(cudaStreamSynchronize(stream_.get()), "encoding on the device");
  if (length > staging_bytes_) {
    staging_.reset();
    staging_bytes_ = 0;
    void* locked = nullptr;
    check(cudaHostAlloc(&locked, length + length / 4, cudaHostAllocPortable), "page-locked memory");
    staging_.reset(static_cast<std::byte*>(locked));
    staging_bytes_ = length + length / 4;
  }
  check(nv_.encode_retrieve_bitstream(handle_.get(), state_.get(),
                                      reinterpret_cast<unsigned char*>(staging_.get()), &length,
                                      stream_.get()),
        "nvjpegEncodeRetrieveBitstream");
  check(cudaStreamSynchronize(stream_.get()), "encoding on the device");
  return {staging_.get(), length};
}

}  // namespace qturn
