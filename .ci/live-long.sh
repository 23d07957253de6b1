# The long checks of .ci/live, which sources this file.
# shellcheck shell=bash disable=SC2154

# background OPTIONS...: live in the background; its process is $java, the job $run.
background() {
  # A process that was killed leaves its counters behind.
  rm -rf "$work/${as:-}counters"
  live "$@" &
  run=$!
  pids+=("$run")
  java=
  local i
  # The launcher becomes the JVM, after it has built what is stale.
  for i in $(seq 3000); do
    java=$(pgrep -P "$run" -x java || true)
    [ -z "$java" ] || break
    sleep 0.1
  done
  if [ -z "$java" ]; then
    printf 'live: %s: it does not start\n' "$*" >&2
    exit 1
  fi
  pids+=("$java")
}

# finish: ends it as the terminal does; its exit code is $code.
finish() {
  code=0
  kill -TERM "$java"
  wait "$run" || code=$?
}

# settled NODE: waits until nothing more is handed to the port of a node.
settled() {
  local before=-1 now i
  for i in $(seq 60); do
    now=$(counter tx_packets "$1")
    [ "$now" != "$before" ] || return 0
    before=$now
    sleep 0.5
  done
  return 1
}

# soon NODE: waits until packets are handed to the port of a node.
soon() {
  local i
  for i in $(seq 40); do
    ! crossed "$1" || return 0
    sleep 0.5
  done
  return 1
}

# ended NAME: waits until a testpmd that was told to quit has written its last line.
ended() {
  local i
  for i in $(seq 100); do
    ! grep -q '^Bye' "$work/$1.log" || return 0
    sleep 0.1
  done
  return 1
}

# connect NAME ROLE SOCKET: a testpmd, there to be talked to; a server listens.
connect() {
  [ "$2" = client ] || rm -f "$work/$3.sock"
  testpmd "$1" "$2" "$3"
}

# sizes ROLE OTHER SECONDS OPTIONS...: txonly to rxonly across a fabric, so long in each of five sizes and in random
# ones; in the middle the receiver goes while packets come, and another one takes its place. Every packet is received or
# has a name.
sizes() {
  local role=$1 other=$2 seconds=$3 size a b c end
  shift 3
  rm -rf "$work"/[abc].*
  [ "$role" = client ] || { connect a "$role" a; exec 7>"$work/a.in"; wait_for "$work/a.sock"; }
  [ "$other" = client ] || { connect b "$other" b; exec 8>"$work/b.in"; wait_for "$work/b.sock"; }
  background "$@" --map 0:5,5:0 --port "0=memif:$work/a.sock,$(opposite "$role"),buffer=$buffer" \
    --port "5=memif:$work/b.sock,$(opposite "$other"),buffer=$buffer"
  wait_for "$work/a.sock"
  wait_for "$work/b.sock"
  [ "$role" != client ] || { connect a "$role" a; exec 7>"$work/a.in"; }
  [ "$other" != client ] || { connect b "$other" b; exec 8>"$work/b.in"; }
  sleep 3
  printf 'set fwd rxonly\nstart\n' >&8
  printf 'set fwd txonly\n' >&7
  for size in 64 65 594 1500 9000 random; do
    if [ "$size" = 1500 ]; then
      settled 5 || true
      printf 'stop\nshow port stats 0\nquit\n' >&8
      ended b || true
      exec 8>&-
      printf 'start\n' >&7
      sleep 2
      connect c "$other" b
      exec 8>"$work/c.in"
      printf 'set fwd rxonly\nstart\n' >&8
      sleep 3
      printf 'stop\n' >&7
    fi
    if [ "$size" = random ]; then
      end=$((SECONDS + seconds))
      while [ "$SECONDS" -lt "$end" ]; do
        printf 'set txpkts %s\nstart\n' "$((64 + RANDOM % 8937))" >&7
        sleep 0.5
        printf 'stop\n' >&7
      done
    else
      printf 'set txpkts %s\nstart\n' "$size" >&7
      sleep "$seconds"
      printf 'stop\n' >&7
    fi
  done
  printf 'show port stats 0\n' >&7
  settled 5 || true
  printf 'stop\nshow port stats 0\n' >&8
  sleep 1
  finish
  printf 'quit\n' >&7
  printf 'quit\n' >&8
  exec 7>&- 8>&-
  ended a || true
  ended c || true
  a=$(count_of a TX-packets)
  b=$(count_of b RX-packets)
  c=$(count_of c RX-packets)
  printf 'live: sizes, %s and %s, %s: %s sent, %s + %s received, %s bytes in, dropped: %s port down, %s stalled\n' \
    "$role" "$other" "$*" "$a" "$b" "$c" "$(number rx_bytes 1)" \
    "$(number dropped_port_down 2)" "$(number dropped_port_stalled 2)"
  expect "sizes $*: exit code $code" [ "$code" -eq 143 ]
  expect "sizes $*: conservation" conserved
  expect "sizes $*: the first receiver got some" [ "${b:-0}" -gt 1000 ]
  expect "sizes $*: the second receiver got some" [ "${c:-0}" -gt 1000 ]
  b=$((${b:-0} + ${c:-0}))
  expect "sizes $*: long packets" [ "$(number rx_bytes 1)" -gt "$((${a:-0} * 65))" ]
  expect "sizes $*: sent" [ "$a" = "$(number rx_packets 1)" ]
  expect "sizes $*: received" [ "$b" = "$(number tx_packets 2)" ]
  expect "sizes $*: something was dropped by name while nobody received" [ "$(number dropped_port_down 2)" -gt 0 ]
  expect "sizes $*: nothing between is without a name" [ "$a" = "$((b + $(number dropped_port_down 2) + \
    $(number dropped_port_stalled 2)))" ]
}

