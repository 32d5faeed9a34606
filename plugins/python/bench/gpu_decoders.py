"""Rivals of decode_batch() on a GPU. Each function takes the files of a batch, and returns a call that decodes them all to RGB.

The call is for one thread, works on PyTorch's current stream and returns when the pictures are there. What is missing is an error.
"""
import ctypes
import io
import sys

import torch
from PIL import Image

HARDWARE, INTERLEAVED_RGB = 3, 5  # NVJPEG_BACKEND_HARDWARE, NVJPEG_OUTPUT_RGBI


class NvjpegImage(ctypes.Structure):
    """nvjpegImage_t of nvjpeg.h."""
    _fields_ = [("channel", ctypes.c_void_p * 4), ("pitch", ctypes.c_size_t * 4)]


def nvjpeg_library():
    folders = ["", "/usr/local/cuda/lib64/", *(f"{path}/nvidia/{package}/lib/" for path in sys.path for package in ("cu13", "nvjpeg"))]
    for folder in folders:
        for version in (".13", ".12", ""):
            try:
                return ctypes.CDLL(f"{folder}libnvjpeg.so{version}")
            except OSError:
                continue
    raise RuntimeError("libnvjpeg is not on this machine")


def nvjpeg(files, backend=HARDWARE):
    """nvJPEG's batched call, into memory that is there already."""
    library = nvjpeg_library()

    def run(name, *arguments):
        status = getattr(library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}() of nvJPEG failed with status {status}")

    count = len(files)
    sizes = [Image.open(io.BytesIO(file)).size for file in files]
    outputs = [torch.empty(height, width, 3, dtype=torch.uint8, device="cuda") for width, height in sizes]
    images = (NvjpegImage * count)()
    for image, output, (width, _) in zip(images, outputs, sizes):
        image.channel[0], image.pitch[0] = output.data_ptr(), 3 * width
    data, lengths = (ctypes.c_char_p * count)(*files), (ctypes.c_size_t * count)(*map(len, files))
    handle, state = ctypes.c_void_p(), ctypes.c_void_p()
    run("nvjpegCreateEx", backend, None, None, 0, ctypes.byref(handle))
    run("nvjpegJpegStateCreate", handle, ctypes.byref(state))
    run("nvjpegDecodeBatchedInitialize", handle, state, count, 1, INTERLEAVED_RGB)

    def call():
        stream = torch.cuda.current_stream()
        run("nvjpegDecodeBatched", handle, state, data, lengths, images, ctypes.c_void_p(stream.cuda_stream))
        stream.synchronize()
        return outputs

    return call


def nvimagecodec(files, kind=None):
    """nvImageCodec's decoder; kind: "HW_GPU_ONLY" or "HYBRID_CPU_GPU", or what it chooses itself."""
    from nvidia import nvimgcodec
    decoder = nvimgcodec.Decoder(device_id=0, backends=kind and [nvimgcodec.Backend(getattr(nvimgcodec.BackendKind, kind))])

    def call():
        stream = torch.cuda.current_stream()
        images = decoder.decode([nvimgcodec.CodeStream(file) for file in files], cuda_stream=stream.cuda_stream)
        missing = sum(image is None for image in images)
        if missing:
            raise RuntimeError(f"nvImageCodec does not decode {missing} of {len(files)}")
        stream.synchronize()
        return images

    return call


def torchvision(files):
    from torchvision.io import ImageReadMode, decode_jpeg
    tensors = [torch.frombuffer(bytearray(file), dtype=torch.uint8) for file in files]
    return lambda: decode_jpeg(tensors, ImageReadMode.RGB, device="cuda")
