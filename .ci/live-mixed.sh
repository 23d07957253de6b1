# A long run with everything at once, which .ci/live sources: generators, a DPDK process that comes and goes, a TAP device
# and an interface in namespaces, ports that orders and reloads change, faults by script and by order, a tap, and captures
# on a disk that is full part of the time. Live objects, descriptors and resident memory stay flat, and every packet is
# accounted for, by flow and by port. Without root or dpdk-testpmd, the ports that need them are left out.
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

# rest SECONDS: waits; every ten seconds it records resident memory and descriptors, and reads all counters.
rest() {
  local until=$((SECONDS + $1))
  while [ "$SECONDS" -lt "$until" ]; do
    if [ "$SECONDS" -ge "$sample" ]; then
      sample=$((sample + 10))
      printf '%s %s %s\n' "$((SECONDS - start))" "$(resident)" "$(descriptors)" >>"$work/mixed.log"
      "$skerry" stat --json --dir "$work/counters" >"$work/stat.json"
    fi
    sleep 0.5
  done
}

# settings RATE FOURTH: the settings file, with a rate and what is at node 4.
settings() {
  cat >"$work/settings" <<END
--port 0=gen:imix,$1,to=1+2
--port 0.1=gen:64B,500pps,to=3
--port 1=gen:64-1500B,4kpps,to=0+2
--port 2=gen:64B,4kpps,to=0+1+4
--port 2.1=gen:64B,2kpps,to=5
--port 3=pcap:$disk/$capture.pcap
--port 4=$2
--port 5=${echo:-none}
END
  [ -z "$spaced" ] || printf '%s\n' '--port 6=tap:ska' '--port 7=packet:skb' >>"$work/settings"
}

