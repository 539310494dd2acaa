# Sourced by demo.sh and test.sh: installs the Debian packages that are missing, and only those.
# What is there already, from wherever it came, is left alone: a package is asked for by the command or file it must give.

need() { # need PACKAGE COMMAND-OR-FILE
  case "$2" in
    /*) ls $2 >/dev/null 2>&1 && return 0 ;;
    *) command -v "$2" >/dev/null 2>&1 && return 0 ;;
  esac
  missing="$missing $1"
}

install_missing() {
  [ -n "${missing# }" ] || return 0
  echo "installing:$missing"
  root=
  [ "$(id -u)" = 0 ] || root=sudo
  $root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
  missing=
}

missing=
need gcc gcc
need libc6-dev /usr/include/stdio.h
need meson meson
need ninja-build ninja
need pkg-config pkg-config
need clang clang
need lld wasm-ld
need wabt wat2wasm
need python3 python3
need libxxhash-dev /usr/include/xxhash.h
