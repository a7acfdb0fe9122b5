// ---- strip.js: samples over time; a column is a stretch of time, read downwards ----

const strip = $('strip'), stripCtx = strip.getContext('2d');
const MIN_COLUMN = 4, MAX_CELL_ROWS = 25, MIN_CELLS = 10;
let stripView = [0, Math.max(1, D.cells)]; // cells
let dragFrom = -1, dragsBase = false;

const cellTime = cell => cell * D.cellMillis / 1e3; // seconds from the beginning
function timeText(s) {
  const digits = D.cellMillis < 1000 ? (D.cellMillis < 100 ? 2 : 1) : 0;
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, rest = (s % 60).toFixed(digits);
  return s < 60 ? rest + ' s' : (h ? h + ':' + String(m).padStart(2, '0') : m) + ':' + rest.padStart(digits ? 3 + digits : 2, '0');
}

/** How cells lie: columns of some cells each, of which each row is one or more. */
function stripShape() {
  const w = strip.clientWidth, cells = stripView[1] - stripView[0];
  const perColumn = Math.max(1, Math.ceil(cells / Math.max(1, Math.floor(w / MIN_COLUMN)))), columns = Math.ceil(cells / perColumn);
  const perRow = Math.ceil(perColumn / MAX_CELL_ROWS), rows = Math.ceil(perColumn / perRow);
  return {w, h: strip.clientHeight, perColumn, columns, perRow, rows, wide: w / (cells / perColumn)};
}

function heat(share) {
  if (!share) return null;
  const s = Math.sqrt(share);
  return dark && !printing ? `hsl(${48 - 34 * s} ${60 + 35 * s}% ${20 + 52 * s}%)` : `hsl(${50 - 42 * s} ${80 + 10 * s}% ${90 - 52 * s}%)`;
}

function drawStrip() {
  if (!hasTimes) return;
  const {w, h, perColumn, columns, perRow, rows, wide} = stripShape(), ratio = printing ? 2 : devicePixelRatio || 1;
  strip.width = Math.round(w * ratio); strip.height = Math.round(h * ratio);
  stripCtx.setTransform(ratio, 0, 0, ratio, 0, 0);
  stripCtx.fillStyle = palette.page;
  stripCtx.fillRect(0, 0, w, h);
  const parts = new Float64Array(columns * rows);
  let most = 0;
  for (let c = stripView[0]; c < stripView[1]; c++) {
    const i = c - stripView[0], part = Math.floor(i / perColumn) * rows + Math.floor(i % perColumn / perRow);
    parts[part] += cellSums[c];
    most = Math.max(most, parts[part]);
  }
  const high = h / rows;
  for (let x = 0; x < columns; x++) {
    for (let y = 0; y < rows; y++) {
      const color = heat(most ? parts[x * rows + y] / most : 0);
      if (!color) continue;
      stripCtx.fillStyle = color;
      stripCtx.fillRect(x * wide, y * high, Math.max(1, wide - (wide > 5 ? .6 : 0)), Math.max(1, high - (high > 4 ? .6 : 0)));
    }
  }
  const style = getComputedStyle(document.documentElement);
  if (Array.isArray(chosen.base)) drawRange(chosen.base, style.getPropertyValue('--base'), [5, 3]);
  if (chosen.range) drawRange(chosen.range, style.getPropertyValue('--accent'), []);
  $('stripScale').textContent = 'a column is ' + spanText(perColumn) + (rows > 1 ? ', a cell ' + spanText(perRow) : '') + ', of at most ' + (D.wall ? span(most) : samples(most)) + '; wheel: zoom';
}
const spanText = cells => { const ms = cells * D.cellMillis; return ms < 1000 ? ms + ' ms' : ms < 120e3 ? +(ms / 1e3).toFixed(2) + ' s' : +(ms / 60e3).toFixed(1) + ' min'; };

function drawRange([from, to], color, dash) {
  const {w, h} = stripShape(), scale = w / (stripView[1] - stripView[0]);
  const a = (from - stripView[0]) * scale, b = (to - stripView[0]) * scale;
  stripCtx.strokeStyle = color;
  stripCtx.lineWidth = 2;
  stripCtx.setLineDash(dash);
  stripCtx.strokeRect(a + 1, 1, Math.max(2, b - a - 2), h - 2);
  stripCtx.setLineDash([]);
  stripCtx.globalAlpha = .13;
  stripCtx.fillStyle = color;
  stripCtx.fillRect(a, 0, b - a, h);
  stripCtx.globalAlpha = 1;
}

const inStrip = cell => Math.max(0, Math.min(D.cells, cell));
function cellAt(event, roundUp) {
  const {w, perColumn} = stripShape(), box = strip.getBoundingClientRect();
  const i = (event.clientX - box.left) / w * (stripView[1] - stripView[0]);
  return inStrip(stripView[0] + (roundUp ? Math.floor(i / perColumn) + 1 : Math.floor(i / perColumn)) * perColumn);
}

