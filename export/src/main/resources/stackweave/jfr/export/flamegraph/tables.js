// ---- tables.js: functions, libraries, threads, and what has changed ----

const TABS = {functions: 'Functions', libraries: 'Libraries', threads: 'Threads', changes: 'Changes'};
const MAX_ROWS = 200;
let tab = 'functions';
let sorted = 0, isReversed = false; // the column that rows are in the order of: numbers from the largest, names from A

/** Self and total by text or origin, within a node; something inside itself counts once. */
function sumsBy(keyOf, v, t, from) {
  const own = new Map(), total = new Map(), kinds = new Map(), open = new Map(), ends = [];
  for (let i = from; i < t.end[from]; i++) {
    while (ends.length && ends[ends.length - 1][0] <= i) open.delete(ends.pop()[1]);
    const key = keyOf(i);
    if (key < 0 || !v.total[i]) continue;
    if (v.self[i]) own.set(key, (own.get(key) || 0) + v.self[i]);
    if (!kinds.has(key)) kinds.set(key, t.kind[i]);
    if (!open.has(key)) { open.set(key, 1); ends.push([t.end[i], key]); total.set(key, (total.get(key) || 0) + v.total[i]); }
  }
  return {own, total, kinds};
}

/** The first rows in the chosen order. A row's keys are what its columns are sorted by; of equal ones the next decides. */
function inOrder(rows) {
  const columns = rows.length ? rows[0].keys.length : 0, first = Math.min(sorted, columns - 1);
  const compare = (a, b) => typeof a === 'string' ? (a < b ? -1 : a > b ? 1 : 0) : b - a;
  rows.sort((x, y) => {
    for (let i = 0; i < columns; i++) {
      const k = (first + i) % columns, order = compare(x.keys[k], y.keys[k]);
      if (order) return k === first && isReversed ? -order : order;
    }
    return 0;
  });
  return rows.slice(0, MAX_ROWS);
}

/** The node of stackTree that tables are of: the zoomed one, where it is one of them. */
const tableRoot = () => wanted.name === 'stacks' ? zoomed : 0;
const textKey = i => i ? stackTree.text[i] : -1, originKey = i => i && !(stackTree.kind[i] === MARKER) ? textOrigin[stackTree.text[i]] : -1;

function cellsOf(row, cells, name, kind) {
  for (const c of cells) row.insertCell().textContent = c;
  const cell = row.insertCell();
  if (kind >= 0 && !base) { // compared with something, colours say what has changed
    const dot = document.createElement('i');
    dot.dataset.kind = kind; dot.style.background = palette[kind][1];
    cell.append(dot);
  }
  const text = document.createElement('bdi'); // what follows a name keeps its direction
  text.textContent = name;
  cell.append(text);
  return cell;
}

function clickable(row, act) {
  row.tabIndex = 0;
  row.onclick = act;
  row.onkeydown = e => { if (e.key === 'Enter' || e.key === ' ') { act(e); e.preventDefault(); e.stopPropagation(); } };
}

const asPattern = text => '^' + text.replace(/[.*+?^${}()|[\]\\\/]/g, '\\$&') + '$';

function functionRow(row, cells, text, kind) {
  const cell = cellsOf(row, cells, texts[text].slice(0, 600), kind), button = document.createElement('button');
  button.textContent = '\u21c5';
  button.title = 'Callers and callees';
  button.setAttribute('aria-label', 'Callers and callees of ' + shortText(text).slice(0, 100));
  button.onclick = e => { setView('function', text); e.stopPropagation(); };
  button.onkeydown = e => e.stopPropagation();
  cell.prepend(button);
  clickable(row, () => { $('search').value = asPattern(texts[text]); search($('search').value); });
}

function selfAndTotal(keyOf, makeRow) {
  const from = tableRoot(), v = stackValues[metric], sums = sumsBy(keyOf, v, stackTree, from), of = v.total[from];
  const top = inOrder([...sums.total].map(([key, total]) => ({key, keys: [sums.own.get(key) || 0, total, texts[key]]})));
  $('tableNote').textContent = (from ? 'Shares of the zoomed frame. ' : '') + count(sums.total.size) + (sums.total.size > MAX_ROWS ? ', the first ' + MAX_ROWS + ' of them. ' : '. ');
  return top.map(({key, keys: [own, total]}) => {
    const row = document.createElement('tr');
    row.title = amount(own) + ' itself, ' + amount(total) + ' with what it calls';
    makeRow(row, [percent(own, of), percent(total, of)], key, sums.kinds.get(key));
    return row;
  });
}