# echo_of ROLE SECONDS OPTIONS...: a generator, and a testpmd that sends all back: every packet once, in order, as it
# was.
echo_of() {
  local role=$1 seconds=$2 count=$(($2 * 2000)) i into out
  shift 2
  rm -rf "$work"/[ab].*
  [ "$role" = client ] || { connect a "$role" a; exec 7>"$work/a.in"; wait_for "$work/a.sock"; }
  # The first packet waits until testpmd forwards; nothing is dropped if it has no processor for a while.
  background "$@" --stall-ms 60000 --map 0:5,5:0 --port "0=gen:64-9000B,2kpps,to=5,after=10,count=$count" \
    --port "5=memif:$work/a.sock,$(opposite "$role"),buffer=$buffer"
  [ "$role" != client ] || { wait_for "$work/a.sock"; connect a "$role" a; exec 7>"$work/a.in"; }
  sleep 2
  # It is to try again, not to drop, when our ring is full.
  printf 'set burst tx delay 100 retry 100000\nset fwd io retry\nstart\n' >&7
  soon 0 || true
  # On a busy machine the generator falls behind its rate.
  for i in $(seq "$((10 * seconds + 20))"); do
    sleep 1
    [ "$(counter tx_packets 0)" != "$count" ] || break
  done
  settled 0 || true
  # A testpmd that forwards while its peer goes may read what is no longer mapped.
  printf 'stop\nshow port stats 0\n' >&7
  sleep 1
  finish
  printf 'quit\n' >&7
  exec 7>&-
  ended a || true
  into=$(count_of a RX-packets)
  out=$(count_of a TX-packets)
  printf 'live: echo, %s: %s, dropped: %s port down, %s stalled; testpmd got %s, sent %s\n' "$role" \
    "$(flat | grep -oE '"generator": \{[^}]*\}')" "$(number dropped_port_down 2)" \
    "$(number dropped_port_stalled 2)" "$into" "$out"
  expect "echo, $role: exit code $code" [ "$code" -eq 143 ]
  expect "echo, $role: conservation" conserved
  expect "echo, $role: all were sent" [ "$(number sent)" = "$count" ]
  expect "echo, $role: testpmd got all" [ "$into" = "$count" ]
  expect "echo, $role: testpmd sent all" [ "$out" = "$count" ]
  expect "echo, $role: every packet came back" [ "$(number received)" = "$count" ]
  expect "echo, $role: lost, twice, out of order or damaged" [ \
    "$(number lost)$(number reordered)$(number duplicates)$(number damaged)" = 0000 ]
}

