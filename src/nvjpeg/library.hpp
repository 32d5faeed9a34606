// nvJPEG, opened when the program runs.
//
// It belongs to the CUDA toolkit, which few machines with a driver have. So the program must start
// without it: the library is opened by name, and its functions are called by pointer. Only this
// folder sees nvJPEG.
#ifndef QTURN_SRC_NVJPEG_LIBRARY_HPP
#define QTURN_SRC_NVJPEG_LIBRARY_HPP

#include <nvjpeg.h>

#include <stdexcept>
#include <string>

namespace qturn {

/// A call of nvJPEG failed because of its input; what() names the call and the status.
class NvJpegError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The functions of the library, named as there without the prefix.
struct NvJpegLibrary {
  std::string problem;  ///< why it is missing; then no function may be called. Empty if it is there
  std::string version;  ///< "13.0.1"

  decltype(&nvjpegCreateEx) create_ex = nullptr;
  decltype(&nvjpegDestroy) destroy = nullptr;
  decltype(&nvjpegGetProperty) get_property = nullptr;
  decltype(&nvjpegGetHardwareDecoderInfo) get_hardware_decoder_info = nullptr;
  decltype(&nvjpegJpegStateCreate) jpeg_state_create = nullptr;
  decltype(&nvjpegJpegStateDestroy) jpeg_state_destroy = nullptr;
  decltype(&nvjpegDecodeBatchedInitialize) decode_batched_initialize = nullptr;
  decltype(&nvjpegDecodeBatched) decode_batched = nullptr;
  decltype(&nvjpegDecodeBatchedSupported) decode_batched_supported = nullptr;
  decltype(&nvjpegJpegStreamCreate) jpeg_stream_create = nullptr;
  decltype(&nvjpegJpegStreamDestroy) jpeg_stream_destroy = nullptr;
  decltype(&nvjpegJpegStreamParseHeader) jpeg_stream_parse_header = nullptr;
  decltype(&nvjpegJpegStreamParse) jpeg_stream_parse = nullptr;
  decltype(&nvjpegEncoderStateCreate) encoder_state_create = nullptr;
  decltype(&nvjpegEncoderStateDestroy) encoder_state_destroy = nullptr;
  decltype(&nvjpegEncoderParamsCreate) encoder_params_create = nullptr;
  decltype(&nvjpegEncoderParamsDestroy) encoder_params_destroy = nullptr;
  decltype(&nvjpegEncoderParamsSetEncoding) encoder_params_set_encoding = nullptr;
  decltype(&nvjpegEncoderParamsSetOptimizedHuffman) encoder_params_set_optimized_huffman = nullptr;
  decltype(&nvjpegEncoderParamsSetSamplingFactors) encoder_params_set_sampling_factors = nullptr;
  decltype(&nvjpegEncoderParamsCopyQuantizationTables) encoder_params_copy_quantization_tables =
      nullptr;
  decltype(&nvjpegEncodeYUV) encode_yuv = nullptr;
  decltype(&nvjpegEncodeRetrieveBitstream) encode_retrieve_bitstream = nullptr;
};

/// The library, opened at the first call.
const NvJpegLibrary& nvjpeg_library();

/// Throws NvJpegError unless `status` is success.
void check(nvjpegStatus_t status, const char* call);

}  // namespace qturn

#endif  // QTURN_SRC_NVJPEG_LIBRARY_HPP
