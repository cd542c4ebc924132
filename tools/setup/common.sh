# shellcheck shell=bash disable=SC2034
# Shared by tools/quickstart and tools/check: installs what is missing, configures, builds with progress.
#
# Part of the Fovea Project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every function either succeeds or ends the script with one line that says what is wrong. Long output goes to $log.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${FOVEA_BUILD_DIR:-$root/build}
log=$build/setup.log
mlir_version=22.1
required_mb=1500

# What the build needs and what only makes it faster, as "package:probe"; the probe is a command or a file.
required=(cmake:cmake ninja-build:ninja g++:g++ g++:gcc python3:python3
          llvm-22-dev:/usr/lib/llvm-22/lib/cmake/llvm/LLVMConfig.cmake llvm-22-tools:/usr/lib/llvm-22/bin/FileCheck
          libmlir-22-dev:/usr/lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake mlir-22-tools:/usr/lib/llvm-22/bin/mlir-tblgen
          liblld-22-dev:/usr/lib/llvm-22/lib/cmake/lld/LLDConfig.cmake
          flatbuffers-compiler:flatc libflatbuffers-dev:/usr/include/flatbuffers/flatbuffers.h)
wanted=(clang-22:clang++-22 ccache:ccache)
test_packages=(python3-numpy:py-numpy libgtest-dev:/usr/include/gtest/gtest.h)

say() { printf '%s\n' "$*"; }

# Ends with one line: fail "what is wrong; what would help".
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# The last line is what a person or a CI reads; give root's files back to the one who called sudo.
give_back() {
  if [ "$(id -u)" = 0 ] && [ -n "${SUDO_UID:-}" ] && [ -d "$build" ]; then
    chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$build"
  fi
}
trap give_back EXIT

# Whether a command, a file or, after "py-", a Python module is there. Debian's Python counts beside the one on PATH.
present() {
  case $1 in
  /*) [ -e "$1" ] ;;
  py-*) python3 -c "import ${1#py-}" >/dev/null 2>&1 || /usr/bin/python3 -c "import ${1#py-}" >/dev/null 2>&1 ;;
  *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# missing "package:probe"...: the packages whose probe fails, each once.
missing() {
  local item package found=" "
  for item in "$@"; do
    package=${item%%:*}
    if ! present "${item#*:}" && [[ $found != *" $package "* ]]; then
      found+="$package "
    fi
  done
  echo $found
}

# A person who names an MLIR of their own gets no Debian packages of its version: CMake judges it, and the archive may
# lack them.
drop_mlir_packages() {
  wanted=("${wanted[@]/#clang-22:clang++-22/clang:clang++}")
  local item kept=()
  for item in "${required[@]}"; do
    [[ $item == *llvm-22* ]] || kept+=("$item")
  done
  required=("${kept[@]}")
}

# Prints how to become root for apt: nothing, or sudo with or without a question.
root_command() {
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  if [ -t 0 ]; then echo sudo; else sudo -n true 2>/dev/null && echo sudo -n; fi
}

# What went wrong in apt, in one line.
apt_failure() {
  if grep -qi 'no space left\|not enough free' "$log"; then
    fail "disk full: apt-get could not unpack$1; free some space and run again"
  elif grep -qi 'could not resolve\|temporary failure\|could not connect\|failed to fetch\|unable to connect\|network is unreachable' "$log"; then
    fail "no network: apt-get could not fetch$1; connect and run again, or install them yourself"
  elif grep -qi 'unable to locate package\|no installation candidate' "$log"; then
    fail "this system's package archive lacks$1; MLIR $mlir_version is in Debian 12 (bookworm) and its security updates"
  elif grep -qi 'permission denied\|are you root' "$log"; then
    fail "no rights: apt-get may not install$1; run as root or through sudo"
  fi
  fail "apt-get failed to install$1; see $log"
}

other_mlir() {
  local dir found=""
  for dir in /usr/lib/llvm-*/lib/cmake/mlir; do
    case $dir in */llvm-22/* | *\**) continue ;; esac
    dir=${dir#/usr/lib/llvm-}
    found+=" ${dir%%/*}"
  done
  [ -n "$found" ] && echo " (MLIR$found is here, but Fovea needs $mlir_version)"
}

# install_missing: brings in what `required` lists and this machine lacks.
install_missing() {
  [ -n "${MLIR_DIR:-}${CMAKE_PREFIX_PATH:-}" ] && drop_mlir_packages
  local names become
  names=$(missing "${required[@]}")
  [ -z "$names" ] && return 0
  command -v apt-get >/dev/null 2>&1 ||
    fail "missing: $names, and there is no apt-get to install them$(other_mlir); install them yourself and run again"
  become=$(root_command) ||
    fail "no rights: $names must be installed; run as root, or install sudo"
  [ "$(id -u)" = 0 ] || [ -n "$become" ] || fail "no rights: $names must be installed; run as root or through sudo"
  names=$(missing "${required[@]}" "${wanted[@]}")
  say "installing: $names"
  export DEBIAN_FRONTEND=noninteractive
  # The lists may be old rather than absent: an update that fails is judged by the installation.
  $become apt-get update >>"$log" 2>&1 || true
  $become apt-get install -y --no-install-recommends $names >>"$log" 2>&1 || apt_failure " $names"
  names=$(missing "${required[@]}")
  [ -z "$names" ] || fail "still missing after the installation: $names; see $log"
}

check_disk() {
  local free
  free=$(df -Pm "$build" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$required_mb" ] ||
    fail "disk full: $free MB free for $build, the build needs $required_mb MB; free some or set FOVEA_BUILD_DIR"
}

# clang++ compiles MLIR's headers in half the time and memory of g++, and the one of MLIR's own version takes from a
# precompiled header no more than a file needs; C stays with gcc, whose OpenMP is always there.
choose_compiler() {
  export CC=${CC:-gcc} CXX=${CXX:-}
  local name
  for name in clang++-22 clang++ g++; do
    [ -z "$CXX" ] && command -v $name >/dev/null 2>&1 && CXX=$name
  done
  CXX=${CXX:-g++}
  echo '#include <vector>
        int main() { return static_cast<int>(std::vector<int>().size()); }' >"$build/probe.cpp"
  "$CXX" -std=c++17 "$build/probe.cpp" -o "$build/probe" >>"$log" 2>&1 ||
    fail "no compiler: $CXX cannot build a C++17 program; install g++, or name another in CXX (see $log)"
}

# Where the build can begin: a writable directory with room.
prepare() {
  mkdir -p "$build" 2>/dev/null || fail "no rights: cannot create $build; run where you may write, or set FOVEA_BUILD_DIR"
  [ -w "$build" ] || fail "no rights: cannot write to $build; remove it, or set FOVEA_BUILD_DIR"
  : >"$log" 2>/dev/null || fail "no rights: cannot write $log; remove it and run again"
  check_disk
  install_missing
  choose_compiler
}

# CMake's message joined to one line.
cmake_failure() {
  grep -qi 'no space left' "$log" && fail "disk full: CMake could not write to $build"
  local text
  text=$(awk '/^CMake Error/ { on = 1; next } on && /^(  .*)?$/ { print; next } on { exit }' "$log" | tr -s ' \n' ' ' |
    sed 's/^ *//; s/ *$//')
  fail "CMake failed: ${text:-see $log}"
}

