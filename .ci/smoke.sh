#!/usr/bin/env bash
# Starts the built program as a user does and checks what it prints and how it ends. The last line is
# "smoke: N passed, M failed"; the exit code is 0 if M is 0.
set -euo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
skerry=$home/skerry
work=$(mktemp -d "${TMPDIR:-/tmp}/skerry-smoke.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
name=

# test_that NAME CODE COMMAND...: runs the command and expects the exit code; output stays in $work/out and $work/err.
test_that() {
  name=$1
  local expected=$2 code=0
  shift 2
  "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  expect "exit code $code, not $expected" [ "$code" -eq "$expected" ]
}

# expect COMPLAINT COMMAND...: counts the command as passed or failed.
expect() {
  local complaint=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'smoke: %s: %s\n' "$name" "$complaint" >&2
    sed 's/^/  out: /' "$work/out" | tail -20 >&2
    sed 's/^/  err: /' "$work/err" | tail -20 >&2
  fi
}

out_has() { expect "no '$1' on standard output" grep -qF -e "$1" "$work/out"; }
err_has() { expect "no '$1' on standard error" grep -qF -e "$1" "$work/err"; }
out_empty() { expect 'standard output is not empty' [ ! -s "$work/out" ]; }
lines_are() { [ "$(wc -l <"$1")" -eq "$2" ]; }
one_error() {
  out_empty
  expect 'not one line on standard error' lines_are "$work/err" 1
  expect "no line 'skerry: ...' on standard error" grep -q '^skerry: ' "$work/err"
}
not() { ! "$@"; }
no_build() { expect 'it was built again' not grep -q 'skerry: building' "$work/err"; }

digest() { sed -n 's/^Digest *//p' "$work/out"; }

# A folder with what the launcher needs and no Java, and a PATH of nothing else.
without_java() {
  local tool
  mkdir -p "$work/bin"
  for tool in bash cat dirname env find grep mktemp mv readlink rm sed; do
    ln -sf "$(type -P "$tool")" "$work/bin/$tool"
  done
  env -i PATH="$work/bin" SKERRY_JDKS="${jdks-}" "$@"
}

test_that 'help' 0 "$skerry" --help
out_has 'run'
out_has './skerry run'

test_that 'default run' 0 "$skerry" run
out_has 'Shale, 256 nodes, h = 2, hbh+spray, short'
out_has '0 dropped, 0 corrupted'
out_has 'delivered, steady in slots'
out_has ' 0 unfinished'
no_build
first=$(digest)

SECONDS=0
test_that 'second start' 0 "$skerry" --version
no_build
expect "it took $SECONDS s" [ "$SECONDS" -le 5 ]

# The cache of classes that the build made: used when it fits, and otherwise as if it were not there.
plain_version() {
  out_has 'skerry 0.1.0'
  expect 'something on standard error' [ ! -s "$work/err" ]
}
from_cache() { grep -q 'dev\.skerry\..* source: shared objects file' "$work/classes"; }
version_with() { SKERRY_JAVA_OPTIONS="-Xlog:class+load:file=$work/classes $*" "$skerry" --version; }
cache=$home/tools/target/skerry.aot
test_that 'start with the cache' 0 version_with
plain_version
expect 'no class is from the cache' from_cache
for options in -XX:-UseCompressedOops -Xshare:off -XX:TieredStopAtLevel=1 -Xmx100m --add-modules=java.sql; do
  test_that "start with $options" 0 version_with "$options"
  plain_version
done
mv "$cache" "$work/whole"
unusable() {
  test_that "start with $1" 0 version_with
  plain_version
  expect "classes are from $1" not from_cache
}
unusable 'no cache'
head -c $(($(stat -c %s "$work/whole") / 2)) "$work/whole" >"$cache"
unusable 'half a cache'
printf 'no cache\n' >"$cache"
unusable 'a text for a cache'
cp "$work/whole" "$cache"
printf 'damaged by smoke.sh' | dd of="$cache" bs=1 seek=5000000 conv=notrunc status=none
unusable 'a damaged cache'
mv "$work/whole" "$cache"
touch -r "$home/tools/target/skerry.jar" "$work/time"
touch -d '1 minute' "$home/tools/target/skerry.jar"
unusable 'the cache of an older jar'
touch -r "$work/time" "$home/tools/target/skerry.jar"

test_that 'two threads' 0 "$skerry" run --threads 2
expect 'another digest than with one thread' [ "$(digest)" = "$first" ]

test_that 'NICs and switches on threads' 0 "$skerry" run --mode threads
expect 'another digest than in lock step' [ "$(digest)" = "$first" ]

test_that 'Shoal' 0 "$skerry" run --fabric shoal --nodes 64 --slots 20000
out_has 'Shoal, 64 nodes'
out_has '0 dropped, 0 corrupted'
shoal=$(digest)

test_that 'Shoal on threads' 0 "$skerry" run --fabric shoal --nodes 64 --slots 20000 --mode threads --idle yield
expect 'another digest than in lock step' [ "$(digest)" = "$shoal" ]

# Large pages are seldom set up, so the JVM complains about them: on standard error.
test_that 'JSON' 0 env SKERRY_JAVA_OPTIONS='-XX:-UseTransparentHugePages -XX:+UseLargePages' \
  "$skerry" run --nodes 16 --slots 2000 --json
expect 'standard output does not start with {' [ "$(head -c 1 "$work/out")" = '{' ]
expect 'standard output does not end with }' [ "$(tail -n 1 "$work/out")" = '}' ]
if command -v python3 >/dev/null 2>&1; then
  expect 'no valid JSON' python3 -c 'import json, sys; json.load(open(sys.argv[1]))["digest"]' "$work/out"
fi

test_that 'results' 0 "$skerry" run --nodes 16 --slots 2000 --out "$work/result"
for file in fct.csv summary.json buffer-occupancy.csv queue-lengths.csv active-buckets.csv fct.hgrm latency.hgrm \
  report.html; do
  expect "no $file" [ -s "$work/result/$file" ]
done
test_that 'results twice' 2 "$skerry" run --nodes 16 --slots 2000 --out "$work/result"
one_error

test_that 'PIEO trace' 0 "$skerry" pieo --replay "$home/dataplane/src/test/resources/pieo/rtl-101.txt.gz"
out_has 'operations, all equal'

test_that 'packets' 0 "$skerry" live --dir "$work/counters" --port 0=gen:64B,max,to=3,count=20000 \
  --port "3=pcap:$work/live.pcap"
out_has '+ 0 held: yes'
expect 'not every packet is in the capture' [ "$(stat -c %s "$work/live.pcap")" -eq $((24 + 20000 * (16 + 64))) ]
test_that 'packets on threads' 0 "$skerry" live --json --dir "$work/counters" --fabric shale --mode threads \
  --threads 2 --port 0=gen:64B,max,to=1,count=5000 --port 1=gen:imix,max,to=0,count=5000
out_has '"conserved": true'
test_that 'wrong port' 2 "$skerry" live --port 0=loop --port 1=nothing
one_error
test_that 'counters of nobody' 0 "$skerry" stat --dir "$work/counters"
out_has 'no dataplane is running'

printf 'E 0 20 5 1\nD 4 1 0 20 5\n' >"$work/wrong.txt"
test_that 'PIEO trace that differs' 1 "$skerry" pieo --replay "$work/wrong.txt"
out_has "$work/wrong.txt:2"

test_that 'no command' 2 "$skerry"
one_error
test_that 'unknown command' 2 "$skerry" fly
one_error
test_that 'unknown option' 2 "$skerry" run --fly
one_error
test_that 'wrong value' 2 "$skerry" run --nodes 1
one_error
test_that 'blanks in a value' 2 "$skerry" run --fabric 'no such * fabric'
one_error
err_has 'no such * fabric'
printf '0,0,1,100,0\n1,0,999,100,0\n' >"$work/flows.csv"
test_that 'wrong trace' 2 "$skerry" run --flows "$work/flows.csv"
one_error
err_has "$work/flows.csv:2"

cd "$work"
test_that 'from another folder' 0 "$skerry" run --nodes 4 --slots 300
no_build
test_that 'trace beside the user' 0 "$skerry" run --nodes 1000 --slots 10 --flows flows.csv
ln -s "$skerry" "$work/linked"
ln -s linked "$work/linked twice"
test_that 'through a link to a link' 0 "./linked twice" --version
no_build
out_has 'skerry '

test_that 'no JDK' 2 without_java "$skerry" --version
one_error
err_has 'JDK 25'
mkdir -p "$work/old jdk/bin"
printf 'JAVA_VERSION="17.0.2"\n' >"$work/old jdk/release"
printf '#!/bin/sh\n' >"$work/old jdk/bin/java"
cp "$work/old jdk/bin/java" "$work/old jdk/bin/javac"
chmod +x "$work/old jdk/bin/java" "$work/old jdk/bin/javac"
jdks="$work/old jdk" test_that 'JDK too old' 2 without_java "$skerry" --version
one_error
jdks=$work test_that 'JAVA_HOME too old' 2 without_java JAVA_HOME="$work/old jdk" "$skerry" --version
one_error

# shellcheck disable=SC2016
test_that 'too few open files' 2 bash -c 'ulimit -n 10 && "$@"' _ "$skerry" --version
one_error
err_has 'ulimit -n 10'

test_that 'a name that is not ASCII in the plainest locale' 0 env LC_ALL=C \
  "$skerry" run --nodes 4 --slots 300 --out "$work/größe"
expect 'no such folder' [ -f "$work/größe/summary.json" ]

printf 'smoke: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
