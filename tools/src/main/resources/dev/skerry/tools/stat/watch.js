// Asks once a second for the counters of running fabrics and draws them. Names of processes and ports are text of
// others: they are only ever set as text.
(() => {
  'use strict';
  const KEPT = 120;
  const PERIOD = 1000;
  const LABEL = "format(datum.value, abs(datum.value) >= 10000 ? '~s' : '~r')";
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif';
  const STATES = ['down', 'up', 'failed'];
  const by = id => document.getElementById(id);
  const own = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const key = (label, name) => (new RegExp('[{,]' + name + '="((?:[^"\\\\]|\\\\.)*)"').exec(label) || ['', ''])[1]
    .replace(/\\(.)/g, '$1');
  const named = (counters, name) => Object.entries(counters).filter(([label]) => label === name
    || label.startsWith(name + '{'));
  const total = (counters, name, filter) => named(counters, name).filter(([label]) => !filter || filter(label))
    .reduce((sum, [, value]) => sum + value, 0);
  const most = (counters, name, filter) => named(counters, name).filter(([label]) => filter(label))
    .reduce((top, [, value]) => Math.max(top, value), 0);
  const digits = new Intl.NumberFormat('en', {maximumSignificantDigits: 4});
  const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
  const shown = value => value == null || !isFinite(value) ? '\u2013'
    : (Math.abs(value) >= 1000 ? whole : digits).format(value);

  let chosen = Number(location.hash.slice(1)) || 0;
  let paused = false;
  let last = null;
  let history = [];
  let schedule = null;
  let slot = 0;
  let startMs = 0;

  // A chart of lines over the last two minutes, or of bars.
  class Chart {
    constructor(id, unit, bars, rows) {
      this.box = by(id);
      this.unit = unit;
      this.bars = bars;
      this.rows = rows;
      this.make();
    }

    make() {
      const width = Math.max(200, this.box.clientWidth);
      const text = {labelColor: own('soft'), titleColor: own('ink'), domainColor: own('soft'), tickColor: own('soft'),
        gridColor: own('rule'), labelFont: FONT, titleFont: FONT, titleFontWeight: 'normal', labelFontSize: 12, titleFontSize: 12};
      const range = Array.from({length: 10}, (_, i) => own('s' + i));
      const y = {field: 'y', type: 'quantitative', title: this.unit, scale: {zero: true},
        axis: {labelExpr: LABEL, tickCount: 4}};
      const spec = {
        description: this.unit, background: 'transparent', width, height: 210, padding: 4,
        autosize: {type: 'fit', contains: 'padding'}, data: {name: 'points', values: this.rows.map(row => ({...row}))},
        mark: this.bars ? {type: 'bar'} : {type: 'line', interpolate: 'linear', strokeWidth: 2},
        encoding: this.bars
          ? {y: {field: 'line', type: 'nominal', title: null, sort: '-x', axis: {labelLimit: 170}},
            x: {...y, axis: {labelExpr: LABEL, tickCount: 3}}, color: {value: own('s1')}}
          : {x: {field: 'x', type: 'quantitative', title: 'seconds', scale: {zero: false, nice: false},
            axis: {grid: false, tickCount: 5}}, y,
            color: {field: 'line', type: 'nominal', scale: {range}, legend: {orient: 'bottom', title: null,
              symbolType: 'stroke', symbolStrokeWidth: 2, labelColor: own('ink'), labelFont: FONT, labelFontSize: 12}}},
        config: {axis: text, view: {stroke: null}}};
      if (this.view) {
        this.view.finalize();
      }
      this.view = new vega.View(vega.parse(vegaLite.compile(spec).spec), {renderer: 'svg', hover: false,
        container: this.box}).logLevel(vega.Error);
      this.width = width;
      this.view.runAsync();
    }

    show(rows) {
      this.rows = rows;
      this.view.change('points', vega.changeset().remove(vega.truthy).insert(rows.map(row => ({...row})))).resize()
        .runAsync();
    }
  }

  // What a process shows at one time, from its counters and those before.
  const sample = (process, before, seconds) => {
    const counters = process.counters;
    const rate = (name, filter) => before && seconds > 0
      ? (total(counters, name, filter) - total(before, name, filter)) / seconds : 0;
    if ('run_slots' in counters) {
      const queued = counters['run_queued_cells{of="most"}'];
      return {slot: counters.run_slots, unit: {throughput: 'cells per node and slot', latency: 'slots'},
        throughput: {delivered: counters.run_throughput_ppm / 1e6},
        queues: queued == null ? {'in the fabric': counters.run_cells_in_fabric}
          : {'maximum of a node': queued, mean: counters['run_queued_cells_ppm{of="mean"}'] / 1e6},
        latency: queued == null ? {} : {p50: counters['run_latency_slots{quantile="0.5"}'],
          p99: counters['run_latency_slots{quantile="0.99"}']},
        speed: {slots: counters.run_slots_per_second},
        flows: [counters.run_flows_completed, counters.run_flows].map(count => whole.format(count))};
    }
    const second = quantile => label => key(label, 'over') === '1s' && key(label, 'quantile') === quantile;
    return {slot: most(counters, 'slots', () => true), unit: {throughput: 'Gb/s', latency: 'us'},
      throughput: {in: rate('port_rx_bytes') * 8 / 1e9, out: rate('port_tx_bytes') * 8 / 1e9},
      queues: {'wait to enter': total(counters, 'port_queue_cells', label => key(label, 'queue') === 'in'),
        'wait for a port': total(counters, 'port_queue_cells', label => key(label, 'queue') === 'out')},
      latency: {p50: most(counters, 'port_latency_ns', second('0.5')) / 1e3,
        p99: most(counters, 'port_latency_ns', second('0.99')) / 1e3},
      speed: {slots: total(counters, 'slots_per_second') / Math.max(1, named(counters, 'slots_per_second').length)},
      flows: null};
  };

  const charts = {};
  // A chart is made with its first rows: without any, its scales have no ends.
  const plot = (id, unit, bars, rows) => {
    if (rows.length > 0 && (!charts[id] || charts[id].unit !== unit)) {
      charts[id] = new Chart(id, unit, bars, rows);
    } else if (rows.length > 0) {
      charts[id].show(rows);
    }
  };
  const draw = () => {
    const now = history[history.length - 1];
    if (!now) {
      return;
    }
    for (const id of ['throughput', 'queues', 'latency', 'speed']) {
      const unit = {queues: 'cells', speed: 'slots per second'}[id] || now.unit[id];
      const rows = history.flatMap(one => Object.entries(one[id]).map(([line, y]) => ({x: one.seconds, line, y})));
      plot(id, unit, false, rows);
    }
    by('drops').hidden = now.drops.length === 0;
    by('no-drops').hidden = now.drops.length > 0;
    plot('drops', 'packets or cells', true, now.drops);
    const facts = {Slot: [whole.format(now.slot)], 'Slots per second': [shown(now.speed.slots)]};
    Object.entries(now.throughput).forEach(([name, value]) => {
      facts['Throughput, ' + name] = [shown(value), now.unit.throughput];
    });
    Object.entries(now.queues).forEach(([name, value]) => {
      facts['Cells, ' + name] = [shown(value)];
    });
    Object.entries(now.latency).forEach(([name, value]) => {
      facts['Latency, ' + name] = [shown(value), now.unit.latency];
    });
    if (now.flows) {
      facts['Flows completed'] = [now.flows[0], 'of ' + now.flows[1]];
    }
    by('now').replaceChildren(...Object.entries(facts).map(([name, [value, unit]]) => {
      const fact = document.createElement('div');
      const number = Object.assign(document.createElement('dd'), {textContent: value});
      number.append(Object.assign(document.createElement('span'), {textContent: unit ? ' ' + unit : ''}));
      fact.append(Object.assign(document.createElement('dt'), {textContent: name}), number);
      return fact;
    }));
  };

  const ports = (process, before, seconds) => {
    const found = named(process.counters, 'port_state');
    by('ports').hidden = found.length === 0;
    by('port-rows').replaceChildren(...found.map(([label, state]) => {
      const keys = label.slice('port_state'.length);
      const rate = name => before && seconds > 0
        ? (process.counters[name + keys] - (before[name + keys] ?? 0)) / seconds : 0;
      const p99 = most(process.counters, 'port_latency_ns', other => key(other, 'node') === key(label, 'node')
        && key(other, 'over') === '1s' && key(other, 'quantile') === '0.99') / 1e3;
      const row = document.createElement('tr');
      row.append(...[key(label, 'node'), key(label, 'port'), STATES[state] || '?', shown(rate('port_rx_packets')),
        shown(rate('port_tx_packets')), shown(p99)].map(text => Object.assign(document.createElement('td'),
        {textContent: text})));
      return row;
    }));
  };

  // The matrix, from the slot that the fabric was last seen in on: a row for each sender, a column for each receiver.
  const matrix = () => {
    by('meetings').hidden = !schedule;
    if (!schedule || paused) {
      return;
    }
    const canvas = by('matrix');
    const {nodes, channels, slots, peers} = schedule;
    const size = Math.max(1, Math.floor(512 / nodes));
    if (canvas.width !== nodes * size) {
      canvas.width = canvas.height = nodes * size;
    }
    const to = canvas.getContext('2d');
    to.fillStyle = own('paper');
    to.fillRect(0, 0, canvas.width, canvas.height);
    const epochSlot = slot % slots;
    for (let channel = 0; channel < channels; channel++) {
      to.fillStyle = own('s' + channel % 10);
      peers[epochSlot * channels + channel].forEach((peer, node) => {
        if (peer >= 0) {
          to.fillRect(peer * size, node * size, size, size);
        }
      });
    }
    const text = 'Slot ' + whole.format(slot) + ', ' + epochSlot + ' of an epoch of ' + slots + ': a row for each of ' + nodes
      + ' senders, a column for each receiver' + (channels > 1 ? ', a colour for each of ' + channels + ' channels' : '');
    by('slot').textContent = text;
    canvas.setAttribute('aria-label', text);
    slot++;
  };

  const loadSchedule = async pid => {
    schedule = null;
    const answer = await fetch('schedule?pid=' + pid);
    if (answer.ok) {
      const [head, ...lines] = (await answer.text()).trim().split('\n');
      const [nodes, channels, slots] = head.split(' ').map(Number);
      schedule = {nodes, channels, slots, peers: lines.map(line => line.split(' ').map(Number))};
    }
  };

  const choose = pid => {
    chosen = pid;
    history = [];
    last = null;
    startMs = performance.now();
    location.hash = String(pid);
    return loadSchedule(pid);
  };

  const tick = async () => {
    const data = await (await fetch('data')).json();
    const select = by('process');
    const ids = data.processes.map(process => process.pid);
    if ([...select.options].map(option => Number(option.value)).join() !== ids.join()) {
      select.replaceChildren(...data.processes.map(process => Object.assign(document.createElement('option'),
        {value: process.pid, textContent: process.pid + ': ' + process.name})));
    }
    const now = performance.now();
    if (!ids.includes(chosen) && ids.length > 0) {
      await choose(ids[0]);
    } else if (startMs === 0 && ids.length > 0) {
      await choose(chosen);
    }
    select.value = String(chosen);
    const process = data.processes.find(one => one.pid === chosen);
    by('state').textContent = process ? '' : 'No fabric is running: start ./skerry live, or ./skerry run with --publish.';
    if (!process || paused) {
      return;
    }
    const seconds = last ? (now - last.now) / 1000 : 0;
    const one = sample(process, last && last.counters, seconds);
    slot = one.slot;
    one.seconds = Math.round((now - startMs) / 100) / 10;
    const reasons = {};
    process.losses.forEach(label => {
      const reason = label.replace(/\{.*/, '').replace(/^(port|fabric)_/, '').replace(/_/g, ' ');
      reasons[reason] = (reasons[reason] || 0) + process.counters[label];
    });
    one.drops = Object.entries(reasons).map(([line, y]) => ({line, y}));
    if (last || 'run_slots' in process.counters) {
      history.push(one);
      history.splice(0, history.length - KEPT);
      draw();
    }
    ports(process, last && last.counters, seconds);
    last = {now, counters: process.counters};
    document.documentElement.dataset.ticks = history.length;
  };

  const loop = async () => {
    try {
      await tick();
    } catch (error) {
      by('state').textContent = 'The server does not answer: ./skerry watch has ended.';
    }
    setTimeout(loop, PERIOD);
  };
  by('process').addEventListener('change', event => choose(Number(event.target.value)));
  by('pause').addEventListener('click', () => {
    paused = !paused;
    by('pause').setAttribute('aria-pressed', String(paused));
  });
  const again = () => {
    Object.values(charts).forEach(chart => chart.make());
    draw();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  addEventListener('resize', again);
  setInterval(matrix, 200);
  loop();
})();