# captured: counts the packets of a capture that is closed, and removes all from its disk.
captured() {
  local file
  for file in "$disk/$capture".pcap*; do
    [ ! -s "$file" ] || written=$((written + $(capinfos -c -M "$file" 2>/dev/null | sed -n 's/^Number of packets: *//p')))
  done
  rm -f "$disk"/*
}

# tapped: takes the TAP device down and adds what it carried.
tapped() {
  in_space a ip link set ska down
  sleep 0.3
  tap_sent=$((tap_sent + $(frames a tx)))
  tap_received=$((tap_received + $(frames a rx)))
}

# attach: moves the TAP device of the port to its namespace.
attach() {
  local _
  for _ in $(seq 300); do
    ! in_space fabric ip link show ska >/dev/null 2>&1 || break
    sleep 0.1
  done
  in_space fabric ip link set ska netns "skerry$$a"
  address a ska
}

# peer_leaves: every other time it is killed.
peer_leaves() {
  local peer=${pids[-1]}
  if [ $((round % 2)) -eq 0 ]; then
    kill -9 "$peer"
  else
    printf 'stop\nquit\n' >&8
  fi
  wait "$peer" 2>/dev/null || true
  exec 8>&-
}

peer_comes() {
  rm -rf "$work/b.run" "$work/b.in"
  testpmd b client
  exec 8>"$work/b.in"
  printf 'set fwd macswap\nstart\n' >&8
}

# port_of NODE NAME: a counter of the first port of a node in the report.
port_of() { jq ".ports[] | select(.node == $1 and .place == null) | .$2" "$work/live.json"; }

# accounted: each flow has sent = received + lost, each generator has taken in what its flows sent, and has been handed
# what it received; prints what is wrong.
accounted() {
  jq -e '. as $all | [
      (.flows[] | select(.lost != null and .sent != .received + .lost)),
      (.ports[] | select(.generator != null) | (.place // "\(.node)") as $at
        | select(.rx_packets != ([$all.flows[] | select(.from == $at) | {flow, id, sent}] | unique | map(.sent) | add // 0)
          or .tx_packets != .generator.foreign + ([$all.flows[] | select(.to == $at and .received != null)
            | .received + .duplicates + .stale + .damaged] | add // 0)))
    ] | if . == [] then true else (., error("not accounted")) end' "$work/live.json" >"$work/accounted" \
    || { jq -c 'if type == "array" then .[] else . end | del(.latencyBucketsNs)' "$work/accounted" >&2; false; }
}

# mixed [SECONDS [PERIOD [OPTIONS...]]]: so long, with a round of all changes every so many seconds.
mixed() {
  local seconds=${1:-7200} period=${2:-60} refused=0 start end sample round=0 capture=0 written=0 heap0=0 fd0 rss0 heap1 fd1 rss1
  local cpu what spaced= echo= tap_sent=0 tap_received=0 part pinging slot wire
  shift "$(($# < 2 ? $# : 2))"
  part=$((period / 6))
  local faults=('node 3' 'link 1 2' 'node 6' 'link 0 4') link='1 3'
  # The links of Stardust lead to elements, which come after the adapters.
  [[ $* != *stardust* ]] || faults=('node 3' 'link 1 8' 'node 9' 'link 10 0') link='2 8'
  for slot in $(seq 1000000 1000000 1000000000); do
    printf '%s link %s down\n%s link %s up\n' "$slot" "$link" "$((slot + 20000))" "$link"
  done >"$work/faults.txt"
  disk=$work/disk
  mkdir "$disk"
  if [ -z "$(no_spaces)" ]; then
    spaced=1
    trap 'umount "$disk" 2>/dev/null || true; remove_spaces; clean' EXIT
    mount -t tmpfs -o size=4M none "$disk"
    make_spaces
    for what in fabric a b; do in_space "$what" sysctl -qw net.ipv6.conf.all.disable_ipv6=1; done
    in_space b ip link add eth0 type veth peer name skb netns "skerry$$fabric"
    in_space fabric ip link set skb up
    address b eth0
  fi
  ! has_testpmd || echo=memif:$work/b.sock,server
  settings 4kpps none
  inside=$spaced background "@$work/settings" --threads 1 --mode lockstep --ctl "$work/ctl" --faults "$work/faults.txt" \
    --stall-ms 50 "$@"
  local inside=$spaced
  wait_for "$work/ctl"
  if [ -n "$spaced" ]; then
    attach
    in_space a ping -q -s 1000 -i 0.02 10.77.0.2 >"$work/ping.log" 2>&1 &
    pinging=$!
    pids+=("$pinging")
  fi
  start=$SECONDS sample=$SECONDS end=$((SECONDS + seconds))
  while [ "$SECONDS" -lt "$end" ]; do
    what=${faults[$((round % ${#faults[@]}))]}
    # shellcheck disable=SC2086
    order fault $what down
    order add 4=gen:64B,500pps,to=0-2
    rest "$part"
    [ -z "$echo" ] || peer_comes
    # shellcheck disable=SC2086
    order fault $what up
    order fault corrupt 0.001
    rest "$part"
    within timeout "$part" "$skerry" ctl --socket "$work/ctl" tap 0 one=10 count=100 >"$work/tap.pcap" \
      2>>"$work/orders.log" || true
    order fault corrupt 0
    [ -z "$echo" ] || peer_leaves
    # From here on the disk is full, if it is one of ours.
    [ -z "$spaced" ] || dd if=/dev/zero of="$disk/filler" bs=64k 2>/dev/null || true
    rest "$part"
    order drain 4 "$part"
    order remove 4
    if [ -n "$spaced" ] && [ $((round % 3)) -eq 2 ]; then
      tapped
      order remove 6
      order add 6=tap:ska
      attach
    fi
    rest "$part"
    order remove 3
    captured
    capture=$((round + 1))
    settings "$((3 + round % 3))kpps" "$([ $((round % 2)) -eq 0 ] && printf none || printf gen:64B,200pps,to=1)"
    kill -HUP "$java"
    rest "$part"
    # What a reload has added, the next one removes.
    settings "$((3 + round % 3))kpps" none
    order reload
    round=$((round + 1))
    rest "$part"
    # What the JVM needs for itself grows in the first minutes, while it compiles.
    if [ "$heap0" -eq 0 ] && [ "$((SECONDS - start))" -ge "$((seconds < 1500 ? seconds / 5 : 300))" ]; then
      heap0=$(heap)
      fd0=$(descriptors)
      rss0=$(resident)
    fi
  done
  heap1=$(heap)
  fd1=$(descriptors)
  rss1=$(resident)
  cpu=$(ps -o cputimes= -p "$java" | tr -d ' ')
  if [ -n "$spaced" ]; then
    pkill -P "$pinging" || true
    sleep 1
    tapped
  fi
  finish
  captured
  printf 'live: mixed %s s, %s rounds, %s s of processor: heap %s to %s bytes of live objects, descriptors %s to %s, ' \
    "$seconds" "$round" "$cpu" "$heap0" "$heap1" "$fd0" "$fd1"
  printf 'resident %s to %s KiB\n' "$rss0" "$rss1"
  awk -v from="$((seconds < 1500 ? seconds / 5 : 300))" '$1 >= from {
      n++; x += $1; y += $2; xx += $1 * $1; xy += $1 * $2
      if (n == 1 || $2 < least) least = $2
      if ($2 > most) most = $2
    } END {
      if (n > 1) printf "live: mixed: resident every 10 s from %s s on: %s to %s KiB, slope %.0f KiB/h\n", from, least,
        most, 3600 * (n * xy - x * y) / (n * xx - x * x)
    }' "$work/mixed.log"
  printf 'live: mixed: lost by name: %s\n' "$(losses | tr '\n' ' ')"
  # A full disk is a failure.
  expect "mixed: exit code $code" [ "$code" -eq "$([ -n "$spaced" ] && printf 1 || printf 143)" ]
  expect 'mixed: conservation' conserved
  expect 'mixed: nothing is held' [ "$(number packetsHeld)" -eq 0 ]
  expect 'mixed: no order is refused' [ "$refused" -eq 0 ]
  expect 'mixed: faults cost something' [ "$(number packets_with_cells)" -gt 0 ]
  expect 'mixed: the heap grows' [ "$heap1" -le "$((heap0 + 1000000))" ]
  expect 'mixed: descriptors leak' [ "$fd1" -le "$fd0" ]
  expect 'mixed: resident memory grows' [ "$rss1" -le "$((rss0 + rss0 / 10))" ]
  expect 'mixed: a capture of 24 bytes and packets' [ "$(stat -c %s "$work/tap.pcap")" -gt 24 ]
  expect 'mixed: flows' accounted
  expect "mixed: captures have $written packets" [ "$written" -eq "$(port_of 3 tx_packets)" ]
  if [ -n "$spaced" ]; then
    expect "mixed: the TAP device: $tap_sent $tap_received" [ "$tap_sent $tap_received" \
      = "$(port_of 6 rx_packets) $(port_of 6 tx_packets)" ]
    wire=$(in_space b sh -c 'cd /sys/class/net/eth0/statistics; echo $(cat tx_packets rx_packets)')
    expect "mixed: the interface: $wire" [ "$wire" \
      = "$(($(port_of 7 rx_packets) + $(port_of 7 rx_dropped_ring))) $(port_of 7 tx_packets)" ]
  fi
}
