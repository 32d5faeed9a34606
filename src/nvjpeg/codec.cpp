#include "src/nvjpeg/codec.hpp"

#include <qturn/cuda.hpp>

#include <algorithm>
#include <cstring>

namespace qturn {
namespace {

// Rows of device memory begin at multiples of this: the kernels are fastest so.
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

}  // namespace

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw CudaError(error, what);
}

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
  check(nv_.jpeg_state_create(handle_.get(), &state_), "nvjpegJpegStateCreate");
  if (const auto status = nv_.jpeg_stream_create(handle_.get(), &header_);
      status != NVJPEG_STATUS_SUCCESS) {
    nv_.jpeg_state_destroy(state_);
    check(status, "nvjpegJpegStreamCreate");
  }
}

NvJpegDecoder::~NvJpegDecoder() {
  nv_.jpeg_stream_destroy(header_);
  nv_.jpeg_state_destroy(state_);
}

bool NvJpegDecoder::supports(std::span<const std::byte> file) {
  int unsupported = 1;  // the function's answer is 0 for yes
  return nv_.jpeg_stream_parse_header(handle_.get(), unsigned_bytes(file), file.size(), header_) ==
             NVJPEG_STATUS_SUCCESS &&
         nv_.decode_batched_supported(handle_.get(), header_, &unsupported) ==
             NVJPEG_STATUS_SUCCESS &&
         unsupported == 0;
}

void NvJpegDecoder::decode(std::span<const std::span<const std::byte>> files,
                           std::span<const PlanarLayout> layouts,
                           std::span<std::byte* const> planes) {
  if (files.size() != batch_) {
    batch_ = 0;
    check(nv_.decode_batched_initialize(handle_.get(), state_, static_cast<int>(files.size()), 1,
                                        NVJPEG_OUTPUT_YUV),
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
  const nvjpegStatus_t status = nv_.decode_batched(handle_.get(), state_, data.data(),
                                                   lengths.data(), images.data(), stream_);
  const cudaError_t error = cudaStreamSynchronize(stream_);
  if (status != NVJPEG_STATUS_SUCCESS) {
    batch_ = 0;  // whatever is left of the failed batch goes
    cudaGetLastError();
    check(status, "nvjpegDecodeBatched");
  }
  check(error, "decoding on the device");
}

NvJpegEncoder::NvJpegEncoder(const NvJpegHandle& handle) : nv_(nvjpeg_library()), handle_(handle) {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
  check(nv_.encoder_state_create(handle_.get(), &state_, stream_), "nvjpegEncoderStateCreate");
  check(nv_.encoder_params_create(handle_.get(), &params_, stream_), "nvjpegEncoderParamsCreate");
  check(nv_.jpeg_stream_create(handle_.get(), &tables_stream_), "nvjpegJpegStreamCreate");
  check(nv_.encoder_params_set_encoding(params_, NVJPEG_ENCODING_BASELINE_DCT, stream_),
        "nvjpegEncoderParamsSetEncoding");
}

NvJpegEncoder::~NvJpegEncoder() {
  cudaStreamSynchronize(stream_);
  cudaFreeHost(staging_);
  nv_.jpeg_stream_destroy(tables_stream_);
  nv_.encoder_params_destroy(params_);
  nv_.encoder_state_destroy(state_);
  cudaStreamDestroy(stream_);
}

void NvJpegEncoder::set_up(const PlanarLayout& layout, std::span<const std::byte> tables,
                           bool optimised) {
  if (!std::ranges::equal(tables, tables_)) {
    tables_.clear();
    check(nv_.jpeg_stream_parse(handle_.get(), unsigned_bytes(tables), tables.size(), 0, 0,
                                tables_stream_),
          "nvjpegJpegStreamParse");
    check(nv_.encoder_params_copy_quantization_tables(params_, tables_stream_, stream_),
          "nvjpegEncoderParamsCopyQuantizationTables");
    tables_.assign(tables.begin(), tables.end());
  }
  check(nv_.encoder_params_set_sampling_factors(params_, sampling_of(layout), stream_),
        "nvjpegEncoderParamsSetSamplingFactors");
  check(nv_.encoder_params_set_optimized_huffman(params_, optimised ? 1 : 0, stream_),
        "nvjpegEncoderParamsSetOptimizedHuffman");
}

Bytes NvJpegEncoder::encode(const std::byte* planes, const PlanarLayout& layout,
                            std::span<const std::byte> tables, bool optimised) {
  set_up(layout, tables, optimised);
  const nvjpegImage_t image = image_of(planes, layout);
  check(nv_.encode_yuv(handle_.get(), state_, params_, &image, sampling_of(layout),
                       static_cast<int>(layout.size.width), static_cast<int>(layout.size.height),
                       stream_),
        "nvjpegEncodeYUV");
  std::size_t length = 0;
  check(nv_.encode_retrieve_bitstream(handle_.get(), state_, nullptr, &length, stream_),
        "nvjpegEncodeRetrieveBitstream");
  check(cudaStreamSynchronize(stream_), "encoding on the device");
  if (length > staging_bytes_) {
    cudaFreeHost(staging_);
    staging_ = nullptr;
    staging_bytes_ = 0;
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, length + length / 4, cudaHostAllocPortable), "page-locked memory");
    staging_ = static_cast<unsigned char*>(memory);
    staging_bytes_ = length + length / 4;
  }
  check(nv_.encode_retrieve_bitstream(handle_.get(), state_, staging_, &length, stream_),
        "nvjpegEncodeRetrieveBitstream");
  check(cudaStreamSynchronize(stream_), "encoding on the device");
  const auto* made = reinterpret_cast<const std::byte*>(staging_);
  return {made, made + length};
}

}  // namespace qturn
