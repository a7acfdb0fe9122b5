// ---- drawing.js: the canvas of frames ----

const ROW = 19, FONT = '11.5px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const canvas = $('canvas'), ctx = canvas.getContext('2d'), scroller = $('scroll');
let metric = D.byTime ? 'time' : 'count';
let left = new Float64Array(0);
let zoomed = 0, flipped = false, hover = -1, cursor = -1;
let windows = [{from: 0, span: 1}, {from: 0, span: 1}]; // of callees and of callers
let matches = null; // by text: 1 if it matches the search
let found = [], current = -1; // matching nodes, the widest first, and which of them is shown
let dark = matchMedia('(prefers-color-scheme: dark)').matches, printing = false;
let palette = [], statePalette = [];

const V = () => values[metric], B = () => baseValues && baseValues[metric];
const all = () => stackValues[metric].total[0]; // what shares are of
const isTopDown = () => (wanted.name === 'inverted' || wanted.name === 'library') !== flipped;

function layout() {
  left = new Float64Array(tree.n);
  const cursors = [new Float64Array(tree.n), new Float64Array(tree.n)], total = V().total;
  for (let i = 1; i < tree.n; i++) {
    const p = tree.parent[i], c = cursors[tree.side[i]];
    left[i] = c[p];
    c[p] += total[i];
    c[i] = left[i];
  }
}

const percent = (part, of) => {
  const p = of ? 100 * part / of : 0;
  return (p >= 99.995 || p === 0 ? p.toFixed(0) : p >= 10 ? p.toFixed(1) : p >= 0.1 ? p.toFixed(2) : p.toFixed(3)) + ' %';
};
const points = d => (d > 0 ? '+' : d < 0 ? '\u2212' : '') + (100 * Math.abs(d)).toFixed(Math.abs(d) >= 0.1 ? 1 : 2) + ' pp';
const count = v => Math.round(v).toLocaleString('en');
const samples = v => count(v) + (v === 1 ? ' sample' : ' samples');
const bytes = v => v >= 1 << 30 ? (v / (1 << 30)).toFixed(2) + ' GiB' : v >= 1 << 20 ? (v / (1 << 20)).toFixed(1) + ' MiB' : count(v / 1024) + ' KiB';
const span = D.unit === 'bytes' ? bytes : D.unit === 'count' ? count : ns => ns >= 1e9 ? (ns / 1e9).toFixed(2) + ' s' : ns >= 1e6 ? (ns / 1e6).toFixed(1) + ' ms' : (ns / 1e3).toFixed(0) + ' \u00b5s';
const amount = v => metric === 'time' ? span(v) : count(v);

/** How the share of a node, or of anything with these figures, differs from the baseline. */
const changeOf = (part, square, partBase, squareBase) => {
  const [p, n] = shareOf(stackValues, part, square), [q, nBase] = shareOf(stackBase, partBase, squareBase);
  return difference(p, n, q, nBase);
};
/** A share, and the number of samples that it follows from. */
function shareOf(of, part, square) {
  const total = of[metric].total[0];
  return [total ? part / total : 0, metric === 'time' ? effective(part, square, total, of.square.total[0]) : total];
}
const changeAt = i => changeOf(V().total[i], values.square.total[i], B().total[i], baseValues.square.total[i]);

// One hue for each kind, told apart by lightness, too; four shades, so that neighbours can be told apart.
const HUES = D.kinds.map(k => k.color);
const shade = (k, i) => {
  const [h, s, l] = HUES[k];
  return dark && !printing ? `hsl(${h} ${Math.round(s * .7)}% ${Math.max(40, l - 12) + i * 2}%)` : `hsl(${h} ${s}% ${l + i * 1.7}%)`;
};
// What uses the CPU is warm, what waits for another thread blue to violet, for the outside green.
const STATE_HUES = {
  'on CPU': [28, 92, 66], 'waiting for a CPU': [2, 78, 70], 'monitor': [252, 62, 72], 'park': [214, 52, 76], 'Object.wait': [228, 50, 80],
  'native lock': [276, 48, 72], 'lock of the JVM': [300, 34, 76], 'sleep': [200, 14, 80], 'socket': [150, 46, 66], 'file': [84, 48, 62],
  'pipe': [68, 46, 64], 'epoll': [178, 34, 76], 'child process': [48, 70, 66], 'page fault': [336, 62, 74]
};
const stateShade = (state, i) => {
  const [h, s, l] = STATE_HUES[states[state]] || [40, 8, 78];
  return dark && !printing ? `hsl(${h} ${Math.round(s * .7)}% ${Math.max(40, l - 14) + i * 2}%)` : `hsl(${h} ${s}% ${l + i * 1.7}%)`;
};
/** The colour of a node where nothing is compared. */
const nodeColor = (i, i4) => stateOf ? statePalette[stateOf[i]][i4] : palette[tree.kind[i]][i4];

