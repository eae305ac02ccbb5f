"use strict";
// The page of `thalweg view`. What it draws comes from a source: the server beside it, or levels of detail inside the page.
(() => {
  const $ = id => document.getElementById(id);
  const ARRAYS = {
    u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array, i8: Int8Array, i16: Int16Array, i32: Int32Array,
    i64: BigInt64Array, f32: Float32Array, f64: Float64Array,
  };
  const COLOURS = {
    light: ["#1f6fb2", "#d2691e", "#2c8a57", "#7b57c2", "#c2334d", "#0e8c8c", "#9a7b0a", "#5b6b78"],
    dark: ["#5db0ee", "#f2a25c", "#62c792", "#b49af0", "#f27d92", "#4fd0cf", "#d9bc4a", "#a6b5c1"],
  };
  const LEVELS = {table: "#c2334d", groups: "#7b57c2", shapes: "#9a7b0a", blocks: "#1f6fb2", lines: "#2c8a57", elements: "#d2691e"};
  const POINTS_PER_COLUMN = 2; // below, elements are drawn one by one
  const count = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
  const shown = n => count.format(n).replaceAll(",", "\u202f");
  const plainly = text => String(text).replace(/^-/, "−");
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const numbers = array => array instanceof BigInt64Array || array instanceof BigUint64Array ? Float64Array.from(array, Number) : array;

  // ---- Sources -------------------------------------------------------------------------------------------------------------

  /// The server: every answer is exact at every zoom.
  class Live {
    constructor() { this.exact = true; }

    async get(what, parameters) {
      const query = new URLSearchParams(parameters).toString();
      let response;
      try {
        response = await fetch(query ? `${what}?${query}` : what);
      } catch {
        throw {gone: true, message: "The command has ended. Start thalweg view again to go on."};
      }
      if (!response.ok) throw {status: response.status, message: await response.text()};
      return response;
    }

    async json(what, parameters) { return (await this.get(what, parameters)).json(); }
    state() { return this.json("state", {}); }
    best(series, order, from, to) { return this.json("best", {series, order, from, to}); }
    next(series, order, at, side) { return this.json("next", {series, order, at, side}); }
    smallest(series, order, from, to, k) { return this.json("smallest", {series, order, from, to, k}); }
    at(series, at, from, to) { return this.json("at", {series, at, from, to}); }
    how(series, order, left, right) { return this.json("how", {series, order, left, right}); }

    async columns(series, dtype, from, to, width) {
      const both = new ARRAYS[dtype](await (await this.get("columns", {series, from, to, width})).arrayBuffer());
      return {low: numbers(both.subarray(0, both.length / 2)), high: numbers(both.subarray(both.length / 2))};
    }

    async points(series, dtype, from, to) {
      return numbers(new ARRAYS[dtype](await (await this.get("points", {series, from, to})).arrayBuffer()));
    }
  }

  /// What the page itself holds: the array, or minima and maxima of buckets, each exact.
  class Embedded {
    constructor(data) {
      this.exact = false;
      this.title = data.title;
      this.series = data.series.map(one => {
        const decode = text => new ARRAYS[one.dtype](Uint8Array.from(atob(text), letter => letter.charCodeAt(0)).buffer);
        const raw = one.points === undefined ? null : decode(one.points);
        const levels = (one.levels || []).map(({bucket, data}) => {
          const both = decode(data), half = both.length / 2;
          return {bucket, low: both.subarray(0, half), high: both.subarray(half)};
        });
        if (raw) levels.push({bucket: 1, low: raw, high: raw});
        return {...one, raw, levels};
      });
    }

    state() {
      const each = ({name, dtype, length, raw, levels}) =>
        ({name, dtype, length, done: length, ready: true, trouble: null, finest: raw ? 1 : levels[0].bucket});
      return {series: this.series.map(each)};
    }

    /// The coarsest level with a bucket for every column, or the finest there is.
    level(series, from, to, width) {
      const fine = this.series[series].levels.filter(level => level.bucket * width <= to - from);
      return fine.at(-1) || this.series[series].levels[0];
    }

    columns(series, _dtype, from, to, width) {
      const {bucket, low, high} = this.level(series, from, to, width);
      const lows = [], highs = [], span = to - from;
      for (let c = 0; c < width; c++) {
        const first = Math.floor((from + Math.floor(c * span / width)) / bucket);
        const end = Math.max(first + 1, Math.floor((from + Math.floor((c + 1) * span / width)) / bucket));
        if (first >= low.length) break;
        lows.push(extreme(low, first, end, (a, b) => a < b));
        highs.push(extreme(high, first, end, (a, b) => a > b));
      }
      return {low: Float64Array.from(lows), high: Float64Array.from(highs)};
    }

    points(series, _dtype, from, to) {
      const {raw} = this.series[series];
      return raw ? numbers(raw.slice(from, to)) : null;
    }

    /// Buckets of the finest level that lie in a range, with their extremes.
    buckets(series, from, to) {
      const level = this.series[series].levels[0];
      const first = Math.floor(from / level.bucket), end = Math.min(level.low.length, Math.ceil(to / level.bucket));
      return {...level, first, end};
    }

    found(level, i, order) {
      const value = order === "max" ? level.high[i] : level.low[i];
      return {position: i * level.bucket, value: String(value), width: level.bucket};
    }

    best(series, order, from, to) {
      return this.smallest(series, order, from, to, 1)[0];
    }

    smallest(series, order, from, to, k) {
      const level = this.buckets(series, from, to), keys = order === "max" ? level.high : level.low;
      const all = [];
      for (let i = level.first; i < level.end; i++) if (keys[i] === keys[i]) all.push(i);
      const sign = order === "max" ? -1 : 1;
      all.sort((a, b) => keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b);
      return all.slice(0, k).map(i => this.found(level, i, order));
    }

    next(series, order, at, side) {
      const level = this.buckets(series, 0, Infinity), keys = order === "max" ? level.high : level.low;
      const here = Math.floor(at / level.bucket), step = side === "left" ? -1 : 1;
      for (let i = here + step; i >= 0 && i < level.end; i += step) {
        if (order === "max" ? keys[i] > keys[here] : keys[i] < keys[here]) return this.found(level, i, order);
      }
      return null;
    }

    at(series, at, from, to) {
      const {raw, length} = this.series[series];
      if (at >= length) return {position: at, value: null};
      const answer = {position: at, value: raw ? String(raw[at]) : null};
      if (to > from) {
        const level = this.level(series, from, to, 1), first = Math.floor(from / level.bucket);
        const end = Math.min(level.low.length, Math.max(first + 1, Math.ceil(to / level.bucket)));
        const place = (values, better) => {
          let best = first;
          for (let i = first; i < end; i++) if (better(values[i], values[best]) || values[best] !== values[best]) best = i;
          return {position: best * level.bucket, value: String(values[best]), width: level.bucket};
        };
        answer.low = place(level.low, (a, b) => a < b);
        answer.high = place(level.high, (a, b) => a > b);
      }
      return answer;
    }
  }

  function extreme(values, first, end, better) {
    let best = values[first];
    for (let i = first + 1; i < Math.min(end, values.length); i++) {
      if (better(values[i], best) || best !== best) best = values[i];
    }
    return Number(best);
  }

  // ---- State ---------------------------------------------------------------------------------------------------------------

  const embedded = $("embedded");
  const source = embedded ? new Embedded(JSON.parse(embedded.textContent)) : new Live();
  const plot = $("plot"), overview = $("overview");
  const view = {from: 0, span: 1, lanes: false, locked: false, how: false, active: 0};
  let series = [], length = 1;
  let drawn = null;       // what is on the screen: the view that it shows, and the numbers
  let whole = null;       // the same for the strip below
  let cursor = null;      // a position
  let marks = [];         // positions with values that somebody asked for
  let chosen = null;      // the range that "how" tells of
  let told = null;        // and what it tells
  let scale = null;       // the vertical scale, while it is kept
  let busy = false, again = false, draws = 0, answeredIn = 0;

  const isDark = () => document.documentElement.classList.contains("dark");
  const colour = i => COLOURS[isDark() ? "dark" : "light"][i % 8];
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const visible = () => series.filter(one => one.visible && one.ready);
  const active = () => series[view.active];

  function complain(text) {
    $("banner").textContent = text;
    $("banner").hidden = !text;
  }

  let saying = 0;
  function say(text) {
    clearTimeout(saying);
    saying = setTimeout(() => { $("told").textContent = text; }, 150);
  }

  // ---- Geometry ------------------------------------------------------------------------------------------------------------

  const ratio = () => window.devicePixelRatio || 1;
  /// The part of the canvas that shows data, in device pixels.
  function frame() {
    const r = ratio();
    const left = Math.round(70 * r), top = Math.round(14 * r), bottom = Math.round(30 * r), right = Math.round(16 * r);
    return {left, top, width: Math.max(1, plot.width - left - right), height: Math.max(1, plot.height - top - bottom)};
  }

  function fit(canvas) {
    const box = canvas.getBoundingClientRect(), r = ratio();
    const width = Math.max(1, Math.round(box.width * r)), height = Math.max(1, Math.round(box.height * r));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  }

  /// The view as it can be asked for: whole elements where there are more of them than columns.
  function settled(width) {
    const {from, span} = view;
    if (span <= POINTS_PER_COLUMN * width) return {from, span, points: true};
    const whole = Math.round(span);
    return {from: clamp(Math.round(from), 0, length - whole), span: whole, points: false};
  }

  const startOf = (from, span, width, c) => from + Math.floor(c * span / width);
  /// The column that an element is drawn in, and where.
  function columnOf(shot, position) {
    const {from, span, width} = shot;
    if (shot.points) return Math.floor((position - from + .5) / span * width);
    return Math.floor(((position - from + 1) * width - 1) / span);
  }
  /// The elements of a column.
  function elementsOf(shot, c) {
    const {from, span, width} = shot;
    if (shot.points) {
      const position = clamp(Math.floor(from + (c + .5) / width * span), 0, length - 1);
      return [position, position + 1];
    }
    return [startOf(from, span, width, c), startOf(from, span, width, c + 1)];
  }

  function show(from, span) {
    span = clamp(span, Math.min(8, length), length);
    view.span = span;
    view.from = clamp(from, 0, length - span);
    const shot = settled(frame().width);
    history.replaceState(null, "", `#${Math.round(shot.from)},${Math.round(shot.span)}`);
    refresh();
  }
  const zoom = (factor, around) => {
    const at = around ?? cursorInView() ?? view.from + view.span / 2;
    const span = clamp(view.span * factor, Math.min(8, length), length);
    show(at - (at - view.from) * span / view.span, span);
  };
  const pan = part => show(view.from + part * view.span, view.span);
  const cursorInView = () => cursor !== null && cursor >= view.from && cursor < view.from + view.span ? cursor : null;
  function reveal(position) {
    if (position < view.from || position >= view.from + view.span) show(position - view.span / 2, view.span);
  }

  // ---- Asking and drawing --------------------------------------------------------------------------------------------------

  /// Asks for what the view shows, and draws it when it is there. While an answer is on its way, further wishes become one.
  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      do {
        again = false;
        fit(plot);
        const {left, top, width, height} = frame();
        const shot = {...settled(width), left, top, width, height, data: new Map()};
        const begun = performance.now();
        await Promise.all(visible().map(async one => {
          const from = Math.floor(shot.from), to = Math.min(length, Math.ceil(shot.from + shot.span));
          const points = shot.points ? await source.points(one.index, one.dtype, Math.max(0, from - 1), to + 1) : null;
          if (points) shot.data.set(one.index, {first: Math.max(0, from - 1), points});
          else if (shot.points) {
            // A page without the elements: its finest buckets.
            const span = Math.ceil(shot.span), start = clamp(from, 0, length - span);
            shot.data.set(one.index, await source.columns(one.index, one.dtype, start, start + span, width));
          } else shot.data.set(one.index, await source.columns(one.index, one.dtype, shot.from, shot.from + shot.span, width));
        }));
        answeredIn = performance.now() - begun;
        drawn = shot;
        draw();
      } while (again);
    } catch (trouble) {
      fail(trouble);
    } finally {
      busy = false;
    }
  }

  function fail(trouble) {
    if (trouble.status === 503) return; // not yet
    complain(trouble.message || String(trouble));
    if (!trouble.message) throw trouble;
  }

  /// The smallest and the largest number on the screen.
  function extent(shot, list) {
    let low = Infinity, high = -Infinity;
    const take = x => {
      if (x < low && x > -Infinity) low = x;
      if (x > high && x < Infinity) high = x;
    };
    for (const one of list) {
      const data = shot.data.get(one.index);
      if (!data) continue;
      if (data.points) data.points.forEach(take);
      else { data.low.forEach(take); data.high.forEach(take); }
    }
    if (low > high) return [0, 1];
    if (low === high) { const room = Math.abs(low) * .05 || 1; return [low - room, high + room]; }
    return [low, high];
  }

  /// Lanes: a part of the height and a scale for the series in it.
  function lanesOf(shot) {
    const list = visible();
    const parts = view.lanes ? list.map(one => [one]) : [list];
    const gap = view.lanes ? Math.round(10 * ratio()) : 0;
    const height = Math.max(1, Math.floor((shot.height - gap * (parts.length - 1)) / Math.max(1, parts.length)));
    return parts.map((inside, i) => {
      const kept = view.locked && scale && scale[i];
      const [low, high] = kept || extent(shot, inside);
      const top = shot.top + i * (height + gap);
      // The extremes lie in the first and in the last row of pixels.
      const y = value => top + (height - 1) - Math.round((clamp(value, low, high) - low) / (high - low) * (height - 1));
      return {inside, top, height, low, high, y};
    });
  }

  function draw() {
    if (!drawn) return;
    const shot = drawn, canvas = plot.getContext("2d"), r = ratio();
    const lanes = lanesOf(shot);
    shot.lanes = lanes;
    scale = lanes.map(({low, high}) => [low, high]);
    canvas.clearRect(0, 0, plot.width, plot.height);
    canvas.font = `${11 * r}px system-ui, sans-serif`;
    drawChosen(canvas, shot);
    for (const lane of lanes) drawAxis(canvas, shot, lane);
    drawPositions(canvas, shot);
    for (const lane of lanes) {
      for (const one of lane.inside) drawSeries(canvas, shot, lane, one);
    }
    drawCursor(canvas, shot);
    drawMarks(canvas, shot);
    drawOverview();
    tell();
    draws++;
  }

  function drawSeries(canvas, shot, lane, one) {
    const data = shot.data.get(one.index);
    if (!data) return;
    canvas.fillStyle = canvas.strokeStyle = colour(one.index);
    if (data.points) return drawPoints(canvas, shot, lane, data);
    const {low, high} = data;
    // Where neighbours do not meet, a faint line leads from one to the other; what is not faint is the column's own.
    canvas.globalAlpha = .3;
    for (let c = 1; c < low.length; c++) {
      const above = lane.y(low[c - 1]), below = lane.y(high[c]), left = lane.y(high[c - 1]), right = lane.y(low[c]);
      if (above < below - 1) canvas.fillRect(shot.left + c, above + 1, 1, below - above - 1);
      else if (right < left - 1) canvas.fillRect(shot.left + c, right + 1, 1, left - right - 1);
    }
    canvas.globalAlpha = 1;
    for (let c = 0; c < low.length; c++) {
      if (low[c] !== low[c]) continue; // nothing but NaN
      const top = lane.y(high[c]), bottom = lane.y(low[c]);
      canvas.fillRect(shot.left + c, top, 1, bottom - top + 1);
    }
  }

  function drawPoints(canvas, shot, lane, {first, points}) {
    const r = ratio(), step = shot.width / shot.span;
    const x = i => shot.left + (first + i - shot.from + .5) * step;
    canvas.save();
    canvas.beginPath();
    canvas.rect(shot.left, lane.top - 4 * r, shot.width, lane.height + 8 * r);
    canvas.clip();
    canvas.beginPath();
    canvas.lineWidth = 1.5 * r;
    canvas.lineJoin = "round";
    let pen = false;
    for (let i = 0; i < points.length; i++) {
      const value = points[i];
      if (value !== value) { pen = false; continue; }
      const y = lane.y(value) + .5;
      if (pen) canvas.lineTo(x(i), y); else canvas.moveTo(x(i), y);
      // A number between two gaps is a point of its own.
      if (!pen && !(points[i + 1] === points[i + 1])) canvas.lineTo(x(i) + 1, y);
      pen = true;
    }
    canvas.stroke();
    if (step > 7 * r) {
      canvas.beginPath();
      const radius = Math.min(3.2 * r, step / 4);
      for (let i = 0; i < points.length; i++) {
        if (points[i] !== points[i]) continue;
        canvas.moveTo(x(i) + radius, lane.y(points[i]) + .5);
        canvas.arc(x(i), lane.y(points[i]) + .5, radius, 0, 7);
      }
      canvas.fill();
    }
    canvas.restore();
  }

  /// Round numbers, about so many.
  function ticks(low, high, about) {
    const raw = (high - low) / Math.max(1, about);
    if (!(raw > 0) || !isFinite(raw)) return [];
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(m => m * power).find(step => step >= raw) || raw;
    const found = [];
    for (let i = Math.ceil(low / step); i * step <= high && found.length < 50; i++) found.push(i * step);
    return found;
  }

  function short(value, step) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e7 || size < 1e-4) return value.toExponential(Math.min(4, Math.max(0, Math.ceil(Math.log10(size / step)) || 0))).replace("e+", "e").replace(/^-/, "−");
    const digits = clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 12);
    return plainly(value.toFixed(digits)).replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, "\u202f");
  }

  function drawAxis(canvas, shot, lane) {
    const r = ratio();
    const list = ticks(lane.low, lane.high, lane.height / (52 * r)), step = list.length > 1 ? list[1] - list[0] : lane.high - lane.low;
    canvas.fillStyle = css("--faint");
    canvas.textAlign = "right";
    canvas.textBaseline = "middle";
    for (const value of list) {
      const y = lane.y(value);
      canvas.fillStyle = css("--line");
      canvas.fillRect(shot.left, y, shot.width, Math.max(1, Math.floor(r)));
      canvas.fillStyle = css("--faint");
      canvas.fillText(short(value, step), shot.left - 8 * r, y);
    }
    if (view.lanes && lane.inside[0]) {
      canvas.textAlign = "left";
      canvas.textBaseline = "top";
      canvas.fillStyle = colour(lane.inside[0].index);
      canvas.fillText(lane.inside[0].name, shot.left + 6 * r, lane.top + 4 * r);
    }
  }

  function drawPositions(canvas, shot) {
    const r = ratio(), list = ticks(shot.from, shot.from + shot.span - 1, shot.width / (120 * r)).filter(Number.isInteger);
    canvas.textAlign = "center";
    canvas.textBaseline = "top";
    canvas.fillStyle = css("--faint");
    for (const position of list) {
      const x = shot.left + columnOf(shot, position), text = shown(position);
      const half = canvas.measureText(text).width / 2;
      canvas.fillRect(x, shot.top + shot.height + 2 * r, Math.max(1, Math.floor(r)), 4 * r);
      canvas.fillText(text, clamp(x, half, plot.width - half - 2), shot.top + shot.height + 9 * r);
    }
  }

  function drawCursor(canvas, shot) {
    if (cursor === null) return;
    const c = columnOf(shot, cursor);
    if (c < 0 || c >= shot.width) return;
    canvas.globalAlpha = .45;
    canvas.fillStyle = css("--ink");
    canvas.fillRect(shot.left + c, shot.top, Math.max(1, Math.floor(ratio())), shot.height);
    canvas.globalAlpha = 1;
  }

  function drawMarks(canvas, shot) {
    const r = ratio(), labels = [];
    marks.forEach((mark, i) => {
      const lane = shot.lanes.find(({inside}) => inside.some(one => one.index === mark.series));
      const c = columnOf(shot, mark.position);
      if (!lane || c < 0 || c >= shot.width) return;
      const x = shot.left + c + .5, y = lane.y(Number(mark.value)) + .5;
      canvas.beginPath();
      canvas.arc(x, y, 5.5 * r, 0, 7);
      canvas.fillStyle = css("--paper");
      canvas.fill();
      canvas.lineWidth = 2 * r;
      canvas.strokeStyle = css("--warn");
      canvas.stroke();
      if (marks.length > 1 && labels.every(other => Math.abs(other - x) > 14 * r)) {
        labels.push(x);
        canvas.fillStyle = css("--ink");
        canvas.textAlign = "center";
        canvas.textBaseline = mark.order === "max" ? "bottom" : "top";
        canvas.fillText(i + 1, x, y + (mark.order === "max" ? -9 : 9) * r);
      }
    });
  }

  function drawChosen(canvas, shot) {
    if (!chosen) return;
    const [from, to] = [columnOf(shot, chosen[0]), columnOf(shot, chosen[1])].map(c => clamp(c, -1, shot.width));
    canvas.fillStyle = css("--shade");
    canvas.fillRect(shot.left + from, shot.top, to - from + 1, shot.height);
    if (!told) return;
    // What was looked at, level by level, at the foot.
    const r = ratio(), height = 5 * r, names = Object.keys(LEVELS);
    for (const look of told.looks) {
      const [a, b] = [columnOf(shot, look.elements[0]), columnOf(shot, look.elements[1] - 1)].map(c => clamp(c, -1, shot.width));
      const row = names.indexOf(look.level);
      canvas.fillStyle = LEVELS[look.level];
      canvas.globalAlpha = look.purpose === "candidates" ? .9 : .45;
      canvas.fillRect(shot.left + a, shot.top + shot.height - (names.length - row) * (height + 2 * r), Math.max(2 * r, b - a + 1), height);
    }
    canvas.globalAlpha = 1;
  }

  // ---- The strip below -----------------------------------------------------------------------------------------------------

  async function refreshOverview() {
    fit(overview);
    const width = overview.width, list = visible();
    try {
      const data = new Map();
      await Promise.all(list.map(async one => {
        if (length >= POINTS_PER_COLUMN * width) data.set(one.index, await source.columns(one.index, one.dtype, 0, length, width));
        else {
          const points = await source.points(one.index, one.dtype, 0, length);
          if (points) data.set(one.index, {points});
        }
      }));
      whole = {data, width};
      drawOverview();
    } catch (trouble) {
      fail(trouble);
    }
  }

  function drawOverview() {
    if (!whole) return;
    const canvas = overview.getContext("2d"), {width, height} = overview, r = ratio();
    canvas.clearRect(0, 0, width, height);
    const [low, high] = extent(whole, visible()), room = 5 * r;
    const y = value => room + (height - 2 * room) * (1 - (clamp(value, low, high) - low) / (high - low));
    for (const one of visible()) {
      const data = whole.data.get(one.index);
      if (!data) continue;
      canvas.fillStyle = canvas.strokeStyle = colour(one.index);
      canvas.globalAlpha = .55;
      if (data.points) {
        canvas.beginPath();
        data.points.forEach((value, i) => canvas.lineTo((i + .5) / length * width, y(value)));
        canvas.stroke();
      } else {
        for (let c = 0; c < data.low.length; c++) {
          if (data.low[c] === data.low[c]) canvas.fillRect(c, y(data.high[c]), 1, Math.max(1, y(data.low[c]) - y(data.high[c])));
        }
      }
    }
    canvas.globalAlpha = 1;
    const left = view.from / length * width, right = (view.from + view.span) / length * width;
    canvas.fillStyle = css("--paper");
    canvas.globalAlpha = .66;
    canvas.fillRect(0, 0, left, height);
    canvas.fillRect(right, 0, width - right, height);
    canvas.globalAlpha = 1;
    canvas.strokeStyle = css("--accent");
    canvas.lineWidth = 2 * r;
    canvas.strokeRect(clamp(left, r, width - 3 * r), r, Math.max(3 * r, right - left - 2 * r), height - 2 * r);
  }

  // ---- What is told --------------------------------------------------------------------------------------------------------

  function tell() {
    const shot = drawn, last = Math.min(length, Math.ceil(shot.from + shot.span)) - 1;
    const each = shot.points ? "" : ` · ${shown(shot.span / shot.width)} a column`;
    const speed = source.exact ? ` · ${answeredIn.toFixed(1)} ms` : "";
    $("range").textContent = `${shown(Math.floor(shot.from))} – ${shown(last)}${each}${speed}`;
    const scales = shot.lanes.map(({low, high}) => `${plainly(low)} to ${plainly(high)}`).join("; ");
    const text = `Positions ${shown(Math.floor(shot.from))} to ${shown(last)} of ${shown(length)}, values ${scales}.`;
    plot.setAttribute("aria-label", text);
    say(text);
  }

  let asking = false, askAgain = false;
  /// Tells what lies at the cursor, of every series.
  async function readout() {
    if (cursor === null || !drawn) return;
    if (asking) { askAgain = true; return; }
    asking = true;
    try {
      do {
        askAgain = false;
        const at = cursor, shot = drawn, c = columnOf(shot, at);
        const [from, to] = shot.points ? [at, at + 1] : elementsOf(shot, c);
        const list = visible().filter(one => at < one.length);
        const answers = await Promise.all(list.map(one => source.at(one.index, at, from, to)));
        if (document.activeElement !== $("position")) $("position").value = shown(at);
        const parts = [], spoken = [`Position ${shown(at)}`];
        answers.forEach((answer, i) => {
          const part = document.createElement("span"), dot = document.createElement("i");
          dot.style.setProperty("--colour", colour(list[i].index));
          part.append(dot);
          const name = list.length > 1 ? `${list[i].name} ` : "";
          const add = (label, what) => {
            const strong = document.createElement("b");
            strong.textContent = plainly(what.value);
            part.append(label, strong);
          };
          if (answer.value !== null) add(name, answer); else part.append(name);
          spoken.push(`${name}${plainly(answer.value ?? "")}`);
          if (to - from > 1 && answer.low) {
            const where = one => one.width > 1 ? ` in ${shown(one.position)} – ${shown(one.position + one.width - 1)}` : ` at ${shown(one.position)}`;
            add(" · column min ", answer.low);
            part.append(where(answer.low));
            add(" max ", answer.high);
            part.append(where(answer.high));
            spoken.push(`minimum ${plainly(answer.low.value)} at ${shown(answer.low.position)}, maximum ${plainly(answer.high.value)} at ${shown(answer.high.position)}`);
          }
          parts.push(part);
        });
        $("values").replaceChildren(...parts);
        say(spoken.join(", "));
      } while (askAgain);
    } catch (trouble) {
      fail(trouble);
    } finally {
      asking = false;
    }
  }

  function point(position) {
    cursor = clamp(Math.round(position), 0, length - 1);
    draw();
    return readout();
  }

  /// Goes to something that was found, and marks it.
  async function visit(found, order) {
    if (!found) { say("There is none."); return; }
    marks = [{...found, series: view.active, order}];
    cursor = found.position;
    reveal(found.position);
    draw();
    await readout();
  }

  const bounds = () => {
    const shot = settled(frame().width);
    return [Math.max(0, Math.floor(shot.from)), Math.min(active().length, Math.ceil(shot.from + shot.span))];
  };
  const guarded = work => async (...words) => { try { await work(...words); } catch (trouble) { fail(trouble); } };

  const toBest = guarded(async order => visit(await source.best(view.active, order, ...bounds()), order));
  const toNext = guarded(async side => {
    const at = cursor ?? Math.floor(view.from);
    await visit(await source.next(view.active, "min", at, side), "min");
  });

  const listBest = guarded(async order => {
    const [from, to] = bounds(), k = 10;
    const found = await source.smallest(view.active, order, from, to, k);
    marks = found.map(one => ({...one, series: view.active, order}));
    const list = document.createElement("ol");
    found.forEach(one => {
      const item = document.createElement("li"), button = document.createElement("button");
      const value = document.createElement("b"), place = document.createElement("small");
      value.textContent = plainly(one.value);
      place.textContent = `at ${shown(one.position)}`;
      button.append(value, place);
      button.onclick = () => { cursor = one.position; reveal(one.position); draw(); readout(); };
      item.append(button);
      list.append(item);
    });
    const about = document.createElement("p");
    about.textContent = `${active().name}, positions ${shown(from)} to ${shown(to - 1)}`;
    open(order === "max" ? "The largest in view" : "The smallest in view", [about, list], "list");
    draw();
    list.querySelector("button")?.focus();
  });

  function open(heading, parts, opener) {
    $("heading").textContent = heading;
    $("details").replaceChildren(...parts);
    $("side").hidden = false;
    $("list").setAttribute("aria-expanded", opener === "list");
    refresh();
  }

  function close() {
    const wasOpen = !$("side").hidden;
    $("side").hidden = true;
    $("list").setAttribute("aria-expanded", "false");
    marks = [];
    chosen = told = null;
    if (wasOpen) { plot.focus(); refresh(); } else draw();
  }

  // ---- How -----------------------------------------------------------------------------------------------------------------

  const WHY = {
    candidates: {
      table: "two windows that overlap cover all groups inside the range", blocks: "blocks inside the range, beside an end",
      lines: "lines inside the range, beside an end", elements: "the elements themselves, at an end",
    },
    may_open: {
      groups: "can this end hold something better? If not, it stays closed", blocks: "can the block at this end?",
      lines: "can the line at this end?", shapes: "is the group in order? Then its first or last element is the best",
    },
    place: {groups: "where in the winning group it lies", blocks: "where in the winning block it lies", lines: "where in the winning line it lies"},
  };
  const SIZES = {elements: 1, lines: 16, blocks: 256, groups: 4096, shapes: 4096};

  const explain = guarded(async (left, right, order = "min") => {
    if (!source.exact) { say("A page without the server cannot tell."); return; }
    chosen = [left, right];
    told = await source.how(view.active, order, left, right);
    const parts = [], lines = new Set();
    const add = (name, ...inside) => {
      const part = document.createElement(name);
      part.append(...inside);
      parts.push(part);
      return part;
    };
    add("p", `${order === "max" ? "Maximum" : "Minimum"} of positions ${shown(left)} to ${shown(right)}: `,
      Object.assign(document.createElement("b"), {textContent: plainly(told.value)}), ` at ${shown(told.position)}.`);
    told.looks.forEach((look, i) => {
      const part = document.createElement("div");
      part.className = "look";
      part.style.setProperty("--level", LEVELS[look.level]);
      const head = document.createElement("div"), name = document.createElement("b"), where = document.createElement("em");
      const one = look.counted[1] - look.counted[0] === 1;
      name.textContent = `${i + 1}. ${look.level}`;
      where.textContent = one ? `entry ${shown(look.counted[0])}` : `entries ${shown(look.counted[0])} – ${shown(look.counted[1] - 1)}`;
      head.append(name, where);
      part.append(head);
      const [first, end] = look.fetched;
      if (end - first === 16) {
        const cells = document.createElement("div");
        cells.className = "cells";
        for (let entry = first; entry < end; entry++) {
          const cell = document.createElement("i");
          if (entry >= look.counted[0] && entry < look.counted[1]) cell.className = look.purpose === "may_open" ? "asked" : "counted";
          cells.append(cell);
        }
        part.append(cells);
      } else if (look.level === "table") {
        const bar = document.createElement("div"), fill = document.createElement("i"), span = right - left + 1;
        bar.className = "span";
        fill.style.left = `${(look.elements[0] - left) / span * 100}%`;
        fill.style.width = `${(look.elements[1] - look.elements[0]) / span * 100}%`;
        bar.append(fill);
        part.append(bar);
      }
      const why = document.createElement("em");
      const size = look.level === "table" ? look.elements[1] - look.elements[0] : SIZES[look.level];
      why.textContent = `${WHY[look.purpose]?.[look.level] || look.purpose} (${shown(size)} ${size === 1 ? "element" : "elements"} an entry)`;
      part.append(why);
      parts.push(part);
      lines.add(`${look.purpose === "place" ? "place of " : ""}${look.level} ${Math.floor(first / 16)}`);
    });
    const span = right - left + 1;
    add("p", `${lines.size} cache ${lines.size === 1 ? "line" : "lines"}; a scan would have read ${shown(span)} ${span === 1 ? "element" : "elements"}.`).className = "sum";
    const other = document.createElement("button");
    other.textContent = order === "max" ? "the minimum" : "the maximum";
    other.onclick = () => explain(left, right, order === "max" ? "min" : "max");
    add("p", "The same for ", other);
    marks = [{position: told.position, value: told.value, series: view.active, order}];
    open("How it was answered", parts, "how");
  });

  // ---- Hands: pointer and wheel --------------------------------------------------------------------------------------------

  const pointers = new Map();
  let grip = null;
  const pixel = event => {
    const box = plot.getBoundingClientRect();
    return (event.clientX - box.left) * ratio() - (drawn ? drawn.left : frame().left);
  };
  const positionAt = x => view.from + x / frame().width * view.span;

  plot.addEventListener("pointerdown", event => {
    plot.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, pixel(event));
    const xs = [...pointers.values()];
    grip = {from: view.from, span: view.span, xs, at: xs.map(positionAt), moved: false};
    plot.classList.toggle("dragging", !view.how);
    plot.focus({preventScroll: true});
  });
  plot.addEventListener("pointermove", event => {
    const x = pixel(event);
    if (!pointers.has(event.pointerId)) {
      if (drawn && event.pointerType === "mouse" && x >= 0 && x < drawn.width) point(elementsOf(drawn, Math.floor(x))[0]);
      return;
    }
    pointers.set(event.pointerId, x);
    if (!grip) return;
    const xs = [...pointers.values()];
    if (Math.abs(xs[0] - grip.xs[0]) > 3 * ratio() || xs.length > 1) grip.moved = true;
    if (!grip.moved) return;
    if (xs.length > 1 && grip.at.length > 1) {
      // The elements under both fingers stay under them.
      const span = clamp(Math.abs((grip.at[1] - grip.at[0]) / Math.max(1, Math.abs(xs[1] - xs[0]))) * frame().width, 1, length);
      show(grip.at[0] - xs[0] / frame().width * span, span);
    } else if (view.how) {
      const ends = [grip.xs[0], x].map(x => clamp(Math.floor(x), 0, drawn.width - 1)).sort((a, b) => a - b);
      chosen = [elementsOf(drawn, ends[0])[0], Math.min(length, elementsOf(drawn, ends[1])[1]) - 1];
      told = null;
      draw();
    } else show(grip.from - (x - grip.xs[0]) / frame().width * grip.span, grip.span);
  });
  const release = event => {
    const x = pixel(event), was = grip;
    pointers.delete(event.pointerId);
    plot.classList.remove("dragging");
    const xs = [...pointers.values()];
    grip = xs.length ? {from: view.from, span: view.span, xs, at: xs.map(positionAt), moved: true} : null;
    if (event.type !== "pointerup" || !was || xs.length || !drawn) return;
    const inside = clamp(Math.floor(x), 0, drawn.width - 1);
    if (view.how && was.moved && chosen) explain(chosen[0], Math.min(chosen[1], active().length - 1));
    else if (view.how && !was.moved) explainColumn(inside);
    else if (!was.moved) point(elementsOf(drawn, inside)[0]);
  };
  plot.addEventListener("pointerup", release);
  plot.addEventListener("pointercancel", release);
  plot.addEventListener("dblclick", event => { if (!view.how) zoom(.25, positionAt(pixel(event))); });
  plot.addEventListener("wheel", event => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) pan((dx || dy) / plot.clientWidth);
    else zoom(Math.exp(clamp(dy, -400, 400) * (event.ctrlKey ? .01 : .0022)), positionAt(pixel(event)));
  }, {passive: false});

  function explainColumn(c) {
    const [from, to] = elementsOf(drawn, c);
    explain(from, Math.min(to, active().length) - 1);
  }

  let sliding = null;
  const slide = event => {
    const box = overview.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * length;
    if (event.type === "pointerdown") {
      overview.setPointerCapture(event.pointerId);
      const inside = at >= view.from && at < view.from + view.span && view.span < length;
      sliding = inside ? at - view.from : view.span / 2;
    }
    if (sliding !== null) show(at - sliding, view.span);
  };
  overview.addEventListener("pointerdown", slide);
  overview.addEventListener("pointermove", event => { if (sliding !== null) slide(event); });
  overview.addEventListener("pointerup", () => { sliding = null; });
  overview.addEventListener("pointercancel", () => { sliding = null; });

  // ---- Keys and buttons ----------------------------------------------------------------------------------------------------

  function toggle(button, is) { $(button).setAttribute("aria-pressed", String(is)); }
  function setHow(is) {
    view.how = is;
    toggle("how", is);
    plot.classList.toggle("choosing", is);
    if (!is) close();
    else say("Drag over a range, or press Enter for the column at the cursor.");
  }
  function setTheme(dark) {
    document.documentElement.classList.toggle("dark", dark);
    legend();
    draw();
    drawOverview();
  }
  function setActive(index) {
    view.active = (index + series.length) % series.length;
    legend();
    say(`${active().name} is asked`);
  }
  function setVisible(index, is) {
    series[index].visible = is;
    legend();
    scale = null;
    refresh();
    refreshOverview();
  }
  function step(columns, elements) {
    if (!drawn) return;
    const at = cursorInView() ?? Math.floor(view.from + view.span / 2);
    if (elements) { reveal(clamp(at + elements, 0, length - 1)); return point(at + elements); }
    const c = columnOf(drawn, at) + columns;
    if (drawn.points) { reveal(clamp(at + columns, 0, length - 1)); return point(at + columns); }
    if (c < 0 || c >= drawn.width) pan(columns * .2);
    return point(clamp(elementsOf(drawn, c)[0], 0, length - 1));
  }

  const KEYS = {
    ArrowLeft: event => pan(event.shiftKey ? -1 : -.2),
    ArrowRight: event => pan(event.shiftKey ? 1 : .2),
    ArrowUp: () => zoom(.5),
    ArrowDown: () => zoom(2),
    "+": () => zoom(.5),
    "=": () => zoom(.5),
    "-": () => zoom(2),
    "0": () => show(0, length),
    Home: () => show(0, view.span),
    End: () => show(length - view.span, view.span),
    ",": () => step(-1, 0),
    ".": () => step(1, 0),
    "<": () => step(0, -1),
    ">": () => step(0, 1),
    ";": () => step(0, -1),
    ":": () => step(0, 1),
    m: () => toBest("min"),
    M: () => toBest("max"),
    n: () => toNext("right"),
    N: () => toNext("left"),
    k: () => listBest("min"),
    K: () => listBest("max"),
    g: () => { $("position").focus(); $("position").select(); },
    h: () => setHow(!view.how),
    l: () => { view.lanes = !view.lanes; toggle("lanes", view.lanes); scale = null; draw(); },
    y: () => { view.locked = !view.locked; toggle("lock", view.locked); draw(); },
    t: () => setTheme(!isDark()),
    "[": () => setActive(view.active - 1),
    "]": () => setActive(view.active + 1),
    "?": () => $("keys").showModal(),
    Escape: () => { if (view.how && $("side").hidden) setHow(false); else close(); },
    Enter: () => {
      if (!drawn) return;
      const at = cursorInView() ?? view.from + view.span / 2;
      if (view.how) explainColumn(clamp(columnOf(drawn, Math.floor(at)), 0, drawn.width - 1));
      else show(at - view.span / 20, view.span / 10);
    },
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open || !series.length) return;
    const inField = event.target.closest("input"), onButton = event.target.closest("button");
    if (inField) { if (event.key === "Escape") plot.focus(); return; }
    if (onButton && (event.key === "Enter" || event.key === " ")) return;
    if (/^[1-9]$/.test(event.key) && series[event.key - 1]) {
      setVisible(event.key - 1, !series[event.key - 1].visible);
    } else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key](event);
    else return;
    event.preventDefault();
  });
  const BUTTONS = {whole: "0", in: "+", out: "-", minimum: "m", maximum: "M", next: "n", list: "k", how: "h", lanes: "l", lock: "y", theme: "t", help: "?"};
  for (const [id, key] of Object.entries(BUTTONS)) $(id).onclick = event => KEYS[key](event);
  $("close").onclick = close;
  $("goto").addEventListener("submit", event => {
    event.preventDefault();
    const position = Number($("position").value.replace(/[^0-9.e]/g, ""));
    if (!Number.isFinite(position)) return;
    const at = clamp(Math.floor(position), 0, length - 1);
    plot.focus();
    reveal(at);
    point(at);
  });

  function legend() {
    $("legend").replaceChildren(...series.map(one => {
      const chip = document.createElement("button"), dot = document.createElement("i"), name = document.createElement("span"), about = document.createElement("small");
      chip.className = `chip${series.length > 1 && one.index === view.active ? " active" : ""}`;
      chip.style.setProperty("--colour", colour(one.index));
      chip.setAttribute("aria-pressed", String(one.visible));
      chip.title = `${one.name}: click to show or hide, Shift and click to ask this one`;
      name.textContent = one.name;
      const finest = one.finest > 1 ? `, ${shown(one.finest)} a bucket` : "";
      about.textContent = `${shown(one.length)} × ${one.dtype}${finest}`;
      chip.append(dot, name, about);
      chip.onclick = event => event.shiftKey ? setActive(one.index) : setVisible(one.index, !one.visible);
      return chip;
    }));
  }

  // ---- Beginning -----------------------------------------------------------------------------------------------------------

  function fromHash() {
    const [from, span] = location.hash.slice(1).split(",").map(Number);
    if (from >= 0 && span > 0) show(from, span); else show(0, length);
  }

  let shownReady = 0;
  async function poll() {
    let wait = 2000;
    try {
      const state = await source.state();
      if (!series.length) {
        series = state.series.map((one, index) => ({...one, index, visible: true}));
        length = Math.max(1, ...series.map(one => one.length));
        if (source.title) $("title").textContent = source.title;
        else if (series.length === 1) document.title = `${series[0].name} · thalweg view`;
        legend();
      }
      state.series.forEach((one, i) => Object.assign(series[i], one));
      const trouble = state.series.map(one => one.trouble).find(Boolean);
      if (trouble) complain(`${trouble[0].toUpperCase()}${trouble.slice(1)}. Start thalweg view again to see it as it is now.`);
      const ready = series.filter(one => one.ready).length;
      const waiting = ready < series.length && !trouble;
      $("progress").hidden = !waiting || ready > 0;
      if (waiting) {
        wait = 80;
        const total = series.reduce((sum, one) => sum + one.length, 0), done = series.reduce((sum, one) => sum + one.done, 0);
        $("bar").value = total ? done / total : 1;
        $("done").textContent = `${shown(done)} of ${shown(total)} elements`;
      }
      if (ready !== shownReady) {
        if (!shownReady) fromHash(); else refresh();
        shownReady = ready;
        refreshOverview();
      }
    } catch (trouble) {
      fail(trouble);
    }
    if (source.exact) setTimeout(poll, wait);
  }

  document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", event => setTheme(event.matches));
  new ResizeObserver(() => { if (shownReady) { refresh(); refreshOverview(); } }).observe($("stage"));
  window.addEventListener("hashchange", fromHash);
  if (!source.exact) { $("how").disabled = true; $("how").title = "Needs the server: thalweg view"; }
  plot.focus();
  poll();

  // For those who test it.
  window.thalwegView = {
    get idle() { return !busy && !again && !asking && shownReady > 0; },
    get draws() { return draws; },
    get view() { return {from: view.from, span: view.span}; },
    get cursor() { return cursor; },
    get shot() {
      return drawn && {from: drawn.from, span: drawn.span, points: drawn.points, left: drawn.left, top: drawn.top, width: drawn.width, height: drawn.height,
        lanes: drawn.lanes.map(({top, height, low, high}) => ({top, height, low, high}))};
    },
    get marks() { return marks.map(({position, value}) => ({position, value})); },
    colour,
    show,
  };
})();
