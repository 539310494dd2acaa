#!/bin/sh
# Installs what the tests need, builds both dispatch forms, and runs everything:
#
#   goto       gcc, optimised, dispatch by direct jumps, and the wasm32 components
#   switch     gcc, optimised, dispatch by `switch`
#   clang      clang builds all of it, warnings as errors, and runs the unit tests
#   sanitized  gcc, AddressSanitizer and UndefinedBehaviorSanitizer set to abort
#
# Fails when anything fails. WASM_TESTSUITE names the folder of the official test scripts (../shared/wasm-testsuite by
# default). Last, the checks are checked: with a planted overflow, and with a planted leak, the sanitized build must turn red.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh
need libcriterion-dev /usr/include/criterion/criterion.h
need libclang-rt-14-dev "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a"
need nodejs node
need npm npm
install_missing

: "${WASM_TESTSUITE:=$PWD/../shared/wasm-testsuite}"
export WASM_TESTSUITE
for folder in tests spec-tests bench; do
  [ -f $folder/package-lock.json ] || continue
  (cd $folder && npm ci --no-audit --no-fund --loglevel=error)
done

export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1

# configure NAME MESON-OPTION…: a fresh or refreshed build folder.
configure() {
  name=$1
  shift
  if [ -f "build-$name/build.ninja" ]; then
    meson configure "build-$name" "$@" >/dev/null
  else
    meson setup "build-$name" "$@" >/dev/null
  fi
  ninja -C "build-$name" >"build-$name/compile.log" 2>&1 || { cat "build-$name/compile.log"; exit 1; }
}

# check NAME MESON-TEST-OPTION…: runs the tests of a build; every runner's own output is shown.
check() {
  name=$1
  shift
  echo "== $name =="
  meson test -C "build-$name" --no-rebuild --verbose "$@"
}

# must_fail NAME SUITE: the tests of that suite have to fail in this build.
must_fail() {
  if meson test -C "build-$1" --no-rebuild --suite "$2" >"build-$1/planted.log" 2>&1; then
    echo "the planted fault went unnoticed by suite $2"
    exit 1
  fi
  echo "build-$1: planted fault noticed by suite $2"
}

configure goto -Ddispatch=goto
check goto
configure switch -Ddispatch=switch -Dwasm32=false
check switch --suite unit --suite runner --suite e2e
CC=clang configure clang -Doptimization=1 -Dwasm32=false
check clang --suite unit
sanitized="-Doptimization=1 -Ddebug=true -Db_ndebug=false -Db_sanitize=address,undefined -Db_lundef=false -Ddispatch=goto -Dwasm32=false"
configure sanitized $sanitized -Dplant=none
check sanitized
configure sanitized $sanitized -Dplant=overflow
must_fail sanitized unit
must_fail sanitized smoke
configure sanitized $sanitized -Dplant=leak
must_fail sanitized smoke
configure sanitized $sanitized -Dplant=none
echo "all builds passed"
