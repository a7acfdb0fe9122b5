// ---- tooltip.js: everything about a frame ----

/** Sums by a key of the recorded nodes that a node stands for; a share of its samples. */
function describe(i) {
  const kinds = new Map(), lines = new Map(), ways = new Map(), inModules = new Set();
  let sum = 0;
  const add = (map, key, n) => map.set(key, (map.get(key) || 0) + n);
  const totals = rawTotals();
  for (let r = 0; r < raws; r++) {
    const f = rawFunction(r), look = rawLook[r];
    const isIt = treeMaps ? stackTree.text[stackTree.of[r]] === tree.text[i] && f.text === tree.text[i] : stackTree.of[r] === i;
    if (!isIt || !totals[r]) continue;
    sum += totals[r];
    add(kinds, D.kinds[f.kind].label, totals[r]);
    if (lookLine[look]) add(lines, lookLine[look], totals[r]);
    add(ways, lookFound[look], totals[r]);
    if (f.module >= 0) inModules.add(f.module);
  }
  const shares = (map, text) => [...map].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([k, n]) => text(k) + (map.size > 1 || n < sum * .9995 ? ' ' + percent(n, sum) : '')).join(', ') + (map.size > 4 ? ', \u2026' : '');
  return {
    kinds: shares(kinds, k => k),
    lines: shares(lines, String),
    ways: shares(ways, k => k ? founds[k].label + (founds[k].isGuess ? ' (a guess)' : '') : 'unwind tables, JVM\'s own data'),
    modules: [...inModules].slice(0, 3).map(m => modules[m])
  };
}
let rawTotalsOf = null, rawTotalSums = null;
function rawTotals() {
  if (rawTotalsOf !== shown) {
    rawTotalsOf = shown;
    rawTotalSums = (D.wall ? shown.time : shown.count).slice();
    for (let i = raws - 1; i > 0; i--) rawTotalSums[rawParent[i]] += rawTotalSums[i];
  }
  return rawTotalSums;
}

const TIME_LABEL = D.timeLabel[0].toUpperCase() + D.timeLabel.slice(1);
function tipRows(i) {
  const rows = [], c = values.count, t = values.time, p = tree.parent[i];
  const parts = (label, v, text, of) => {
    const row = [label, text(v.total[i]), percent(v.total[i], of) + ' of all', p >= 0 ? percent(v.total[i], v.total[p]) + ' of ' + (wanted.name === 'stacks' || (wanted.name === 'function' && !tree.side[i]) ? 'caller' : 'callee') : ''];
    if (zoomed && i > zoomed && i < tree.end[zoomed]) row.push(percent(v.total[i], v.total[zoomed]) + ' of zoomed');
    return row;
  };
  // Samples of waiting threads stand for times of any length: their number says nothing.
  const itself = D.wall ? t : c, shownAs = D.wall ? span : count;
  if (!D.wall) rows.push(parts('Samples', c, count, stackValues.count.total[0]));
  else rows.push(parts(TIME_LABEL, t, span, stackValues.time.total[0]));
  if (itself.self[i] && wanted.name === 'stacks') rows.push(['Itself', shownAs(itself.self[i]), percent(itself.self[i], itself.total[0]) + ' of all', percent(itself.self[i], itself.total[i]) + ' of it']);
  if (!D.wall && t.total[0]) rows.push(parts(TIME_LABEL, t, span, stackValues.time.total[0]));
  if (stateOf) rows.push(['Mostly', states[stateOf[i]]]);
  if (baseValues) {
    const change = changeAt(i);
    rows.push(['Change', points(change.d), 'from ' + percent(B().total[i], stackBase[metric].total[0]), points(change.low) + ' to ' + points(change.high) + (change.isNoise ? ': noise' : '')]);
  }
  if (i || wanted.name === 'function') {
    const more = describe(i), origin = textOrigin[tree.text[i]];
    rows.push(['Kind', more.kinds || D.kinds[tree.kind[i]].label]);
    if (more.modules.length) for (const m of more.modules) rows.push(['Library', m.path], ['Build id', m.buildId || 'none'], ['Unwind rules', m.rules || 'unknown']);
    else if (origin >= 0) rows.push(['Library', texts[origin]]);
    if (more.lines) rows.push(['Line', more.lines]);
    if (more.ways) rows.push(['Found by', more.ways]);
  }
  return rows;
}

function showTip(event) {
  const i = hover, tip = $('tip');
  if (i < 0) { tip.hidden = true; return; }
  tip.querySelector('b').textContent = texts[tree.text[i]];
  tip.querySelector('tbody').replaceChildren(...tipRows(i).map(r => {
    const row = document.createElement('tr');
    for (const t of r) row.insertCell().textContent = t;
    if (r.length === 2) { row.cells[1].colSpan = 4; row.cells[1].style.textAlign = 'left'; }
    return row;
  }));
  tip.hidden = false;
  placeTip(event);
}
function placeTip(event) {
  const tip = $('tip'), box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 6)) + 'px';
  tip.style.top = (event.clientY + 18 + box.height > innerHeight ? Math.max(4, event.clientY - box.height - 10) : event.clientY + 18) + 'px';
}
