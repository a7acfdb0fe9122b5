// ---- state.js: the fragment of the address says what is shown ----
//
// q: search, z: zoomed node, v: view and text, r and b: ranges of cells (b also "rest"), t: threads,
// s: state, k: kind, c: colours, f: what is folded (j, k, s, r), w: metric, n: table, o: the column that
// it is sorted by (with - in reverse), flip, dark or light

let loading = true;

function saveState() {
  if (loading) return;
  const wish = new URLSearchParams();
  if ($('search').value) wish.set('q', $('search').value);
  if (wanted.name !== 'stacks') wish.set('v', wanted.name + (wanted.of >= 0 ? '.' + wanted.of : ''));
  if (chosen.range) wish.set('r', chosen.range.join('-'));
  if (Array.isArray(chosen.base)) wish.set('b', chosen.base.join('-'));
  else if (chosen.base === 'rest') wish.set('b', 'rest');
  if (chosen.threads) for (const i of chosen.threads) wish.append('t', threads[i].label);
  if (chosen.state >= 0) wish.set('s', chosen.state);
  if (chosen.kind >= 0) wish.set('k', D.kinds[chosen.kind].label);
  if (byState !== (!!D.wall && states.length > 1)) wish.set('c', byState ? 'state' : 'kind');
  const folds = (folding.jvm ? 'j' : '') + (folding.kernel ? 'k' : '') + (folding.start ? 's' : '') + (folding.recursion ? 'r' : '');
  if (folds) wish.set('f', folds);
  if (zoomed) wish.set('z', zoomed);
  if ((metric === 'time') !== !!D.byTime) wish.set('w', metric);
  if (!$('tables').hidden) wish.set('n', tab);
  if (!$('tables').hidden && (sorted || isReversed)) wish.set('o', (isReversed ? '-' : '') + sorted);
  if (flipped) wish.set('flip', '');
  if (dark !== matchMedia('(prefers-color-scheme: dark)').matches) wish.set(dark ? 'dark' : 'light', '');
  const hash = wish.toString().replace(/=(?=&|$)/g, '');
  try {
    if (hash !== location.hash.slice(1)) history.replaceState(null, '', '#' + hash);
  } catch (e) {
    // A frame of another page may not change its address.
  }
}

function rangeOf(text) {
  const m = /^(\d{1,9})-(\d{1,9})$/.exec(text || '');
  if (!m) return null;
  const a = inStrip(+m[1]), b = inStrip(+m[2]);
  return a < b ? [a, b] : null;
}

/** Shows what the fragment says; what it says wrongly is ignored. */
function loadState() {
  loading = true;
  const wish = new URLSearchParams(location.hash.slice(1));
  dark = wish.has('dark') || (!wish.has('light') && matchMedia('(prefers-color-scheme: dark)').matches);
  flipped = wish.has('flip');
  metric = !D.wall && ['count', 'time'].includes(wish.get('w')) ? wish.get('w') : D.byTime ? 'time' : 'count';
  chosen.range = rangeOf(wish.get('r'));
  chosen.base = rangeOf(wish.get('b')) || (wish.get('b') === 'rest' && chosen.range ? 'rest' : D.before ? 'before' : null);
  const labels = new Map(threads.map((t, i) => [t.label, i]).filter(([, i]) => isThread[i])), wishes = wish.getAll('t').filter(label => labels.has(label)).map(label => labels.get(label));
  chosen.threads = wishes.length ? new Set(wishes) : null;
  chosen.state = wish.has('s') && states[+wish.get('s')] !== undefined ? +wish.get('s') : -1;
  byState = states.length > 1 && (wish.has('c') ? wish.get('c') === 'state' : !!D.wall);
  chosen.kind = wish.has('k') ? kindOf(wish.get('k')) : -1;
  const folds = wish.get('f') || '';
  folding.jvm = folds.includes('j'); folding.kernel = folds.includes('k'); folding.start = folds.includes('s'); folding.recursion = folds.includes('r');
  const [name, of] = (wish.get('v') || 'stacks').split('.'), needsText = name === 'function' || name === 'library';
  const isKnown = name === 'inverted' || (needsText && texts[+of] !== undefined && /^\d+$/.test(of));
  wanted = {name: isKnown ? name : 'stacks', of: isKnown && needsText ? +of : -1};
  const isTab = Object.hasOwn(TABS, wish.get('n') || '');
  if (isTab) tab = wish.get('n');
  const order = /^(-?)([0-3])$/.exec(wish.get('o') || '');
  sorted = isTab && order ? +order[2] : 0;
  isReversed = isTab && !!order && !!order[1];
  $('tables').hidden = !isTab;
  $('search').value = wish.get('q') || '';
  zoomHistory.length = 0;
  stackTree = growStacks();
  growView();
  paint();
  const node = Number(wish.get('z') || 0);
  zoomed = Number.isInteger(node) && node > 0 && node < tree.n ? node : 0;
  changed(true);
  scrollToRoot();
  search($('search').value);
  loading = false;
}