# killed ROLE: the peer of one that is killed goes on with the next, at the path that the first left behind.
killed() {
  local role=$1
  local line=(--map 0:5,5:0 --port 0=gen:64B,20kpps,to=5
    --port "5=memif:$work/a.sock,$(opposite "$role"),buffer=$buffer")
  rm -rf "$work"/[ab].*
  [ "$role" = client ] || { connect a "$role" a; exec 7>"$work/a.in"; wait_for "$work/a.sock"; }
  background "${line[@]}"
  [ "$role" != client ] || { wait_for "$work/a.sock"; connect a "$role" a; exec 7>"$work/a.in"; }
  printf 'set fwd io\nstart\n' >&7
  expect "killed, $role: before" soon 0
  # A testpmd that forwards while its peer goes may read what is no longer mapped.
  printf 'stop\n' >&7
  sleep 0.5
  kill -9 "$java"
  wait "$run" 2>/dev/null || true
  expect "killed, $role: the peer lives" kill -0 "$(pgrep -f "file-prefix skerry$$[a]" | head -1)"
  expect "killed, $role: the socket is left" [ -S "$work/a.sock" ]
  background "${line[@]}"
  # The socket's file is there already; ports are open when there are counters.
  local i
  for i in $(seq 100); do
    [ -z "$(counter rx_packets 0)" ] || break
    sleep 0.5
  done
  # A client of DPDK connects when its port is started, and only once.
  [ "$role" != client ] || printf 'port stop 0\nport start 0\n' >&7
  printf 'start\n' >&7
  expect "killed, $role: the next one is served" soon 0
  if [ "$role" = client ]; then
    expect "killed, $role: a second one is told that the path is in use" in_use "${line[@]}"
  fi
  printf 'stop\n' >&7
  sleep 0.5
  finish
  printf 'quit\n' >&7
  exec 7>&-
  ended a || true
  expect "killed, $role: exit code $code" [ "$code" -eq 143 ]
  expect "killed, $role: conservation" conserved
  printf 'live: killed, %s: %s\n' "$role" "$(flat | grep -oE '"generator": \{[^}]*\}')"
}

# mappings: what of peers' memory is mapped.
mappings() { grep -c memif "/proc/$java/maps" || true; }

# signals ROUNDS OPTIONS...: the process of the peer at node 5 is stopped, goes on and is killed at random moments under
# traffic, and another one takes its place: no packet is without a name, no descriptor and no mapping is left.
signals() {
  local rounds=$1 round peer before now fd0=0 fd1=0 maps=0 served=0 i
  shift
  rm -rf "$work"/[ab].*
  RANDOM=${SEED:-1}
  background "$@" --map 0:5,5:0 --stall-ms 50 --port 0=gen:64-1500B,5kpps,to=5 \
    --port "5=memif:$work/b.sock,server,buffer=$buffer"
  wait_for "$work/b.sock"
  for round in $(seq "$rounds"); do
    rm -rf "$work/b.run" "$work/b.in"
    testpmd b client
    peer=${pids[-1]}
    exec 8>"$work/b.in"
    printf 'set fwd io\nstart\n' >&8
    before=$(counter tx_packets 5)
    for i in $(seq 300); do
      now=$(counter tx_packets 5)
      [ "${now:-0}" -le "${before:-0}" ] || break
      sleep 0.1
    done
    [ "${now:-0}" -le "${before:-0}" ] || served=$((served + 1))
    for i in $(seq $((RANDOM % 3))); do
      kill -STOP "$peer"
      sleep "0.$((RANDOM % 5))"
      kill -CONT "$peer"
      sleep "0.$((RANDOM % 5))"
    done
    [ $((RANDOM % 2)) -eq 0 ] || kill -STOP "$peer"
    kill -9 "$peer"
    wait "$peer" 2>/dev/null || true
    exec 8>&-
    # What a peer that vanished has left is taken down at one of the next looks.
    for i in $(seq 100); do
      maps=$(mappings)
      [ "$maps" -ne 0 ] || break
      sleep 0.1
    done
    fd1=$(descriptors)
    [ "$round" -gt 1 ] || fd0=$fd1
  done
  finish
  printf 'live: signals, %s: %s peers killed, %s of them served, descriptors %s to %s, mappings left %s, ' "$*" "$rounds" \
    "$served" "$fd0" "$fd1" "$maps"
  printf 'packets in %s, out %s, dropped: %s port down, %s stalled\n' "$(number rx_packets 1)" \
    "$(number tx_packets 2)" "$(number dropped_port_down 2)" "$(number dropped_port_stalled 2)"
  expect "signals $*: exit code $code" [ "$code" -eq 143 ]
  expect "signals $*: conservation" conserved
  expect "signals $*: nothing is held" [ "$(number packetsHeld)" -eq 0 ]
  expect "signals $*: each peer is served" [ "$served" -eq "$rounds" ]
  expect "signals $*: descriptors are left" [ "$fd1" -le "$fd0" ]
  expect "signals $*: mappings are left" [ "$maps" -eq 0 ]
}

