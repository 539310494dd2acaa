#!/bin/sh
# Installs what is missing, builds wasmeter and its examples, and prints the page report of the Markdown example
# rendering this project's README.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh
install_missing

build=build
[ -f $build/build.ninja ] || meson setup $build -Dtests=false >/dev/null
ninja -C $build >/dev/null || ninja -C $build

echo "\$ wasmeter pages examples/markdown.wasm -i README.md"
exec $build/cli/wasmeter pages $build/examples/markdown.wasm -i README.md
