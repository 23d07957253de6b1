# TAP devices and network interfaces with the programs of every day, which .ci/live sources: ping and TCP between two
# network namespaces, across the fabric of a live in a third one. Nothing outside of the three is touched, and they are
# removed at the end.
# shellcheck shell=bash disable=SC2154

spaces=()

# in_space NAME COMMAND...: runs a command in a namespace of ours.
in_space() {
  local space=$1
  shift
  ip netns exec "skerry$$$space" "$@"
}

# Why packets of the system cannot be sent here; empty if they can.
no_spaces() {
  local program
  for program in ip ping iperf3 nstat; do
    if ! command -v "$program" >/dev/null 2>&1; then
      printf '%s is not installed (iproute2, iputils-ping, iperf3)' "$program"
      return
    fi
  done
  [ "$(id -u)" -eq 0 ] || { printf 'network namespaces need root'; return; }
  [ -w /dev/net/tun ] || { printf 'there is no /dev/net/tun'; return; }
  ip netns add "skerry$$try" 2>/dev/null || { printf 'no network namespace may be made here'; return; }
  ip netns del "skerry$$try"
}

remove_spaces() {
  local space
  for space in "${spaces[@]:-}"; do
    [ -n "$space" ] || continue
    ip netns pids "$space" | xargs -r kill -9 2>/dev/null || true
    ip netns del "$space" 2>/dev/null || true
  done
  spaces=()
}

make_spaces() {
  local space
  for space in fabric a b; do
    ip netns add "skerry$$$space"
    spaces+=("skerry$$$space")
    in_space "$space" ip link set lo up
  done
}

# address SPACE DEVICE: gives a device its address, and raises it.
address() {
  in_space "$1" ip addr add "10.77.0.$([ "$1" = a ] && printf 1 || printf 2)/24" dev "$2"
  in_space "$1" ip link set "$2" up
}

# up_both: waits until two ports of the live are up.
up_both() {
  local i
  for i in $(seq 300); do
    [ "$(grep -cE ': (the (device|interface) is up|it has a peer)$' "$work/live.err")" -lt 2 ] || return 0
    sleep 0.1
  done
  return 1
}

# pings: whether ten of ten come back. The first may wait for the JVM and for an address.
pings() {
  in_space a ping -c 1 -w 5 10.77.0.2 >"$work/ping.log" 2>&1 || true
  in_space a ping -c 10 -i 0.1 -w 20 10.77.0.2 >"$work/ping.log" 2>&1 || { cat "$work/ping.log" >&2; return 1; }
  grep -q '10 packets transmitted, 10 received' "$work/ping.log"
}

# moved OPTIONS...: MiB that iperf3 moves from a to b, or back. It says so in GBytes where there are many.
moved() {
  in_space a timeout 40 iperf3 -c 10.77.0.2 -f M "$@" >"$work/iperf.log" 2>&1 || { cat "$work/iperf.log" >&2; return; }
  sed -n 's/.* \([0-9.]*\) \([MG]\)Bytes .*receiver.*/\1 \2/p' "$work/iperf.log" \
    | awk '{ print int($1 * ($2 == "G" ? 1024 : 1)) }'
}

# fails NODE: a node stops and starts again, three times, by order.
fails() {
  local _
  for _ in 1 2 3; do
    sleep 0.5
    within "$skerry" ctl --socket "$work/ctl" fault node "$1" down
    sleep 0.2
    within "$skerry" ctl --socket "$work/ctl" fault node "$1" up
  done
}

# frames SPACE WAY: frames that the system itself counts at the TAP device of a namespace, tx or rx.
frames() { in_space "$1" cat "/sys/class/net/sk$1/statistics/$2_packets"; }

# flat [RUN]: the report on one line.
flat() { tr -s ' \n' ' ' <"$work/${1:-live}.json"; }