/** Orange for more, blue for less, grey for noise: told apart by all eyes. */
function changeColor(change) {
  const night = dark && !printing;
  if (change.isNoise) return night ? '#8d9097' : '#dedcd8';
  const strength = Math.min(1, .25 + Math.abs(change.d) * 12);
  return change.d > 0 ? `hsl(26 ${60 + 40 * strength}% ${night ? 60 - 12 * strength : 84 - 32 * strength}%)` : `hsl(203 ${50 + 50 * strength}% ${night ? 62 - 12 * strength : 86 - 36 * strength}%)`;
}
function paint() {
  document.documentElement.dataset.theme = dark && !printing ? 'dark' : 'light';
  const night = dark && !printing;
  palette = HUES.map((_, k) => [0, 1, 2, 3].map(i => shade(k, i)));
  statePalette = states.map((_, s) => [0, 1, 2, 3].map(i => stateShade(s, i)));
  palette.page = getComputedStyle(document.documentElement).getPropertyValue('--card');
  palette.ink = night ? '#0d0e10' : '#241f16';
  palette.match = night ? '#f07fc0' : '#ec6fb4';
  palette.edge = night ? '#ffffff' : '#1f1d1a';
  palette.current = night ? '#ffe14d' : '#111111';
  for (const i of document.querySelectorAll('[data-kind]')) i.style.background = palette[i.dataset.kind][1];
  for (const i of document.querySelectorAll('[data-change]')) i.style.background = changeColor({d: +i.dataset.change, isNoise: i.dataset.change === '0'});
  for (const i of document.querySelectorAll('[data-state]')) i.style.background = statePalette[i.dataset.state][1];
}

// What fits: the whole text, the text without package, module or parameters, its beginning.
const short = [];
function shortText(i) {
  if (short[i] === undefined) {
    let s = texts[i].slice(0, 1000);
    const module = s.lastIndexOf(' [');
    if (module > 0) s = s.slice(0, module);
    else if (!s.includes('+0x')) { // a function that is called by its library
      const dots = s.split('.');
      if (dots.length > 2 && !/[\s(<\/]/.test(dots.slice(0, -2).join(''))) s = dots.slice(-2).join('.');
    }
    const parameters = s.indexOf('(', 1);
    if (parameters > 0 && !s.startsWith('[') && !s.includes('operator()') && !s.includes('(anonymous')) s = s.slice(0, parameters);
    short[i] = s;
  }
  return short[i];
}
function fit(i, chars) {
  const s = texts[i];
  if (s.length <= chars) return s;
  const t = shortText(i);
  return t.length <= chars ? t : chars < 3 ? '' : t.slice(0, chars - 1) + '\u2026';
}

const firstEndingAfter = (ids, a, b, x) => { const total = V().total; while (a < b) { const m = (a + b) >> 1; if (left[ids[m]] + total[ids[m]] <= x) a = m + 1; else b = m; } return a; };

const graphHeight = () => Math.max(tree.levels.length * ROW + 6, printing ? 0 : scroller.clientHeight);
const rowTop = l => isTopDown() ? (l - tree.least) * ROW + 3 : graphHeight() - (l - tree.least + 1) * ROW - 3;
const MAX_PRINTED = 6000;

function draw() {
  const w = scroller.clientWidth, h = printing ? Math.min(MAX_PRINTED, graphHeight()) : scroller.clientHeight, ratio = printing ? 2 : devicePixelRatio || 1;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
    canvas.style.height = h + 'px';
  }
  $('space').style.height = graphHeight() + 'px';
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = palette.page;
  ctx.fillRect(0, 0, w, h);
  ctx.font = FONT;
  ctx.textBaseline = 'middle';
  const char = ctx.measureText('mmmmmmmmmm').width / 10, total = V().total;
  // What is printed is a page's worth, from the root on.
  const scroll = printing ? (isTopDown() ? 0 : graphHeight() - h) : scroller.scrollTop;
  for (let l = tree.least; l <= tree.most; l++) {
    const y = rowTop(l) - scroll;
    if (y > h || y < -ROW) continue;
    const ids = tree.levels[l - tree.least], {from, span: wide} = windows[l < 0 ? 1 : 0], scale = w / wide, stop = from + wide;
    let shadow = 0;
    for (let j = firstEndingAfter(ids, 0, ids.length, from); j < ids.length; j++) {
      const i = ids[j];
      if (left[i] >= stop) break;
      if (!total[i]) continue;
      const x = Math.max(0, (left[i] - from) * scale), right = Math.min(w, (left[i] + total[i] - from) * scale);
      if (right - x >= 0.4) drawFrame(i, x, y, right - x, char);
      else if (x >= shadow) { // Too narrow to be seen: one line for all within a pixel.
        ctx.globalAlpha = matches && !matches[tree.text[i]] ? 0.15 : 0.45;
        ctx.fillStyle = matches && matches[tree.text[i]] ? palette.match : baseValues ? changeColor(changeAt(i)) : nodeColor(i, 1);
        ctx.fillRect(x, y, 1, ROW - 1);
        shadow = x + 1;
      }
    }
  }
  ctx.globalAlpha = 1;
  if (!V().total[0]) {
    ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--soft');
    ctx.fillText('No samples are chosen: choose another time, thread, state or kind.', 14, Math.min(h - 14, 40));
  }
  if (wanted.name === 'function') mark(0, palette.edge, w, scroll);
  if (current >= 0) mark(found[current], palette.current, w, scroll);
  if (cursor >= 0) mark(cursor, palette.edge, w, scroll);
}