function setRange(from, to, isBase) {
  const range = [inStrip(Math.min(from, to)), inStrip(Math.max(from, to))];
  if (range[1] - range[0] < 1) return;
  if (isBase) chosen.base = range; else chosen.range = range;
  changed();
}

function zoomStrip(factor, center) {
  const cells = stripView[1] - stripView[0], wish = Math.max(Math.min(MIN_CELLS, D.cells), Math.min(D.cells, Math.round(cells * factor)));
  const from = Math.max(0, Math.min(D.cells - wish, Math.round(center - (center - stripView[0]) * wish / cells)));
  stripView = [from, from + wish];
  drawStrip(); showRange();
}

function showRange() {
  if (!hasTimes) return;
  const text = ([a, b]) => timeText(cellTime(a)) + ' \u2013 ' + timeText(cellTime(b));
  const base = Array.isArray(chosen.base) ? text(chosen.base) : chosen.base === 'rest' ? 'the rest' : '';
  $('rangeText').textContent = (chosen.range ? 'Range ' + text(chosen.range) : 'All time: ' + timeText(cellTime(D.cells)) + (D.cells > 1 ? ' from ' + new Date(D.startMillis).toISOString().slice(0, 19).replace('T', ' ') + ' UTC. Drag to choose a range.' : ''))
    + (base ? ' compared with ' + base : '');
  $('rangeAll').disabled = !chosen.range && !Array.isArray(chosen.base) && chosen.base !== 'rest';
  $('baseline').setAttribute('aria-pressed', dragsBase);
  $('rest').setAttribute('aria-pressed', chosen.base === 'rest');
  $('rest').disabled = !chosen.range;
  $('baseline').disabled = !chosen.range && !dragsBase;
  $('swap').hidden = !(chosen.range && Array.isArray(chosen.base));
  $('stripOut').hidden = stripView[1] - stripView[0] === D.cells;
}

function wireStrip() {
  if (!hasTimes) return;
  $('time').hidden = false;
  strip.addEventListener('pointerdown', e => {
    if (e.button) return;
    dragFrom = cellAt(e, false);
    if (e.shiftKey) dragsBase = true;
    strip.setPointerCapture(e.pointerId);
  });
  const drag = e => {
    if (dragFrom < 0) return null;
    const to = cellAt(e, false), step = stripShape().perColumn;
    return [Math.min(dragFrom, to), Math.min(D.cells, Math.max(dragFrom, to) + step)];
  };
  strip.addEventListener('pointermove', e => {
    const range = drag(e);
    if (!range) {
      const cell = cellAt(e, false);
      strip.title = timeText(cellTime(cell)) + ' after the beginning';
      return;
    }
    drawStrip();
    drawRange(range, getComputedStyle(document.documentElement).getPropertyValue(dragsBase ? '--base' : '--accent'), []);
  });
  strip.addEventListener('pointerup', e => {
    const range = drag(e), isBase = dragsBase;
    dragFrom = -1;
    dragsBase = false;
    if (range) setRange(range[0], range[1], isBase);
  });
  strip.addEventListener('pointercancel', () => { dragFrom = -1; drawStrip(); });
  strip.addEventListener('wheel', e => {
    zoomStrip(e.deltaY > 0 ? 1.5 : 1 / 1.5, cellAt(e, false));
    e.preventDefault();
  }, {passive: false});
  strip.addEventListener('keydown', e => {
    const step = stripShape().perColumn, range = chosen.range || [stripView[0], Math.min(D.cells, stripView[0] + 10 * step)];
    if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
      const by = e.key === 'ArrowLeft' ? -step : step;
      if (!chosen.range) setRange(range[0], range[1], false);
      else if (e.shiftKey) setRange(range[0], Math.max(range[0] + step, range[1] + by), false);
      else if (range[0] + by >= 0 && range[1] + by <= D.cells) setRange(range[0] + by, range[1] + by, false);
    } else if (e.key === '+' || e.key === '-') zoomStrip(e.key === '-' ? 1.5 : 1 / 1.5, chosen.range ? chosen.range[0] : stripView[0]);
    else return;
    e.preventDefault(); e.stopPropagation();
  });
  $('rangeAll').onclick = () => { chosen.range = null; chosen.base = D.before ? 'before' : null; dragsBase = false; changed(); };
  $('baseline').onclick = () => { dragsBase = !dragsBase; showRange(); };
  $('rest').onclick = () => { chosen.base = chosen.base === 'rest' ? (D.before ? 'before' : null) : 'rest'; changed(); };
  $('swap').onclick = () => { [chosen.range, chosen.base] = [chosen.base, chosen.range]; changed(); };
  $('stripOut').onclick = () => { stripView = [0, D.cells]; drawStrip(); showRange(); };
}
