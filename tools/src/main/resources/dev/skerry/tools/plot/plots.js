// Draws the plots of a page with Vega-Lite, from the numbers that stand beside each picture; see docs/pictures.md.
(() => {
  'use strict';
  const SHAPES = ['circle', 'square', 'diamond', 'triangle-up'];
  const COLOURS = 10;
  const LIGHT = {paper: '#fff', ink: '#1b2430', soft: '#5b6776', rule: '#dfe4ea', lines: ['#0b62b5', '#c2410c', '#0f7f5c',
    '#7a4fb5', '#9d174d', '#57534e', '#0e7490', '#a16207', '#4d7c0f', '#be123c']};
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif';
  const own = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const screen = () => ({paper: own('paper'), ink: own('ink'), soft: own('soft'), rule: own('rule'),
    lines: LIGHT.lines.map((_, i) => own('s' + i))});
  const isBars = plot => plot.lines.some(line => line.style === 'BARS');
  const hasColour = line => line.style !== 'BOUND' && line.style !== 'PUBLISHED';

  // Lines of at most as many characters as fit.
  const wrapped = (text, width, letter = 6.8) => {
    const most = Math.max(12, Math.floor(width / letter));
    const lines = [''];
    for (const word of text.split(' ')) {
      const line = lines[lines.length - 1];
      if (line && line.length + word.length + 1 > most) {
        lines.push(word);
      } else {
        lines[lines.length - 1] = line ? line + ' ' + word : word;
      }
    }
    return lines;
  };

  const rows = plot => plot.lines.flatMap(line => line.points.map(([x, y, low, high]) => ({
    line: line.legend, name: line.name, x: plot.x.places.length ? plot.x.places[x] : x, y, low, high})));

  const axis = (of, width, zoomed) => ({
    title: wrapped(of.title, width), grid: false,
    ...(of.places.length ? {labelAngle: width / of.places.length < 60 ? -45 : 0, labelLimit: 110} : {
      ...(zoomed ? {tickCount: Math.max(2, Math.floor(width / 70))} : {values: of.ticks}),
      labelExpr: "format(datum.value, abs(datum.value) >= 10000 ? '~s' : datum.value && abs(datum.value) < 0.001 "
        + "? '~e' : '~r')"})});

  const scale = (of, domain) => ({type: of.log ? 'log' : 'linear', domain: domain || [of.low, of.high], nice: false,
    ...(of.log ? {} : {zero: false})});

  // Marks at an end of the x axis are drawn whole: it goes on by so much of its length.
  const ROOM = 0.012;
  const roomy = plot => {
    const {log, low, high} = plot.x;
    const [from, to] = log ? [Math.log(low), Math.log(high)] : [low, high];
    const marks = plot.lines.filter(line => line.style === 'DOTS' || line.style === 'PUBLISHED')
      .flatMap(line => line.points.map(point => point[0]));
    const room = (end) => marks.includes(end) ? (to - from) * ROOM : 0;
    const ends = [from - room(low), to + room(high)];
    return log ? ends.map(Math.exp) : ends;
  };

  // The whole specification: it can be opened in any other program that reads Vega-Lite.
  const specification = (plot, width, theme, domain) => {
    const bars = isBars(plot);
    const height = 240;
    const coloured = [...new Set(plot.lines.filter(hasColour).map(line => line.name))];
    const colour = name => coloured.includes(name) ? theme.lines[coloured.indexOf(name) % COLOURS] : theme.soft;
    const legends = plot.lines.map(line => line.legend);
    const range = plot.lines.map(line => line.style === 'BOUND' ? theme.soft
      : bars && line.style === 'PUBLISHED' ? theme.ink : colour(line.name));
    const columns = Math.max(1, Math.floor(width / (Math.max(...legends.map(text => text.length)) * 6.8 + 44)));
    const legend = plot.lines.length < 2 ? null
      : {title: null, orient: 'bottom', columns, symbolSize: 90, symbolOpacity: 1, labelLimit: Math.max(120, width - 60),
        symbolType: bars ? 'square' : 'stroke', symbolStrokeWidth: 2};
    const places = plot.x.places.length > 0;
    const x = places ? {field: 'x', type: 'nominal', sort: null, scale: {domain: plot.x.places}}
      : {field: 'x', type: 'quantitative', scale: scale(plot.x, domain || roomy(plot))};
    const encoding = {
      x: {...x, axis: {...axis(plot.x, width - 70, domain), labelOverlap: !places}},
      y: {field: 'y', type: 'quantitative', scale: scale(plot.y),
        axis: {...axis(plot.y, height), grid: true, labelOverlap: false}},
      color: {field: 'line', type: 'nominal', scale: {domain: legends, range}, legend}};
    const offset = bars ? {xOffset: {field: 'name', sort: null, scale: {domain: coloured}}} : {};
    const of = (...styles) => ({filter: {field: 'line', oneOf: plot.lines.filter(
      line => styles.includes(line.style)).map(line => line.legend)}});
    const layers = [];
    const layer = (styles, mark, more) => {
      if (plot.lines.some(line => styles.includes(line.style))) {
        layers.push({transform: [of(...styles)], mark: {clip: true, ...mark}, encoding: more || {}});
      }
    };
    layer(['BARS'], {type: 'bar'}, {...offset, y2: {datum: plot.y.low}});
    const dash = {strokeDash: {field: 'line', type: 'nominal', legend, scale: {domain: legends,
      range: plot.lines.map(line => line.style === 'BOUND' ? [6, 5] : [1, 0])}}};
    layer(['DOTS', 'LINE', 'BOUND'], {type: 'line', strokeWidth: 2}, dash);
    layer(['STEPS'], {type: 'line', strokeWidth: 2, interpolate: 'step-after'}, dash);
    if (plot.lines.some(line => line.points.some(point => point.length > 2))) {
      const ends = {y: {...encoding.y, field: 'low', title: null}, y2: {field: 'high'}, ...offset};
      const ink = bars ? {color: {value: theme.ink}} : {};
      const some = {filter: 'isValid(datum.low) && isValid(datum.high)'};
      layers.push({transform: [some], mark: {type: 'rule', clip: true, strokeWidth: 1.4}, encoding: {...ends, ...ink}});
      for (const end of ['low', 'high']) {
        layers.push({transform: [some], mark: {type: 'tick', orient: 'horizontal', size: 8, thickness: 1.4, clip: true},
          encoding: {y: {...encoding.y, field: end}, ...offset, ...ink}});
      }
    }
    layer(['DOTS'], {type: 'point', filled: true, size: 46, opacity: 1}, {shape: {field: 'line', type: 'nominal',
      scale: {domain: legends, range: plot.lines.map(line => line.style === 'PUBLISHED' ? 'diamond'
        : line.style !== 'DOTS' ? 'stroke' : SHAPES[Math.max(0, coloured.indexOf(line.name)) % 4])}, legend}});
    layer(['PUBLISHED'], bars ? {type: 'tick', orient: 'horizontal', thickness: 2.5, color: theme.ink}
      : {type: 'point', shape: 'diamond', filled: false, size: 70, strokeWidth: 1.6, opacity: 1},
      bars ? {...offset, color: {value: theme.ink}} : {});
    if (!places) {
      layers[0].params = [{name: 'view', select: {type: 'interval', encodings: ['x'],
        zoom: 'wheel![event.ctrlKey]', translate: '[pointerdown[event.pointerType === "mouse"], window:pointerup] > '
          + 'window:pointermove!'}, bind: 'scales'}];
    }
    const text = {labelColor: theme.soft, titleColor: theme.ink, labelFont: FONT, titleFont: FONT, labelFontSize: 12,
      titleFontSize: 12, titleFontWeight: 'normal', domainColor: theme.soft, tickColor: theme.soft,
      gridColor: theme.rule};
    return {$schema: 'https://vega.github.io/schema/vega-lite/v5.json', description: plot.title + '. '
        + plot.description, title: {text: wrapped(plot.title, width, 8), anchor: 'start', frame: 'bounds', fontSize: 13,
        font: FONT, color: theme.ink, offset: 8}, background: theme.paper, width, height,
      autosize: {type: 'fit', contains: 'padding'}, padding: 4, data: {values: rows(plot)}, encoding, layer: layers,
      config: {axis: text, legend: {...text, labelColor: theme.ink}, view: {stroke: null}, font: FONT,
        scale: {bandPaddingInner: bars ? 0.2 : 1}}};
  };

  // Room for legends and wrapped titles is added to the height of the plot itself.
  const view = (plot, width, theme, domain, renderer) => {
    const spec = specification(plot, width, theme, domain);
    const legends = spec.encoding.color.legend;
    spec.height = 300 + (legends ? Math.ceil(plot.lines.length / legends.columns) * 17 + 10 : 0)
      + (spec.title.text.length - 1) * 16 + (plot.x.places.length && width / plot.x.places.length < 90 ? 30 : 0);
    return {spec, view: new vega.View(vega.parse(vegaLite.compile(spec).spec), {renderer, hover: false})
      .logLevel(vega.Warn)};
  };

  const save = (name, url) => {
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
  };
  const saveText = (name, type, text) => {
    const url = URL.createObjectURL(new Blob([text], {type}));
    save(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  const digits = new Intl.NumberFormat('en', {maximumSignificantDigits: 4});
  const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
  const number = value => value == null ? 'none' : (Math.abs(value) >= 1000 ? whole : digits).format(value);
  const field = text => /[,"\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  const csv = plot => 'line,x,y,low,high\n' + rows(plot).map(row => [field(row.line), field(String(row.x)), row.y,
    row.low, row.high].map(value => value == null ? '' : value).join(',') + '\n').join('');

  class Picture {
    constructor(figure) {
      this.figure = figure;
      this.plot = JSON.parse(figure.querySelector('script').textContent);
      this.live = figure.querySelector('.live');
      this.output = figure.querySelector('output');
      this.domain = null;
      this.at = -1;
      const xs = new Set(this.plot.lines.flatMap(line => line.points.map(point => point[0])));
      this.xs = [...xs].filter(x => x != null).sort((a, b) => a - b);
      this.cursor = document.createElement('div');
      this.cursor.className = 'cursor';
      this.cursor.hidden = true;
      this.buttons();
      this.live.addEventListener('keydown', event => this.key(event));
      this.live.addEventListener('pointermove', event => this.point(event));
      this.live.addEventListener('pointerleave', () => this.say(-1));
    }

    async draw() {
      const width = Math.floor(this.figure.clientWidth);
      if (width < 50) {
        return;
      }
      const made = view(this.plot, width, screen(), this.domain, 'svg');
      const box = document.createElement('div');
      await made.view.initialize(box).runAsync();
      if (this.view) {
        this.view.finalize();
      }
      this.view = made.view;
      this.live.replaceChildren(box, this.cursor);
      this.figure.dataset.width = width;
      this.figure.querySelector('.static').hidden = true;
      this.live.hidden = this.output.hidden = this.figure.querySelector('.tools').hidden = false;
      this.place();
    }

    buttons() {
      const tools = this.figure.querySelector('.tools');
      const button = (text, title, act) => {
        const made = document.createElement('button');
        made.type = 'button';
        made.textContent = text;
        made.setAttribute('aria-label', title + ': ' + this.plot.title);
        made.title = title;
        made.addEventListener('click', act);
        tools.append(made);
      };
      if (!this.plot.x.places.length) {
        button('+', 'Zoom in', () => this.zoom(0.5));
        button('\u2212', 'Zoom out', () => this.zoom(2));
        button('Reset', 'Show all', () => this.zoom(0));
      }
      const id = this.plot.id;
      button('SVG', 'Save as SVG', async () => saveText(id + '.svg', 'image/svg+xml', await this.paper().toSVG()));
      button('PNG', 'Save as PNG', async () => save(id + '.png', await this.paper().toImageURL('png', 2)));
      button('CSV', 'Save the data', () => saveText(id + '.csv', 'text/csv', csv(this.plot)));
      button('Vega-Lite', 'Save the specification', () => saveText(id + '.vl.json', 'application/json',
        JSON.stringify(specification(this.plot, 640, LIGHT, this.range()), null, 1)));
    }

    // As printed: light, of a set width.
    paper() {
      return view(this.plot, 720, LIGHT, this.range(), 'none').view;
    }

    range() {
      return this.plot.x.places.length ? null : this.view.scale('x').domain();
    }

    zoom(factor) {
      const log = this.plot.x.log;
      const to = log ? Math.log : value => value;
      const [low, high] = this.range().map(to);
      const middle = this.at >= 0 ? to(this.xs[this.at]) : (low + high) / 2;
      const all = [to(this.plot.x.low), to(this.plot.x.high)];
      const half = (high - low) / 2 * factor;
      if (factor === 0 || half * 2 >= all[1] - all[0]) {
        this.domain = null;
      } else if (half > 0) {
        const start = Math.min(Math.max(middle - half, all[0]), all[1] - 2 * half);
        this.domain = [start, start + 2 * half].map(log ? Math.exp : value => value);
      }
      this.draw();
    }

    key(event) {
      const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (step) {
        this.say(Math.min(this.xs.length - 1, Math.max(0, this.at + step)));
      } else if (event.key === 'Home' || event.key === 'End') {
        this.say(event.key === 'Home' ? 0 : this.xs.length - 1);
      } else if ('+=-0'.includes(event.key) && !this.plot.x.places.length) {
        this.zoom({'-': 2, '0': 0}[event.key] ?? 0.5);
      } else {
        return;
      }
      event.preventDefault();
    }

    point(event) {
      const left = event.clientX - this.live.getBoundingClientRect().left;
      let nearest = -1;
      let least = 40;
      this.xs.forEach((x, i) => {
        const distance = Math.abs(this.pixels(x) - left);
        if (distance < least) {
          least = distance;
          nearest = i;
        }
      });
      this.say(nearest);
    }

    pixels(x) {
      const scale = this.view.scale('x');
      const places = this.plot.x.places;
      const at = places.length ? scale(places[x]) + (scale.bandwidth ? scale.bandwidth() / 2 : 0) : scale(x);
      return at + this.view.origin()[0];
    }

    // The value of a line at an x: of steps the one that holds there.
    value(line, x) {
      let found = null;
      for (const point of line.points) {
        if (point[0] != null && (point[0] === x || line.style === 'STEPS' && point[0] <= x)) {
          found = point;
        }
      }
      return found;
    }

    say(at) {
      this.at = at;
      this.place();
      if (at < 0) {
        this.output.textContent = '';
        return;
      }
      const x = this.xs[at];
      const values = this.plot.lines.map(line => [line, this.value(line, x)]).filter(([, point]) => point)
        .map(([line, point]) => line.legend + ' ' + number(point[1])
          + (point.length > 2 ? ' (' + number(point[2]) + ' to ' + number(point[3]) + ')' : ''));
      this.output.textContent = (this.plot.x.places.length ? this.plot.x.places[x] : number(x)) + ': '
        + values.join(', ');
    }

    place() {
      const at = this.at < 0 ? -1 : this.pixels(this.xs[this.at]);
      const left = this.view.origin()[0];
      this.cursor.hidden = at < left - 1 || at > left + this.view.signal('width') + 1;
      Object.assign(this.cursor.style, {left: at + 'px', top: this.view.origin()[1] + 'px',
        height: this.view.signal('height') + 'px'});
    }
  }

  const pictures = [...document.querySelectorAll('figure.plot')].map(figure => new Picture(figure));
  const drawn = Promise.all(pictures.map(picture => picture.draw()));
  let waiting = 0;
  const again = changed => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => pictures.filter(changed).forEach(picture => picture.draw()));
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => again(() => true));
  addEventListener('resize', () => again(
    picture => Math.floor(picture.figure.clientWidth) !== Number(picture.figure.dataset.width)));
  drawn.then(() => document.documentElement.dataset.drawn = pictures.length);
})();
