# Packets of eight kinds through three fabrics, which tshark checks; .ci/live sources this file.
# shellcheck shell=bash disable=SC2154

# templates [PACKETS [FABRIC...]]: 2,000 packets of each kind into a capture; with PACKETS, a third of them each by memif,
# TAP devices and interfaces.
templates() {
  local fabric kind packets why fabrics=("${@:2}")
  if [ -z "${1:-}" ]; then
    for fabric in shoal shale stardust; do
      capture_kinds "$fabric"
    done
    return
  fi
  why=$(no_spaces)
  if [ -n "$why" ]; then
    printf 'live: templates through devices: %s\n' "$why" >&2
    exit 2
  fi
  trap 'remove_spaces; clean' EXIT
  # shellcheck source=.ci/live-long.sh
  . "$home/.ci/live-long.sh"
  packets=$((($1 + 23) / 24 * 8))
  [ ${#fabrics[@]} -gt 0 ] || fabrics=(shoal shale stardust)
  for fabric in "${fabrics[@]}"; do
    for kind in memif tap packet; do
      through_device "$kind" "$fabric" "$packets"
    done
  done
}

# kinds OPTIONS: a generator of eight kinds, a flow each. The mix of 25 packets gives every kind every size.
kinds() {
  printf '%s\n' 'ip / udp' 'ipv6 / tcp dport=81 flags=PA' 'vlan id=100 pcp=5 / ip / tcp' \
    'vlan id=7 / vlan id=count:1-4094 / ipv6 / udp sport=random:60000-60999' 'mpls label=1000 / mpls label=17 / ip / udp' \
    'ip / gre key=5 / ipv6 / tcp' 'ip / udp / vxlan vni=77 / ip / tcp' 'ip / sctp dport=3869' >"$work/kinds"
  printf 'gen:imix=128:20/594:4/1500:1,to=3,template=@%s,%s' "$work/kinds" "$1"
}

# found: packets by kind and state of their checksums, as tshark reads them from the files of a capture, which are removed.
found() {
  local file
  for file in "$work"/kinds_*.pcap; do
    tshark -n -r "$file" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE \
      -o sctp.checksum:CRC-32C -o tcp.analyze_sequence_numbers:FALSE -d tcp.port==9,data \
      -T fields -e frame.protocols -e ip.checksum.status -e udp.checksum.status -e tcp.checksum.status -e sctp.checksum.status
    rm "$file"
  done | awk -F '\t' '{
    # What follows the last of ours is a guess of tshark at the payload.
    n = split($1, names, ":")
    while (n > 1 && names[n] !~ /^(udp|tcp|sctp)$/) n--
    $1 = names[1]
    for (i = 2; i <= n; i++) $1 = $1 ":" names[i]
    count[$0]++
  } END { for (kind in count) print count[kind], kind }'
}

# check_kinds WHAT: tshark finds every kind with right checksums, and of each as many as its flow sent, fewer only by
# packets that were lost.
check_kinds() {
  local what=$1 kind sent received now all=0 flow=0 names=(
    'eth:ethertype:ip:udp 1 1  ' 'eth:ethertype:ipv6:tcp   1 ' 'eth:ethertype:vlan:ethertype:ip:tcp 1  1 '
    'eth:ethertype:ieee8021ad:ethertype:vlan:ethertype:ipv6:udp  1  ' 'eth:ethertype:mpls:ip:udp 1 1  '
    'eth:ethertype:ip:gre:ipv6:tcp 1  1 ' 'eth:ethertype:ip:udp:vxlan:eth:ethertype:ip:tcp 1,1 3 1 '
    'eth:ethertype:ip:sctp 1   1')
  found >"$work/kinds.out"
  # The flows of the generator, in the order of its templates.
  mapfile -t sent < <(by_flow sent)
  mapfile -t received < <(by_flow received)
  for kind in "${names[@]}"; do
    now=$(sed -n "s/^\([0-9]*\) $kind\$/\1/p" "$work/kinds.out")
    expect "$what: tshark: ${now:-0} of $kind, ${sent[flow]} sent" [ "${now:-0}" -le "${sent[flow]}" ]
    expect "$what: tshark: ${now:-0} of $kind, ${received[flow]:-${sent[flow]}} received" \
      [ "${now:-0}" -ge "${received[flow]:-${sent[flow]}}" ]
    all=$((all + ${now:-0}))
    flow=$((flow + 1))
  done
  expect "$what: tshark: $all, $2 in the capture: $(cat "$work/kinds.out")" [ "$all" -eq "$2" ]
  expect "$what: other packets" [ "$(wc -l <"$work/kinds.out")" -eq "${#names[@]}" ]
}

# by_flow NAME: a count of each flow, a line each.
by_flow() { flat | sed 's/.*"flows": \[//; s/\].*//' | grep -oE "\"$1\": [0-9]+" | sed 's/.* //'; }

capture_kinds() {
  rm -f "$work"/kinds_*
  expect "templates: $1: exit code" live --fabric "$1" --warm-up 0 --port "0=$(kinds 20kpps,count=16000)" \
    --port "3=pcap:$work/kinds.pcap,rotate=200MB"
  expect "templates: $1: conservation" conserved
  check_kinds "templates: $1" 16000
}

# wire KIND: names the ends of two lines between the live with the generators, ours, and the device, theirs.
wire() {
  local side ring=
  case $1 in
    memif)
      rm -f "$work/kinds.sock"
      ours=("memif:$work/kinds.sock,client,id=1" "memif:$work/kinds.sock,client,id=2")
      theirs=("memif:$work/kinds.sock,server,id=1" "memif:$work/kinds.sock,server,id=2")
      return
      ;;
    packet)
      ring=,ring=64
      for side in a b; do
        in_space fabric ip link add "sk$side" type veth peer name "dv$side"
        in_space fabric ip link set "sk$side" up
        in_space fabric ip link set "dv$side" up
      done
      ;;
  esac
  ours=("$1:ska$ring" "$1:skb$ring") theirs=("$1:dva$ring" "$1:dvb$ring")
}

