# A peer that takes 500 packets a second, which .ci/live sources: it costs only the packets that go there.
# shellcheck shell=bash disable=SC2154

# slow_peer WHEN OPTIONS...: node 0 sends 9,000 packets a second to nodes 3 to 5; behind node 3 is another process that
# takes 500 a second. Node 7 does the same to nodes 0 to 2, none of which is slow: what nodes 4 and 5 get is compared
# with what node 1 gets in the same seconds. WHEN is wait or drop.
slow_peer() {
  local when=$1 what="slow peer, $*" peer in other three four five full got
  shift
  rm -rf "$work"/slow.*
  # Two cells a packet, so 1,000 slots are 500 packets.
  "$skerry" live --json --dir "$work/slow.counters" --fabric shoal --threads 1 --warm-up 0 --slots-per-second 1000 \
    --buffer-cells 256 --map 0:1,1:0 --port "0=memif:$work/slow.sock,server" \
    --port 1=gen:64B,1pps,to=0,after=3600 >"$work/slow.json" 2>"$work/slow.err" &
  peer=$!
  pids+=("$peer")
  expect "$what: the peer starts" wait_for "$work/slow.sock"
  background "$@" --when-full "$when" --stall-ms 100000 --port 0=gen:64B,9kpps,to=3-5,after=2 \
    --port 1=gen:64B,1pps,to=0,after=3600 --port 2=gen:64B,1pps,to=0,after=3600 \
    --port "3=memif:$work/slow.sock,client,ring=5" --port 4=gen:64B,1pps,to=0,after=3600 \
    --port 5=gen:64B,1pps,to=0,after=3600 --port 7=gen:64B,9kpps,to=0-2,after=2
  # Some seconds, or longer where the machine is busy.
  for _ in $(seq 120); do
    sleep 1
    other=$(counter tx_packets 1)
    [ "${other:-0}" -lt 20000 ] || break
  done
  finish
  kill -TERM "$peer" 2>/dev/null || true
  wait "$peer" || true
  in=$(number rx_packets 1)
  other=$(number tx_packets 2)
  three=$(number tx_packets 4)
  four=$(number tx_packets 5)
  five=$(number tx_packets 6)
  full=$(number dropped_destination_full 1)
  printf 'live: %s: of %s packets of node 0: %s to 3, %s to 4, %s to 5, %s dropped; 7 to 1: %s\n' "$what" "$in" \
    "$three" "$four" "$five" "$full" "$other"
  expect "$what: exit code $code" [ "$code" -eq 143 ]
  expect "$what: conservation" conserved
  expect "$what: nothing was sent" [ "${other:-0}" -ge 20000 ]
  got=$(($(number rx_packets 1 slow) + $(number rx_left 1 slow)))
  expect "$what: the peer got what was sent to it" [ "$got" -eq "$three" ]
  expect "$what: the peer is slow" [ "$((three * 10))" -lt "$((other * 9))" ]
  expect "$what: the peer is served" [ "${three:-0}" -gt 500 ]
  expect "$what: 0 to 4 keeps 95 % of its rate" [ "$((four * 100))" -ge "$((other * 95))" ]
  expect "$what: 0 to 5 keeps 95 % of its rate" [ "$((five * 100))" -ge "$((other * 95))" ]
  expect "$what: each packet arrived or has a name" [ "$in" -eq "$((three + four + five + full))" ]
  if [ "$when" = wait ]; then
    expect "$what: nothing is dropped" [ "$full" -eq 0 ]
  fi
}

slow() {
  local fabric
  # shellcheck source=.ci/live-long.sh
  . "$home/.ci/live-long.sh"
  for fabric in shoal shale stardust; do
    slow_peer wait --fabric "$fabric" --threads 1
    # What came while a busy machine kept live from running is not to be dropped: it is within this target.
    slow_peer drop --fabric "$fabric" --threads 1 --queue-target 100ms
  done
}
