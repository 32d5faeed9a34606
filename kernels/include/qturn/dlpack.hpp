// Tensors of DLPack as views.
//
//   #include <dlpack/dlpack.h>
//   #include <qturn/dlpack.hpp>
//
//   const qturn::View dst = qturn::cuda_view_of(tensor, device);  // a DLTensor
//
// The functions are templates of the tensor's type, so any version of DLPack's header will do, and
// none is needed to build qturn. A view does not keep the tensor's memory. Whether that may be
// written is in the flags of DLManagedTensorVersioned, which the caller must check.
#ifndef QTURN_DLPACK_HPP
#define QTURN_DLPACK_HPP

#include <qturn/view.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace qturn {

/// Whether memory of this DLDeviceType is a CUDA device's (kDLCUDA, kDLCUDAManaged) or the host's
/// (kDLCPU, kDLCUDAHost); nothing for other types.
constexpr std::optional<bool> is_cuda_in_dlpack(int device_type) {
  constexpr int cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13;
  if (device_type == cuda || device_type == cuda_managed) return true;
  if (device_type == cpu || device_type == cuda_host) return false;
  return std::nullopt;
}

/// The bytes of an item of this DLDataType, whose lanes are part of it.
///
/// Throws std::invalid_argument if they are not whole bytes, as for types of 4 bits.
template <class DataType>
int item_bytes_in_dlpack(const DataType& type) {
  const int bits = type.bits * type.lanes;
  if (bits <= 0 || bits % 8 != 0) {
    throw std::invalid_argument("an item has " + std::to_string(type.bits) + " bits in " +
                                std::to_string(type.lanes) +
                                " lanes, expected a multiple of 8 bits");
  }
  return bits / 8;
}

/// The view of a tensor, wherever its memory is: axes as in view_of_array(), of any type of items.
/// No strides mean that the items follow each other, as in DLPack.
///
/// Throws std::invalid_argument for what view_of_array() and item_bytes_in_dlpack() refuse.
template <class Tensor, class = decltype(Tensor::byte_offset)>
View view_of(const Tensor& tensor) {
  const int rank = tensor.ndim;
  std::int64_t strides[3] = {};
  if (rank == 2 || rank == 3) {  // otherwise refused below
    std::int64_t items = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      strides[axis] = tensor.strides != nullptr ? tensor.strides[axis] : items;
      items *= tensor.shape[axis];
    }
  }
  void* data =
      tensor.data == nullptr ? nullptr : static_cast<char*>(tensor.data) + tensor.byte_offset;
  return view_of_array(data, item_bytes_in_dlpack(tensor.dtype), rank, tensor.shape, strides);
}

/// The same of a tensor in host memory, for the functions without a stream. Also throws
/// std::invalid_argument for a tensor elsewhere.
template <class Tensor>
View host_view_of(const Tensor& tensor) {
  const int type = tensor.device.device_type;
  if (is_cuda_in_dlpack(type) != false) {
    throw std::invalid_argument("the tensor is on device type " + std::to_string(type) +
                                " of DLPack, expected the CPU (1) or page-locked memory (3)");
  }
  return view_of(tensor);
}

/// The same of a tensor in the memory of CUDA device `device`, for the functions with a stream.
template <class Tensor>
View cuda_view_of(const Tensor& tensor, int device) {
  const int type = tensor.device.device_type, id = tensor.device.device_id;
  if (is_cuda_in_dlpack(type) != true) {
    throw std::invalid_argument("the tensor is on device type " + std::to_string(type) +
                                " of DLPack, expected CUDA (2) or its managed memory (13)");
  }
  if (id != device) {
    throw std::invalid_argument("the tensor is on CUDA device " + std::to_string(id) +
                                ", expected " + std::to_string(device));
  }
  return view_of(tensor);
}

}  // namespace qturn

#endif  // QTURN_DLPACK_HPP