configure() {
  say "configuring ($CXX) in $build"
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  # What a file includes is read from what the compiler writes for ninja: an empty cache costs no second preprocessor.
  export CCACHE_DEPEND=${CCACHE_DEPEND:-1}
  local cached
  cached=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null)
  # A cache of another compiler would make CMake start over with half its settings lost.
  [ -n "$cached" ] && [ "${cached##*/}" != "${CXX##*/}" ] && CXX=$cached
  cmake -G Ninja -S "$root" -B "$build" ${MLIR_DIR:+-DMLIR_DIR="$MLIR_DIR"} "$@" >>"$log" 2>&1 || cmake_failure
}

# As many jobs as there are processors and 1.5 GB each.
jobs() {
  local cpus memory
  cpus=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo)
  [ "$memory" -lt "$cpus" ] && cpus=$memory
  [ "$cpus" -lt 1 ] && cpus=1
  echo "$cpus"
}

# Reads ninja's lines; shows one line that moves on a terminal, elsewhere a line for each tenth.
progress() {
  local line count total last=-1
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    count=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [ -t 1 ]; then
      printf '\r\033[K  %s' "${line:0:100}"
    elif [ $((count * 10 / total)) != "$last" ]; then
      last=$((count * 10 / total))
      say "  built $count of $total"
    fi
  done
  [ -t 1 ] && printf '\r\033[K'
  return 0
}

build_failure() {
  grep -qi 'no space left' "$log" && fail "disk full: the build could not write to $build"
  grep -A20 '^FAILED:' "$log" | head -40 >&2
  fail "the build failed; see $log"
}

# build_targets NAME...: builds, with progress.
build_targets() {
  say "building with $(jobs) jobs"
  ninja -C "$build" -j "$(jobs)" "$@" 2>&1 | progress
  [ "${PIPESTATUS[0]}" = 0 ] || build_failure
}
