#!/usr/bin/env bash
# Plants the mistakes of .ci/planted, one at a time, and expects the stress test or the gate that each one names to go
# red. A mistake is a sed script whose head says what is wrong, the file, and the checks:
#
#   # WHAT IS WRONG
#   # file PATH
#   # stress SCENARIO...            jcstress scenarios, each of which must fail
#   # gate BENCHMARK PARAMETERS     or the lines of bench/gates.txt of which one must fail
#
# Names as arguments plant these only. With --compile first each mistake is compiled and nothing is run: that tells whether
# it still fits the code. The source is not touched: the changed class is compiled into a folder of its own ahead of the
# built jars. A race may stay unseen on a busy machine, so a stress test gets three tries, each longer.
# Exit codes: 0 all found, 1 a check stayed green, 2 something else is wrong.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

. .ci/jdk

# The words behind a key in the head of a mistake.
head_of() {
  sed -n "s/^# $2 //p" "$1"
}

# Compiles the class with the mistake into $tmp/classes.
plant() {
  local script=$1 file
  file=$(head_of "$script" file)
  rm -rf "$tmp/classes" "$tmp/source"
  mkdir -p "$tmp/classes" "$tmp/source"
  sed -f "$script" "$file" >"$tmp/source/${file##*/}"
  if cmp -s "$file" "$tmp/source/${file##*/}"; then
    printf 'planted: %s changes nothing in %s\n' "$script" "$file" >&2
    return 2
  fi
  javac -nowarn -proc:none -cp "$lib" -d "$tmp/classes" "$tmp/source/${file##*/}" 2>"$tmp/javac.log" || {
    cat "$tmp/javac.log" >&2
    return 2
  }
}

# Whether a scenario fails with the classes in front of the class path.
stress_is_red() {
  local ms
  for ms in 200 1000 5000; do
    (
      cd "$tmp"
      java -cp "$1$lib" org.openjdk.jcstress.Main -t "\\.${2//./\\.}\$" -m quick -sc false -f 1 -fsm 1 -iters 1 \
        -time "$ms" -r "$tmp/results" -jvmArgsPrepend --enable-native-access=ALL-UNNAMED
    ) >"$tmp/stress.log" 2>&1 || true
    if ! grep -q '^RUN RESULTS' "$tmp/stress.log"; then
      tail -20 "$tmp/stress.log" >&2
      return 2
    fi
    if grep -qE '[1-9][0-9]* failed' "$tmp/stress.log"; then
      return 0
    fi
  done
  return 1
}

# Whether a gate of a benchmark with these parameters fails with the classes in front of the class path.
gate_is_red() {
  awk -v name="$2" -v params="$3" '$1 == name && $2 == params' bench/gates.txt >"$tmp/gates.txt"
  java --enable-native-access=ALL-UNNAMED -cp "$1$lib" dev.skerry.bench.command.Bench --gate \
    --gates "$tmp/gates.txt" "$2" >"$tmp/gate.log" 2>&1 && return 1
  grep -q '^FAIL' "$tmp/gate.log" || {
    tail -20 "$tmp/gate.log" >&2
    return 2
  }
}

mvn -q -B -ntp -pl bench -am -Dmaven.test.skip=true -Dcheckstyle.skip=true package
lib=$PWD/bench/target/skerry-bench-0.1.0.jar:$PWD/bench/target/lib/*

compile=
if [ "${1-}" = --compile ]; then
  compile=1
  shift
fi
planted=0
missed=0
for script in .ci/planted/*.sed; do
  name=$(basename "$script" .sed)
  if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then
    continue
  fi
  plant "$script"
  planted=$((planted + 1))
  if [ -n "$compile" ]; then
    continue
  fi
  read -ra gate <<<"$(head_of "$script" gate)"
  if [ ${#gate[@]} -gt 0 ]; then
    checks=("${gate[*]}")
  else
    read -ra checks <<<"$(head_of "$script" stress)"
  fi
  for check in "${checks[@]}"; do
    red=0
    if [ ${#gate[@]} -gt 0 ]; then
      gate_is_red "$tmp/classes:" "${gate[@]}" || red=$?
    else
      stress_is_red "$tmp/classes:" "$check" || red=$?
    fi
    [ "$red" -le 1 ] || exit 2
    if [ "$red" -eq 0 ]; then
      printf 'found   %-26s %s\n' "$name" "$check"
    else
      printf 'MISSED  %-26s %s\n' "$name" "$check"
      missed=$((missed + 1))
    fi
  done
done
if [ "$planted" -eq 0 ]; then
  printf 'planted: no such mistake: %s\n' "$*" >&2
  exit 2
fi
if [ "$missed" -gt 0 ]; then
  printf 'planted: %d mistakes, %d checks stayed green\n' "$planted" "$missed"
  exit 1
fi
printf 'planted: %d mistakes, all %s\n' "$planted" "$([ -n "$compile" ] && printf compile || printf found)"