# losses [RUN]: packets lost by name, a line for each name that lost any.
losses() {
  {
    flat "$@" | sed 's/.*"ports": \[//; s/"packets": {.*//' | grep -oE '"(([rt]x_)?dropped_[a-z_]+|tx_left)": [0-9]+' || true
    flat "$@" | sed 's/.*"packets": {//' | grep -oE '"packets_[a-z_]+": [0-9]+' | grep -vE '_(cut|delivered)"' || true
  } | tr -d '":' | awk '{ sum[$1] += $2 } END { for (name in sum) if (sum[name]) print name, sum[name] }'
}

# jumbo KIND: packets of the default --mtu cross where the interfaces have that MTU, too.
jumbo() {
  local side
  for side in a b; do
    if [ "$1" = packet ]; then
      in_space fabric ip link set "sk$side" mtu 9000
      in_space "$side" ip link set eth0 mtu 9000
    else
      in_space "$side" ip link set "sk$side" mtu 9000
    fi
  done
  in_space a ping -M do -s 8972 -c 5 -i 0.2 10.77.0.2 >"$work/jumbo.log" 2>&1
}

# system KIND OPTIONS...: ping and TCP there and back over ports of a kind, tap or packet; while both run, the node
# $failing stops and starts again, if it is set. What the system sent into the devices and did not get out of them has
# a name in the report.
system() {
  local kind=$1 what="system, $*" side there back errors faults pinging sent came lost=0 named
  shift
  make_spaces
  if [ "$kind" = packet ]; then
    for side in a b; do
      in_space "$side" ip link add eth0 type veth peer name "sk$side" netns "skerry$$fabric"
      in_space fabric ip link set "sk$side" up
      address "$side" eth0
    done
  fi
  inside=1 background --port "0=$kind:ska" --port "3=$kind:skb" "$@"
  if [ "$kind" = tap ]; then
    for side in a b; do
      for _ in $(seq 300); do
        ! in_space fabric ip link show "sk$side" >/dev/null 2>&1 || break
        sleep 0.1
      done
      in_space fabric ip link set "sk$side" netns "skerry$$$side"
      address "$side" "sk$side"
    done
  fi
  expect "$what: both are up" up_both
  expect "$what: ping" pings
  in_space b iperf3 -s >"$work/server.log" 2>&1 &
  pids+=($!)
  sleep 0.5
  if [ -n "${failing:-}" ]; then
    fails "$failing" >"$work/faults.log" 2>&1 &
    faults=$!
    pids+=("$faults")
    in_space a ping -c 500 -i 0.02 10.77.0.2 >"$work/through.log" 2>&1 &
    pinging=$!
    pids+=("$pinging")
    there=$(moved -t 12)
    expect "$what: node $failing fails and comes back" wait "$faults"
    wait "$pinging" || true
  else
    there=$(moved -t 4)
  fi
  back=$(moved -t 2 -R)
  expect "$what: ping afterwards" pings
  expect "$what: ping of 9,000 bytes" jumbo "$kind"
  errors=$(in_space a nstat -asz TcpInCsumErrors | sed -n 's/^Tcp[^ ]* *\([0-9]*\).*/\1/p')
  errors=$errors$(in_space b nstat -asz TcpInCsumErrors | sed -n 's/^Tcp[^ ]* *\([0-9]*\).*/\1/p')
  if [ "$kind" = tap ]; then
    # Nothing more is sent, and the devices are there to be asked until live ends.
    for side in a b; do in_space "$side" ip link set "sk$side" down; done
    lost=$(($(frames a tx) - $(frames b rx) + $(frames b tx) - $(frames a rx)))
  fi
  finish
  named=$(losses | awk '{ sum += $2 } END { print sum + 0 }')
  printf 'live: %s: %s MB there, %s MB back; cells lost: %s, packets lost: %s\n' "$what" "$there" "$back" \
    "$(number cellsLost)" "$(losses | tr '\n' ' ')"
  expect "$what: exit code $code" [ "$code" -eq 143 ]
  expect "$what: conservation" conserved
  expect "$what: TCP there" [ "${there:-0}" -ge 1 ]
  expect "$what: TCP back" [ "${back:-0}" -ge 1 ]
  expect "$what: checksums" [ "$errors" = 00 ]
  expect "$what: broadcasts were sent to the other port" [ "$(number flooded 1)" -ge 1 ]
  if [ -n "${failing:-}" ]; then
    sent=$(sed -n 's/^\([0-9]*\) packets transmitted.*/\1/p' "$work/through.log")
    came=$(sed -n 's/.* \([0-9]*\) received.*/\1/p' "$work/through.log")
    printf 'live: %s: pings while node %s fails: %s of %s came back\n' "$what" "$failing" "$came" "$sent"
    expect "$what: pings that did not come back are lost by name" [ "$((sent - came))" -le "$named" ]
    expect "$what: some pings came back" [ "$came" -ge 1 ]
  fi
  if [ "$kind" = tap ]; then
    expect "$what: what the system lost has a name" [ "$lost" -eq "$named" ]
    expect "$what: no device is left" [ -z "$(in_space a ip -o link show type tun 2>/dev/null)" ]
  fi
  remove_spaces
}

