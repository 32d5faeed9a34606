#include "src/nvjpeg/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace qturn {
namespace {

// The loader's own places, then the usual places of toolkits that the loader does not know.
void* open_library() {
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) folders.push_back(std::string(root) + "/lib64/");
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  for (const std::string& folder : folders) {
    for (const int major : {13, 12}) {
      const std::string name = fmt::format("{}libnvjpeg.so.{}", folder, major);
      if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  return nullptr;
}

template <typename Function>
void find(void* library, const char* name, Function& function, std::string& problem) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function && problem.empty()) {
    problem = fmt::format("this libnvjpeg is too old: it has no {}", name);
  }
}

NvJpegLibrary load() {
  NvJpegLibrary nv;
  void* library = open_library();
  if (!library) {
    nv.problem = "libnvjpeg.so.13 or .12, of the CUDA toolkit, is not on this machine";
    return nv;
  }
  const auto get = [&](const char* name, auto& function) {
    find(library, name, function, nv.problem);
  };
  get("nvjpegCreateEx", nv.create_ex);
  get("nvjpegDestroy", nv.destroy);
  get("nvjpegGetProperty", nv.get_property);
  get("nvjpegGetHardwareDecoderInfo", nv.get_hardware_decoder_info);
  get("nvjpegJpegStateCreate", nv.jpeg_state_create);
  get("nvjpegJpegStateDestroy", nv.jpeg_state_destroy);
  get("nvjpegDecodeBatchedInitialize", nv.decode_batched_initialize);
  get("nvjpegDecodeBatched", nv.decode_batched);
  get("nvjpegDecodeBatchedSupported", nv.decode_batched_supported);
  get("nvjpegJpegStreamCreate", nv.jpeg_stream_create);
  get("nvjpegJpegStreamDestroy", nv.jpeg_stream_destroy);
  get("nvjpegJpegStreamParseHeader", nv.jpeg_stream_parse_header);
  get("nvjpegJpegStreamParse", nv.jpeg_stream_parse);
  get("nvjpegEncoderStateCreate", nv.encoder_state_create);
  get("nvjpegEncoderStateDestroy", nv.encoder_state_destroy);
  get("nvjpegEncoderParamsCreate", nv.encoder_params_create);
  get("nvjpegEncoderParamsDestroy", nv.encoder_params_destroy);
  get("nvjpegEncoderParamsSetEncoding", nv.encoder_params_set_encoding);
  get("nvjpegEncoderParamsSetOptimizedHuffman", nv.encoder_params_set_optimized_huffman);
  get("nvjpegEncoderParamsSetSamplingFactors", nv.encoder_params_set_sampling_factors);
  get("nvjpegEncoderParamsCopyQuantizationTables", nv.encoder_params_copy_quantization_tables);
  get("nvjpegEncodeYUV", nv.encode_yuv);
  get("nvjpegEncodeRetrieveBitstream", nv.encode_retrieve_bitstream);
  if (!nv.problem.empty()) return nv;
  int major = 0, minor = 0, patch = 0;
  nv.get_property(MAJOR_VERSION, &major);
  nv.get_property(MINOR_VERSION, &minor);
  nv.get_property(PATCH_LEVEL, &patch);
  nv.version = fmt::format("{}.{}.{}", major, minor, patch);
  return nv;
}

}  // namespace

const NvJpegLibrary& nvjpeg_library() {
  static const NvJpegLibrary library = load();
  return library;
}

void check(nvjpegStatus_t status, const char* call) {
  if (status == NVJPEG_STATUS_SUCCESS) return;
  throw NvJpegError(fmt::format("nvJPEG: {}: status {}", call, static_cast<int>(status)));
}

}  // namespace qturn
