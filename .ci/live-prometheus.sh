# The counters of a live with Prometheus itself, which .ci/live sources: promtool reads a page, and a Prometheus scrapes
# it every second and is asked for rates, states and quantiles. Skipped with a reason where it is not installed (package
# prometheus).
# shellcheck shell=bash disable=SC2154

# free_port: a port of this host that nobody uses.
free_port() {
  local port
  for port in $(seq $((20000 + RANDOM % 10000)) 32000); do
    (: </dev/tcp/127.0.0.1/"$port") 2>/dev/null || { printf '%s' "$port"; return; }
  done
}

# ask METHOD PATH: the answer of the page's server, with its headers.
ask() {
  exec 9<>/dev/tcp/127.0.0.1/"$page_port"
  printf '%s %s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\n\r\n' "$1" "$2" "$page_port" >&9
  cat <&9
  exec 9>&-
}

# answers CODE METHOD PATH
answers() { ask "$2" "$3" | head -1 | grep -q " $1 "; }

# holds QUERY: whether Prometheus has samples for it that are not 0.
holds() {
  promtool query instant "http://127.0.0.1:$prometheus_port" "$1" 2>"$work/query.err" | grep -qE '=> [^0]|=> 0\.[0-9]*[1-9]'
}

prometheus() {
  if ! command -v prometheus >/dev/null 2>&1 || ! command -v promtool >/dev/null 2>&1; then
    printf 'live: prometheus and promtool are not installed (package prometheus): skipped\n'
    return
  fi
  local page_port prometheus_port run serve server i
  page_port=$(free_port)
  live --port 0=gen:64B,5kpps,to=3 --port 3=gen:imix,2kpps,to=0 --port 5=loop --duration 60 &
  run=$!
  "$skerry" stat --dir "$work/counters" --prometheus "$page_port" 2>"$work/stat.err" &
  serve=$!
  pids+=("$run" "$serve")
  for i in $(seq 300); do
    { ask GET /metrics | grep -q 'latency_seconds_count.* [1-9]'; } 2>/dev/null && break
    sleep 0.1
  done
  ask GET /metrics | sed '1,/^\r$/d' >"$work/page"
  expect 'prometheus: promtool finds fault with the page' promtool check metrics <"$work/page"
  expect 'prometheus: another path is answered' answers 404 GET /
  expect 'prometheus: another method is answered' answers 405 POST /metrics
  prometheus_port=$(free_port)
  printf 'global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: skerry\n    static_configs:\n      - targets: ["127.0.0.1:%s"]\n' \
    "$page_port" >"$work/prometheus.yml"
  command prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
    --web.listen-address="127.0.0.1:$prometheus_port" >"$work/prometheus.log" 2>&1 &
  server=$!
  pids+=("$server")
  for i in $(seq 40); do
    sleep 1
    holds 'rate(skerry_port_tx_packets_total{node="3"}[5s])' && break
  done
  expect 'prometheus: it does not scrape' holds 'up{job="skerry"}'
  holds 'up{job="skerry"}' || tail -n 5 "$work/prometheus.log" "$work/query.err" "$work/stat.err" >&2
  expect 'prometheus: packets have no rate' holds 'rate(skerry_port_tx_packets_total{node="3"}[10s])'
  expect 'prometheus: latency has no quantiles' holds \
    'histogram_quantile(0.99, sum by (le) (rate(skerry_port_latency_seconds_bucket[10s]))) < 1e3'
  expect 'prometheus: no port is up' holds 'skerry_port_state{state="up",node="5"}'
  expect 'prometheus: slots have no rate' holds 'skerry_slots_per_second'
  expect 'prometheus: a count and its buckets differ' holds \
    'skerry_port_latency_seconds_bucket{le="+Inf"} == ignoring(le) skerry_port_latency_seconds_count'
  pkill -TERM -P "$run" 2>/dev/null || kill -TERM "$run" 2>/dev/null || true
  wait "$run" || true
  expect 'prometheus: conservation' conserved
  ask GET /metrics >"$work/page"
  # value NAME LABELS: a sample of the page.
  value() { sed -n "s/^skerry_$1{[^}]*$2[^}]*} //p" "$work/page"; }
  expect 'prometheus: packets after the end are not those of the report' [ \
    "$(value port_tx_packets_total 'node="3"')" = "$(number tx_packets 2)" ]
  expect 'prometheus: a flow after the end is not that of the report' [ \
    "$(value flow_received_packets_total 'from="0",flow="0",to="3"')" = "$(number received 3)" ]
  local pid
  for pid in "$serve" "$server"; do
    pkill -TERM -P "$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null || true
  done
}
