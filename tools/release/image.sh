#!/usr/bin/env bash
# Makes a Java runtime of the modules that Skerry's jars need and, on Linux, a folder with the files of the C library that
# it loads, for a container image without a system. Run by Maven with JAVA_HOME and the folder of skerry.jar, lib and parts;
# writes its folder image.
set -euo pipefail
export LC_ALL=C

target=$1 image=$1/image jdk=$JAVA_HOME/bin
rm -rf "$image"
mkdir -p "$image"

# Modules that classes of the jars name; the descriptors of ours name jars that have none, which are not the JDK's.
feature=$("$jdk/jdeps" --version)
modules=$("$jdk/jdeps" --print-module-deps --ignore-missing-deps --multi-release "${feature%%.*}" \
  --module-path "$target/lib" "$target/skerry.jar" "$target/parts/skerry-papers.jar" "$target"/lib/*.jar \
  | tr , '\n' | grep -xFf <("$jdk/java" --list-modules | sed 's/@.*//') | sort | paste -sd,)
"$jdk/jlink" --add-modules "$modules" --strip-java-debug-attributes --no-header-files --no-man-pages --compress zip-6 \
  --output "$image/runtime"

[ "$(uname)" = Linux ] || exit 0
mkdir -p "$image/system/tmp"
files=$image/system/system-files.txt
find "$image/runtime" \( -path '*/bin/java' -o -name '*.so' \) -exec ldd {} + \
  | sed -n 's|.*[[:space:]]\(/[^ ]*\) (0x.*|\1|p' | grep -v "^$(realpath "$image/runtime")/" | sort -u >"$files"
while read -r file; do
  mkdir -p "$image/system${file%/*}"
  cp "$file" "$image/system$file"
done <"$files"
