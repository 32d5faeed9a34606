# nixpkgs: untried. nix-build packaging/nix [--arg cuda true]
{ pkgs ? import <nixpkgs> { config.allowUnfree = cuda; }, cuda ? false }:
(if cuda then pkgs.cudaPackages.backendStdenv else pkgs.stdenv).mkDerivation {
  pname = "qturn";
  version = builtins.head (builtins.match ".*project\\(qturn VERSION ([0-9.]+).*" (builtins.readFile ../../CMakeLists.txt));
  src = pkgs.lib.cleanSource ../..;
  nativeBuildInputs = with pkgs; [ cmake ninja python3 ] ++ lib.optional cuda cudaPackages.cuda_nvcc;
  buildInputs = with pkgs; [
    brotli cli11 fmt giflib imath libarchive libdeflate libhwy libjpeg libtiff libwebp nlohmann_json
    openimageio tbb xxHash zlib
  ] ++ lib.optionals cuda [ cudaPackages.cuda_cudart cudaPackages.cuda_cccl ];
  dontPatchELF = true; # would take the folder of a module, which no program is linked with, off the run path
  cmakeFlags = [ "-DQTURN_TESTS=OFF" ]
    ++ (if cuda then [ "-DQTURN_CUDA=ON" "-DCMAKE_CUDA_ARCHITECTURES=${pkgs.cudaPackages.flags.cmakeCudaArchitecturesString}" ]
    else [ "-DQTURN_CUDA=OFF" ]);
  meta = {
    description = "Turns and mirrors pictures without loss";
    license = pkgs.lib.licenses.asl20;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "qturn";
  };
}