# killed_system: a live that is killed leaves no device behind, and the next one takes the same names.
killed_system() {
  local i
  make_spaces
  in_space fabric ip link add v0 type veth peer name v1
  for i in 1 2; do
    inside=1 background --fabric shoal --port 0=tap:ska --port 3=packet:v0
    for _ in $(seq 300); do
      ! in_space fabric ip -o link show v0 2>/dev/null | grep -q PROMISC || break
      sleep 0.1
    done
    expect "killed, $i: the device is there" in_space fabric ip link show ska
    kill -9 "$java"
    wait "$run" 2>/dev/null || true
    expect "killed, $i: no device is left" [ -z "$(in_space fabric ip -o link show type tun 2>/dev/null)" ]
    expect "killed, $i: the interface is promiscuous no more" \
      [ "$(in_space fabric ip -d -o link show v0 | grep -c 'promiscuity 0')" -eq 1 ]
  done
  remove_spaces
}

# ports [short]: every fabric with every kind of port, with "short" each of them once.
ports() {
  local why fabric failing_in=(shoal 'shale --first-hop-tokens 4' stardust) interfaces_of=('shale --first-hop-tokens 4' shoal)
  if [ "${1:-}" = short ]; then
    failing_in=('shale --first-hop-tokens 4') interfaces_of=()
  fi
  why=$(no_spaces)
  if [ -n "$why" ]; then
    printf 'live: ports of the system: skipped: %s\n' "$why"
    return 0
  fi
  trap 'remove_spaces; clean' EXIT
  # shellcheck source=.ci/live-long.sh
  . "$home/.ci/live-long.sh"
  system tap --fabric shoal
  # An element fails 40 times under TCP and comes back: it loses the cells that were on its 16 links, 3 slots long.
  local slot
  for slot in $(seq 10000 10000 400000); do
    printf '%s node 8 down\n%s node 8 up\n' "$slot" "$((slot + 1000))"
  done >"$work/faults.txt"
  system tap --fabric stardust --faults "$work/faults.txt"
  expect "system, stardust: what was in flight is lost" [ "$(number cellsLost)" -ge 1 ]
  expect "system, stardust: no more is lost" [ "$(number cellsLost)" -le "$((40 * 16 * 3))" ]
  # The node of the receiver stops and starts again under TCP and ping: what was on its way is lost, by name.
  failing=3
  for fabric in "${failing_in[@]}"; do
    # shellcheck disable=SC2086
    system tap --fabric $fabric --faults none --ctl "$work/ctl"
    expect "system, $fabric: a node that fails costs packets" [ "$(number packets_with_cells)" -ge 1 ]
  done
  failing=
  for fabric in "${interfaces_of[@]}"; do
    # shellcheck disable=SC2086
    system packet --fabric $fabric
  done
  system packet --fabric stardust --mode threads
  killed_system
}
