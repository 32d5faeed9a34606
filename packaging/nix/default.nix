# nixpkgs: untried. nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:
pkgs.stdenv.mkDerivation {
  pname = "qturn";
  version = builtins.head (builtins.match ".*project\\(qturn VERSION ([0-9.]+).*" (builtins.readFile ../../CMakeLists.txt));
  src = pkgs.lib.cleanSource ../..;
  nativeBuildInputs = with pkgs; [ cmake ninja python3 ];
  buildInputs = with pkgs; [
    brotli cli11 fmt giflib imath libarchive libdeflate libhwy libjpeg libtiff libwebp nlohmann_json
    openimageio tbb xxHash zlib
  ];
  cmakeFlags = [ "-DQTURN_CUDA=OFF" "-DQTURN_TESTS=OFF" ];
  meta = {
    description = "Turns and mirrors pictures without loss";
    license = pkgs.lib.licenses.asl20;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "qturn";
  };
}
