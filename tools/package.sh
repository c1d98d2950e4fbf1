#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/package.sh LDXTOOL SOURCES NAME OUTPUT: the package of a tool, before ldx is installed.
set -e
ldxtool=$1 sources=$2 output=$4
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/include/ldx/cpu"
cp "$ldxtool" "$root/bin"
cp "$sources"/include/ldx/* "$root/include/ldx"
for cpu in "$sources"/runtime/*/; do
	cpu=${cpu%/}
	cp -r "$cpu" "$root/include/ldx/cpu"
done
for cpu in mipsel mips64el; do
	ln -s mips "$root/include/ldx/cpu/$cpu"
done
"$root/bin/ldxtool" build "$sources/tools/$3" -o "$output"
