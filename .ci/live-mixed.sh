# A long run with everything at once, which .ci/live sources: mixed traffic, a fault every minute, a port that comes and
# goes, a tap. Live objects, descriptors and resident memory stay flat, and no packet is lost without a name.
# shellcheck shell=bash disable=SC2154

# Resident memory in KiB.
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$java/status"; }

# order WORDS...: an order to the live that runs; counts those that it refuses.
order() {
  within "$skerry" ctl --socket "$work/ctl" "$@" >>"$work/orders.log" 2>&1 || {
    refused=$((refused + 1))
    printf 'live: mixed: refused: %s: %s\n' "$*" "$(tail -n 1 "$work/orders.log")" >&2
  }
}

# mixed [SECONDS [PERIOD [OPTIONS...]]]: so long, with a fault every so many seconds.
mixed() {
  local seconds=${1:-7200} period=${2:-60} refused=0 end round=0 heap0=0 fd0 rss0 heap1 fd1 rss1 cpu what
  shift "$(($# < 2 ? $# : 2))"
  local faults=('node 3' 'link 1 2' 'node 6' 'link 0 4')
  # The links of Stardust lead to elements, which come after the adapters.
  [[ $* != *stardust* ]] || faults=('node 3' 'link 1 8' 'node 9' 'link 10 0')
  background --threads 1 --mode lockstep --ctl "$work/ctl" --faults none --stall-ms 50 "$@" \
    --port 0=gen:imix,300pps,to=1-3 --port 1=gen:64-1500B,200pps,to=0-2 --port 2=loop \
    --port 3=gen:64B,200pps,to=0 --port 4=none
  wait_for "$work/ctl"
  end=$((SECONDS + seconds))
  while [ "$SECONDS" -lt "$end" ]; do
    what=${faults[$((round % ${#faults[@]}))]}
    # shellcheck disable=SC2086
    order fault $what down
    order add 4=gen:64B,100pps,to=0-3
    sleep "$((period / 4))"
    # shellcheck disable=SC2086
    order fault $what up
    order fault corrupt 0.001
    within timeout "$((period / 4))" "$skerry" ctl --socket "$work/ctl" tap 0 one=10 count=100 >"$work/tap.pcap" \
      2>>"$work/orders.log" || true
    order fault corrupt 0
    order drain 4 "$((period / 4))"
    order remove 4
    round=$((round + 1))
    # What the JVM needs for itself grows in the first rounds, while it compiles.
    if [ "$((seconds - (end - SECONDS)))" -ge "$((seconds / 5))" ] && [ "$heap0" -eq 0 ]; then
      heap0=$(heap)
      fd0=$(descriptors)
      rss0=$(resident)
    fi
    printf '%s s: round %s, resident %s KiB, descriptors %s\n' "$((seconds - (end - SECONDS)))" "$round" "$(resident)" \
      "$(descriptors)" >>"$work/mixed.log"
    sleep "$((period / 4))"
  done
  heap1=$(heap)
  fd1=$(descriptors)
  rss1=$(resident)
  cpu=$(ps -o cputimes= -p "$java" | tr -d ' ')
  finish
  printf 'live: mixed %s s, %s rounds, %s s of processor: heap %s to %s bytes of live objects, descriptors %s to %s, ' \
    "$seconds" "$round" "$cpu" "$heap0" "$heap1" "$fd0" "$fd1"
  printf 'resident %s to %s KiB\n' "$rss0" "$rss1"
  printf 'live: mixed: packets in %s %s %s %s, lost with cells %s, nowhere %s\n' "$(number rx_packets 1)" \
    "$(number rx_packets 2)" "$(number rx_packets 3)" "$(number rx_packets 4)" "$(number packets_with_cells)" \
    "$(number dropped_nowhere 1)"
  expect "mixed: exit code $code" [ "$code" -eq 143 ]
  expect 'mixed: conservation' conserved
  expect 'mixed: nothing is held' [ "$(number packetsHeld)" -eq 0 ]
  expect 'mixed: no order is refused' [ "$refused" -eq 0 ]
  expect 'mixed: faults cost something' [ "$(number packets_with_cells)" -gt 0 ]
  expect 'mixed: the heap grows' [ "$heap1" -le "$((heap0 + 1000000))" ]
  expect 'mixed: descriptors leak' [ "$fd1" -le "$fd0" ]
  expect 'mixed: resident memory grows' [ "$rss1" -le "$((rss0 + rss0 / 10))" ]
  expect 'mixed: a capture of 24 bytes and packets' [ "$(stat -c %s "$work/tap.pcap")" -gt 24 ]
}