const tableOf = {
  functions() {
    const rows = selfAndTotal(textKey, functionRow);
    $('tableNote').textContent += 'Click: search; \u21c5: callers and callees.';
    return [['Self', 'Total', 'Function'], rows];
  },
  libraries() {
    const rows = selfAndTotal(originKey, (row, cells, origin, kind) => {
      cellsOf(row, cells, texts[origin].slice(0, 600), kind);
      row.setAttribute('aria-selected', wanted.name === 'library' && wanted.of === origin);
      clickable(row, () => setView(wanted.name === 'library' && wanted.of === origin ? 'stacks' : 'library', origin));
    });
    $('tableNote').textContent += 'Click: the Java callers that lead into it.';
    return [['Self', 'Total', 'Library'], rows];
  },
  threads() {
    const all = [...threadSums.values()], shownAs = D.wall ? 'time' : 'count';
    let of = 0;
    for (const sum of all) of += sum[metric];
    $('tableNote').textContent = count(all.length) + (all.length === 1 ? ' thread' : ' threads') + (all.length > MAX_ROWS ? ', the first ' + MAX_ROWS + ' of them. ' : '. ') + 'Click: only these; Ctrl+click: these, too.';
    return [['Share', D.wall ? TIME_LABEL : 'Samples', 'Thread'], inOrder(all.map(sum => ({sum, keys: [sum[metric], sum[shownAs], threads[sum.thread].label]}))).map(({sum}) => {
      const row = document.createElement('tr');
      cellsOf(row, [percent(sum[metric], of), D.wall ? span(sum.time) : count(sum.count)], threads[sum.thread].label.slice(0, 600), -1);
      row.setAttribute('aria-selected', !!chosen.threads && chosen.threads.has(sum.thread));
      clickable(row, e => {
        const more = chosen.threads && (e.ctrlKey || e.metaKey);
        const wish = new Set(more ? chosen.threads : []);
        if (chosen.threads && chosen.threads.has(sum.thread)) { wish.clear(); if (more) { for (const n of chosen.threads) if (n !== sum.thread) wish.add(n); } } else wish.add(sum.thread);
        chosen.threads = wish.size ? wish : null;
        changed();
      });
      return row;
    })];
  },
  changes() {
    if (!base) { $('tableNote').textContent = 'Nothing to compare with: choose a baseline.'; return [[], []]; }
    const v = stackValues[metric], b = stackBase[metric];
    const now = sumsBy(textKey, v, stackTree, 0), then = sumsBy(textKey, b, stackTree, 0), rows = [];
    const nowSquare = sumsBy(textKey, stackValues.square, stackTree, 0).total, thenSquare = sumsBy(textKey, stackBase.square, stackTree, 0).total;
    for (const key of new Set([...now.total.keys(), ...then.total.keys()])) {
      const a = now.total.get(key) || 0, c = then.total.get(key) || 0;
      rows.push({key, a, c, change: changeOf(a, nowSquare.get(key) || 0, c, thenSquare.get(key) || 0), kind: now.kinds.has(key) ? now.kinds.get(key) : then.kinds.get(key)});
    }
    // Noise is behind all else, whatever its size.
    for (const r of rows) r.keys = [Math.abs(r.change.d) + (r.change.isNoise ? 0 : 1), r.c, r.a, texts[r.key]];
    const sure = rows.filter(r => !r.change.isNoise).length;
    $('tableNote').textContent = 'Totals as shares of ' + (metric === 'time' ? 'the ' + D.timeLabel : 'the samples') + ': of ' + count(stackValues.count.total[0]) + ' samples here, ' + count(stackBase.count.total[0])
      + ' in the baseline. ' + count(sure) + ' of ' + count(rows.length) + ' differ by more than chance (95 % interval, Newcombe); of functions that did not change one in 20 looks so, too. Grey is noise.' + (D.leftOut ? ' ' + count(D.leftOut) + ' frames are summed up on both sides: totals of functions lack them.' : '');
    return [['Change', 'from', 'to', 'Function (95 % interval)'], inOrder(rows).map(r => {
      const row = document.createElement('tr');
      if (r.change.isNoise) row.className = 'noise';
      functionRow(row, [points(r.change.d), percent(r.c, b.total[0]), percent(r.a, v.total[0])], r.key, r.kind);
      row.lastChild.append(' (' + points(r.change.low) + ' to ' + points(r.change.high) + (r.change.isNoise ? ', noise)' : ')'));
      row.title = 'Now ' + amount(r.a) + ', baseline ' + amount(r.c);
      return row;
    })];
  }
};

function showTables() {
  if ($('tables').hidden) return;
  refill($('tabs'), ...Object.keys(TABS).filter(t => t !== 'changes' || base).map(t => {
    const b = document.createElement('button');
    b.textContent = TABS[t];
    b.setAttribute('aria-pressed', t === tab);
    b.onclick = () => { tab = t; sorted = 0; isReversed = false; showTables(); saveState(); };
    return b;
  }));
  const [head, rows] = tableOf[tab]();
  const line = document.createElement('tr');
  head.forEach((h, i) => {
    const cell = document.createElement('th'), button = document.createElement('button');
    cell.scope = 'col';
    // Names are from A, which is ascending; numbers from the largest.
    if (i === sorted) cell.setAttribute('aria-sort', (i === head.length - 1) === isReversed ? 'descending' : 'ascending');
    button.textContent = h;
    button.title = 'Click: sort by this';
    button.onclick = () => { isReversed = i === sorted && !isReversed; sorted = i; showTables(); saveState(); };
    cell.append(button);
    line.append(cell);
  });
  refill($('tableHead'), line);
  refill($('tableRows'), ...rows);
}

function setTables(on) {
  $('tables').hidden = !on;
  $('tablesButton').setAttribute('aria-pressed', on);
  showTables(); redraw(); saveState();
  if (on) $('tables').scrollIntoView({block: 'nearest'}); // in a narrow window they are below the graph
}
