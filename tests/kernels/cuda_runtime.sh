#!/usr/bin/env bash
# The static libraries call nothing that the runtime of CUDA 12.4 does not have: cuda_runtime.sh NM LIBRARY...
set -euo pipefail
# The symbols that are needed of the runtime of CUDA 12.4.127.
known='__cudaGetKernel __cudaLaunchKernel __cudaPopCallConfiguration __cudaRegisterFatBinary __cudaRegisterFatBinaryEnd
  __cudaRegisterFunction __cudaRegisterVar __cudaUnregisterFatBinary cudaDeviceGetAttribute cudaDriverGetVersion
  cudaFuncGetAttributes cudaFuncSetAttribute cudaGetDevice cudaGetDeviceCount cudaGetDriverEntryPoint cudaGetErrorName
  cudaGetErrorString cudaGetLastError cudaLaunchKernelExC cudaMemcpyAsync cudaMemsetAsync cudaStreamIsCapturing
  cudaThreadExchangeStreamCaptureMode'
called=$("$1" --undefined-only "${@:2}" | sed -n 's/^ *U \(_*cuda.*\)/\1/p' | sort -u)
[[ $called ]] || { echo "no call of CUDA in ${*:2}" >&2 && exit 1; }
for function in $called; do
  [[ " ${known//$'\n'/ } " == *" $function "* ]] || { echo "$function is called, which CUDA 12.4 may not have" >&2 && exit 1; }
done