/** A border around a node, wide enough to be seen. */
function mark(i, color, w, scroll) {
  const {from, span: wide} = windows[tree.side[i]], scale = w / wide;
  const x = (left[i] - from) * scale, width = Math.max(7, V().total[i] * scale), y = rowTop(tree.level[i]) - scroll;
  if (x > w || x + width < 0) return;
  const a = Math.max(1, Math.min(x, w - 8)), b = Math.min(w - 1, x + width);
  ctx.strokeStyle = palette.page;
  ctx.lineWidth = 5;
  ctx.strokeRect(a, y, b - a, ROW - 1);
  ctx.strokeStyle = color;
  ctx.lineWidth = 2.5;
  ctx.strokeRect(a, y, b - a, ROW - 1);
}

function drawFrame(i, x, y, wide, char) {
  const text = tree.text[i], isMatch = matches && matches[text];
  const dim = matches && !isMatch, beneath = i < zoomed && zoomed < tree.end[i], night = dark && !printing;
  ctx.globalAlpha = dim ? 0.3 : beneath ? (night ? 0.4 : 0.6) : 1;
  ctx.fillStyle = isMatch ? palette.match : baseValues ? changeColor(changeAt(i)) : nodeColor(i, (text * 7 + 3) & 3);
  const gap = wide > 4 ? 0.8 : 0;
  ctx.fillRect(x, y, wide - gap, ROW - 1);
  if (hover >= 0 && hover < tree.n && text === tree.text[hover] && wide > 1) {
    ctx.globalAlpha = i === hover ? 1 : 0.55;
    ctx.strokeStyle = palette.edge;
    ctx.lineWidth = i === hover ? 1.6 : 1;
    ctx.strokeRect(x + .8, y + .8, Math.max(0.5, wide - gap - 1.6), ROW - 2.6);
  }
  const chars = Math.floor((wide - 8) / char);
  if (chars >= 3) {
    const label = fit(text, chars);
    if (label) {
      ctx.globalAlpha = dim ? 0.55 : 1;
      ctx.fillStyle = night && (dim || beneath) ? '#eceae6' : palette.ink; // what is faint is dark there
      ctx.fillText(label, x + 4, y + ROW / 2 + .5, wide - 6);
    }
  }
  ctx.globalAlpha = 1;
}

let queued = false;
function redraw() {
  if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; draw(); }); }
}

function nodeAt(event) {
  const box = canvas.getBoundingClientRect(), total = V().total;
  const y = event.clientY - box.top + scroller.scrollTop, x = event.clientX - box.left;
  const l = (isTopDown() ? Math.floor((y - 3) / ROW) : Math.floor((graphHeight() - 3 - y) / ROW)) + tree.least;
  if (l < tree.least || l > tree.most) return -1;
  const {from, span: wide} = windows[l < 0 ? 1 : 0];
  const v = from + x / scroller.clientWidth * wide, ids = tree.levels[l - tree.least];
  const j = firstEndingAfter(ids, 0, ids.length, v);
  return j < ids.length && left[ids[j]] <= v && total[ids[j]] / wide * scroller.clientWidth >= 0.4 ? ids[j] : -1;
}