# bridge: joins the TAP devices of both lives.
bridge() {
  local side device i
  for side in a b; do
    in_space fabric ip link add "br$side" type bridge mcast_snooping 0
    in_space fabric ip link set "br$side" up
    for device in "sk$side" "dv$side"; do
      for i in $(seq 300); do
        ! in_space fabric ip link show "$device" >/dev/null 2>&1 || break
        sleep 0.1
      done
      in_space fabric ip link set "$device" master "br$side" txqueuelen 10000 up
    done
  done
}

# missed KIND: packets that the kernel dropped because a TAP device was not read in time.
missed() {
  local side device sum=0
  if [ "$1" = tap ]; then
    for side in a b; do
      for device in "sk$side" "dv$side"; do
        sum=$((sum + $(in_space fabric cat "/sys/class/net/$device/statistics/tx_dropped")))
      done
    done
  fi
  printf '%s' "$sum"
}

# through_device KIND FABRIC PACKETS: packets leave the fabric of a generator for that of a second live, which sends them
# back and, as their address is unknown there, into a capture, too. Every packet is received or lost by name, by flow.
through_device() {
  local kind=$1 fabric=$2 packets=$3 what="templates: $1, $2" rate=40kpps device=() ours theirs dropped named lost i
  [ "$kind" != memif ] || rate=max
  make_spaces
  in_space fabric sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
  wire "$kind"
  rm -f "$work"/kinds_*
  inside=1 as=device background --fabric "$fabric" --mtu 1500 --stall-ms 60000 --port "0=${theirs[0]}" \
    --port "5=${theirs[1]}" --port "6=pcap:$work/kinds.pcap,rotate=200MB"
  device=("$run" "$java")
  [ "$kind" != memif ] || wait_for "$work/kinds.sock"
  inside=1 background --fabric "$fabric" --mtu 1500 --stall-ms 60000 --map 0:1,1:0,2:3,3:2 --port "1=${ours[0]}" \
    --port "2=${ours[1]}" --port "0=$(kinds "$rate,after=5,count=$packets")" --port 3=gen:1pps,after=3600,to=0
  [ "$kind" != tap ] || bridge
  expect "$what: both are up" up_both
  for i in $(seq $((packets / 2000 + 60))); do
    [ "$(counter rx_packets 0)" != "$packets" ] || break
    sleep 2
  done
  # The device may wait for the file of its capture.
  sleep 5
  settled 3 || true
  dropped=$(missed "$kind")
  finish
  expect "$what: exit code $code" [ "$code" -eq 143 ]
  run=${device[0]} java=${device[1]}
  finish
  expect "$what: exit code $code of the device" [ "$code" -eq 143 ]
  expect "$what: conservation" conserved
  expect "$what: conservation in the device" grep -q '"conserved": true' "$work/device.json"
  expect "$what: sent by flow" [ "$(by_flow sent | sort -u)" = $((packets / 8)) ]
  expect "$what: reordered, twice or damaged" \
    [ "$(for i in reordered duplicates stale damaged; do by_flow "$i"; done | sort -u)" = 0 ]
  lost=$(by_flow lost | awk '{ sum += $1 } END { print sum }')
  named=$({ losses; losses device; } | awk -v "sum=$dropped" '{ sum += $2 } END { print sum }')
  printf 'live: %s: %s sent, %s lost: %s, %s by the kernel\n' "$what" "$packets" "$lost" \
    "$({ losses; losses device; } | tr '\n' ' ')" "$dropped"
  expect "$what: lost by flow, and lost by name: $named" [ "$lost" -eq "$named" ]
  check_kinds "$what" "$(number tx_packets 3 device)"
  remove_spaces
}