in_use() {
  local code=0
  "$skerry" live --dir "$work/counters" "$@" >/dev/null 2>"$work/second.err" || code=$?
  [ "$code" -eq 2 ] && grep -q 'the path is in use' "$work/second.err"
}

# long [SECONDS [PART...]]: all of it, or some parts.
long() {
  local seconds=${1:-60} part
  local parts=("${@:2}")
  buffer=9216
  if ! has_testpmd; then
    printf 'live: dpdk-testpmd with its memif driver is not installed, long needs it\n' >&2
    exit 2
  fi
  [ ${#parts[@]} -gt 0 ] || parts=(killed-client killed-server signals echo-client echo-server sizes-client \
    sizes-server sizes-stardust)
  for part in "${parts[@]}"; do
    case $part in
      killed-client | killed-server) killed "${part#*-}" ;;
      signals)
        signals "$((seconds / 4 + 2))" --fabric shoal --mode lockstep
        signals "$((seconds / 4 + 2))" --fabric shale --mode lockstep
        signals "$((seconds / 4 + 2))" --fabric stardust --mode lockstep
        ;;
      # A flow of Shoal that has the fabric to itself is slow where links are long, as they are with threads.
      echo-client) echo_of client "$seconds" --fabric shoal --mode lockstep ;;
      echo-server) echo_of server "$seconds" --fabric stardust ;;
      sizes-client) sizes client client "$seconds" --fabric shoal --mode threads ;;
      sizes-server) sizes server server "$seconds" --fabric shale --first-hop-tokens 4 ;;
      sizes-stardust) sizes server client "$seconds" --fabric stardust --mode threads ;;
      *)
        printf 'live: %s: long has no such part\n' "$part" >&2
        exit 2
        ;;
    esac
  done
}

# Bytes of live objects, after a collection. What the collector fills gaps with, instead of moving live objects together,
# is in the histogram as arrays of their own class, and no object of ours.
heap() {
  local jcmd
  jcmd=$(dirname "$(readlink -f "/proc/$java/exe")")/jcmd
  # On a busy machine the process may take long to answer.
  "$jcmd" -J-Dsun.tools.attach.attachTimeout=120000 "$java" GC.class_histogram \
    | awk '/jdk\.internal\.vm\.Filler/ { filler += $3 } /^Total/ { print $3 - filler }'
}
descriptors() { find "/proc/$java/fd" -mindepth 1 | wc -l; }

# soak [SECONDS]
soak() {
  local seconds=${1:-600} heap0 heap1 fd0 fd1
  buffer=9216
  local ports=(--port 0=gen:imix,100kpps,to=1 --port 1=loop --port 2=gen:64B,200kpps,to=3 --port 3=loop)
  local map=0:1,1:0,2:3,3:2
  if has_testpmd; then
    ports+=(--port 4=gen:64-9000B,5kpps,to=5 --port "5=memif:$work/a.sock,server")
    map+=,4:5,5:4
  fi
  background --map "$map" "${ports[@]}"
  if has_testpmd; then
    wait_for "$work/a.sock"
    testpmd a client
    exec 7>"$work/a.in"
    printf 'set fwd io\nstart\n' >&7
  fi
  expect 'soak: it starts' soon 0
  sleep "$((seconds / 10))"
  heap0=$(heap)
  fd0=$(descriptors)
  sleep "$((seconds - seconds / 10))"
  heap1=$(heap)
  fd1=$(descriptors)
  ! has_testpmd || printf 'stop\n' >&7
  sleep 1
  finish
  printf 'live: soak %s s: heap %s to %s bytes of live objects, descriptors %s to %s\n' "$seconds" "$heap0" "$heap1" \
    "$fd0" "$fd1"
  flat | grep -oE '"port": "[^"]*"|"latencyNs": \{[^}]*\}|"generator": \{[^}]*\}' | sed 's/^/live: soak: /'
  expect "soak: exit code $code" [ "$code" -eq 143 ]
  expect 'soak: conservation' conserved
  expect 'soak: the heap grows' [ "$heap1" -le "$((heap0 + 1000000))" ]
  expect 'soak: descriptors leak' [ "$fd1" -le "$fd0" ]
  expect 'soak: damaged' [ "$(number damaged 1)$(number damaged 2)" = 00 ]
}
