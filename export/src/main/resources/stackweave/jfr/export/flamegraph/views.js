// ---- views.js: the tree of stacks seen from elsewhere: from the innermost frame, a function, a library ----

/** name: stacks, inverted, function (of the text "of") or library (of the origin "of"). */
let wanted = {name: 'stacks', of: -1};
let stackTree = null;
let tree = null; // what is shown
/** Nodes of a view; each may have one more that sums up. */
const MAX_VIEW = 400000;
let viewSummed = 0; // stacks that are summed up, as the view has too many nodes
let treeMaps = null; // from nodes of stackTree; null if it is shown itself
let stackValues, stackBase, values, baseValues;
let stateOf = null; // by node, the state that has most of its time; null if colours say the kind

function growView() {
  if (wanted.name === 'stacks') { tree = stackTree; treeMaps = null; viewSummed = 0; return; }
  const t = stackTree;
  let kinds = new Float32Array(4096 * KINDS);
  viewSummed = 0;
  const rootText = wanted.name === 'inverted' ? t.text[0] : wanted.of;
  const growing = new Growing(rootText);
  const kindAt = (node, kind, n) => {
    if ((node + 1) * KINDS > kinds.length) { const more = new Float32Array(2 * (node + 1) * KINDS); more.set(kinds); kinds = more; }
    kinds[node * KINDS + kind] += n;
  };
  const addKind = (node, i) => kindAt(node, t.kind[i], t.full[i] || 1);
  const map = new Int32Array(t.n).fill(-1), callers = new Int32Array(t.n).fill(-1);
  /** The path from node i outwards, below a node of the view; beyond the limit it is summed up. */
  const outwards = (node, i, side) => {
    for (; i > 0; i = t.parent[i]) {
      if (growing.n >= MAX_VIEW && !growing.has(node, t.text[i], side)) {
        viewSummed++;
        node = growing.child(node, SUMMED_UP, side);
        kindAt(node, MARKER, 1);
        return node;
      }
      node = growing.child(node, t.text[i], side);
      addKind(node, i);
    }
    return node;
  };
  if (wanted.name === 'inverted') {
    kindAt(0, MARKER, 1);
    // Of more than fit, those with the most samples are there.
    const leaves = [];
    for (let i = 0; i < t.n; i++) if (t.full[i]) leaves.push(i);
    leaves.sort((a, b) => t.full[b] - t.full[a] || a - b);
    for (const i of leaves) map[i] = outwards(0, i, 0);
  } else if (wanted.name === 'function') {
    const outer = new Int32Array(t.n).fill(-1), callersOf = new Map();
    for (let i = 1; i < t.n; i++) {
      const p = t.parent[i];
      outer[i] = outer[p] >= 0 ? outer[p] : t.text[i] === wanted.of ? i : -1;
      if (outer[i] < 0) continue;
      map[i] = outer[i] === i ? 0 : growing.child(map[p], t.text[i], 0);
      addKind(map[i], i);
      if (!callersOf.has(outer[i])) callersOf.set(outer[i], outwards(0, t.parent[outer[i]], 1));
      callers[i] = callersOf.get(outer[i]) || -1;
    }
  } else {
    const inner = new Int32Array(t.n).fill(-1), java = new Int32Array(t.n).fill(-1), paths = new Map();
    for (let i = 1; i < t.n; i++) {
      const p = t.parent[i];
      inner[i] = textOrigin[t.text[i]] === wanted.of ? i : inner[p];
      java[i] = isJava[t.kind[i]] ? i : java[p];
      if (!t.full[i] || inner[i] < 0) continue;
      addKind(0, inner[i]);
      const method = java[inner[i]], begin = method < 0 ? inner[i] : method;
      if (!paths.has(begin)) {
        let from = 0;
        if (method < 0) { from = growing.child(0, NO_JAVA); kindAt(from, MARKER, 1); }
        paths.set(begin, outwards(from, begin, 0));
      }
      map[i] = paths.get(begin);
    }
  }
  const full = new Float64Array(growing.n);
  kindAt(growing.n - 1, 0, 0);
  for (let i = 0; i < t.n; i++) if (map[i] >= 0) full[map[i]] += t.full[i];
  for (let i = 0; i < t.n; i++) if (callers[i] >= 0) full[callers[i]] += t.full[i];
  tree = growing.finish(full, kinds);
  for (let i = 0; i < t.n; i++) {
    if (map[i] >= 0) map[i] = tree.at[map[i]];
    if (callers[i] >= 0) callers[i] = tree.at[callers[i]];
  }
  treeMaps = wanted.name === 'function' ? [map, callers] : [map];
}

/** After the chosen samples have changed, or the tree. */
function measure() {
  measureStates();
  stackValues = valuesOf(stackTree, [stackTree.of], shown);
  stackBase = base ? valuesOf(stackTree, [stackTree.of], base) : null;
  if (!treeMaps) { values = stackValues; baseValues = stackBase; return; }
  const own = v => ({count: v.count.self, time: v.time.self, square: v.square.self});
  values = valuesOf(tree, treeMaps, own(stackValues));
  baseValues = base ? valuesOf(tree, treeMaps, own(stackBase)) : null;
}

function measureStates() {
  stateOf = byState ? new Uint8Array(tree.n) : null;
  if (!byState) return;
  const most = new Float64Array(tree.n);
  shownStates.forEach((own, state) => {
    if (!own) return;
    let total = totalsOf(stackTree, [stackTree.of], own);
    if (treeMaps) {
      const self = new Float64Array(stackTree.n);
      for (let i = 0; i < raws; i++) self[stackTree.of[i]] += own[i];
      total = totalsOf(tree, treeMaps, self);
    }
    for (let i = 0; i < tree.n; i++) if (total[i] > most[i]) { most[i] = total[i]; stateOf[i] = state; }
  });
}

const viewTitle = () => wanted.name === 'function' ? 'Callers and callees of ' + texts[wanted.of]
  : wanted.name === 'library' ? 'Java callers that lead into ' + texts[wanted.of] : '';
