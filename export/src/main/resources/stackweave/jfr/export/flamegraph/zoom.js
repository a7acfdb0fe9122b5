// ---- zoom.js: the zoomed frame, the frame that the keyboard is at ----

const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
const zoomHistory = [];
let animation = 0;

const windowOf = i => i ? {from: left[i], span: V().total[i] || 1} : {from: 0, span: V().total[0] || 1};

/** Shows the zoomed frame's window; that of the other side is whole. */
function moveTo(i, animate) {
  cancelAnimationFrame(animation);
  const side = tree.side[i], target = windowOf(i);
  windows[1 - side] = windowOf(0);
  if (!animate || still) { windows[side] = target; redraw(); return; }
  const from = windows[side], began = performance.now();
  const step = now => {
    const t = Math.min(1, Math.max(0, now - began) / 170), e = 1 - Math.pow(1 - t, 3);
    windows[side] = {from: from.from + (target.from - from.from) * e, span: from.span + (target.span - from.span) * e};
    draw();
    if (t < 1) animation = requestAnimationFrame(step);
  };
  animation = requestAnimationFrame(step);
}

function setZoom(i, keep, animate = true) {
  if (keep && i !== zoomed) zoomHistory.push(zoomed);
  zoomed = i;
  moveTo(i, animate);
  showPath(); showTables(); showButtons(); tellFrame();
  if (matches) { const was = found[current]; findMatches(); selectMatch(Math.max(0, found.indexOf(was)), false); }
  saveState();
}
const back = () => { if (zoomHistory.length) setZoom(zoomHistory.pop(), false); };

function showButtons() {
  $('back').disabled = !zoomHistory.length;
  $('reset').disabled = !zoomed && !matches && !searchError && wanted.name === 'stacks' && !chosen.threads && chosen.state < 0 && chosen.kind < 0 && !chosen.range && (!chosen.base || chosen.base === 'before');
  const subject = zoomed ? tree.text[zoomed] : current >= 0 ? tree.text[found[current]] : -1;
  $('sandwich').disabled = subject < 0 && wanted.name !== 'function';
  $('sandwich').setAttribute('aria-pressed', wanted.name === 'function');
}

function showPath() {
  const chain = [];
  for (let i = zoomed; i >= 0; i = tree.parent[i]) chain.push(i);
  const most = 60, links = chain.slice(0, most).reverse().map(i => {
    const a = document.createElement('button');
    a.textContent = i ? shortText(tree.text[i]).slice(0, 80) : viewTitle() || texts[tree.text[0]];
    a.title = texts[tree.text[i]];
    a.onclick = () => setZoom(i, true);
    return a;
  });
  refill($('path'), ...links);
  $('path').scrollLeft = 1e6;
}

// ---- keyboard: up and down are as on the screen

function moveCursor(key) {
  const total = V().total, at = cursor < 0 ? zoomed : cursor;
  const outer = tree.parent[at], down = key === 'ArrowDown';
  let to = at;
  if (cursor < 0) to = at;
  else if (key === 'ArrowUp' || key === 'ArrowDown') {
    const higher = isTopDown() ? !down : down; // towards lower levels
    const wantsCaller = at === 0 ? null : tree.side[at] ? !higher : higher;
    if (wantsCaller) to = outer;
    else {
      for (let i = at + 1; i < tree.end[at]; i = tree.end[i]) {
        if (total[i] && (at || (tree.side[i] === 1) === higher) && (to === at || total[i] > total[to])) to = i;
      }
    }
  } else {
    const ids = tree.levels[tree.level[at] - tree.least], step = key === 'ArrowRight' ? 1 : -1;
    for (let j = ids.indexOf(at) + step; j >= 0 && j < ids.length; j += step) if (total[ids[j]]) { to = ids[j]; break; }
  }
  cursor = Math.max(0, to);
  show(cursor);
  tellFrame();
  redraw();
}

/** Scrolls to a node's row. */
function show(i) {
  const top = rowTop(tree.level[i]), seen = scroller.scrollTop;
  if (top < seen || top + ROW > seen + scroller.clientHeight) scroller.scrollTop = top - (scroller.clientHeight - ROW) / 2;
}

/**
 * Tells a screen reader the frame that the keyboard is at, else the zoomed one. Each frame is an
 * element of its own, because only another active element is read.
 */
function tellFrame() {
  const i = cursor < 0 ? zoomed : cursor, frame = document.createElement('div');
  const has = D.wall ? span(values.time.total[i]) + ' of ' + D.timeLabel : samples(values.count.total[i]);
  frame.id = 'frame' + i;
  frame.setAttribute('role', 'button');
  frame.setAttribute('aria-label', texts[tree.text[i]].slice(0, 300) + ', ' + percent(V().total[i], all()) + ' of all, ' + has + ', ' + D.kinds[tree.kind[i]].label);
  frame.onclick = () => setZoom(i, true);
  $('frame').replaceChildren(frame);
  scroller.setAttribute('aria-activedescendant', frame.id);
}
