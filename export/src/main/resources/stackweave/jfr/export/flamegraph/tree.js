// ---- tree.js: the graph's own nodes ----

/** Grows a tree; children are found by caller, text and side (0: callees, 1: callers). */
class Growing {
  constructor(rootText) {
    this.n = 0;
    this.parent = new Int32Array(1024); this.text = new Int32Array(1024); this.side = new Uint8Array(1024);
    this.slots = new Int32Array(4096).fill(-1);
    this.add(-1, rootText, 0);
  }
  add(parent, text, side) {
    if (this.n === this.parent.length) {
      const grown = a => { const b = new a.constructor(2 * a.length); b.set(a); return b; };
      this.parent = grown(this.parent); this.text = grown(this.text); this.side = grown(this.side);
    }
    this.parent[this.n] = parent; this.text[this.n] = text; this.side[this.n] = side;
    return this.n++;
  }
  slot(parent, text, side) {
    const mask = this.slots.length - 1;
    let i = (Math.imul(parent, 0x9E3779B1) ^ Math.imul(text * 2 + side, 0x85EBCA6B));
    for (i = (i ^ i >>> 15) & mask; ; i = (i + 1) & mask) {
      const node = this.slots[i];
      if (node < 0 || (this.parent[node] === parent && this.text[node] === text && this.side[node] === side)) return i;
    }
  }
  has(parent, text, side) { return this.slots[this.slot(parent, text, side)] >= 0; }
  child(parent, text, side = 0) {
    const i = this.slot(parent, text, side);
    if (this.slots[i] >= 0) return this.slots[i];
    const node = this.slots[i] = this.add(parent, text, side);
    if (2 * this.n > this.slots.length) {
      this.slots = new Int32Array(2 * this.slots.length).fill(-1);
      for (let j = 1; j < this.n; j++) this.slots[this.slot(this.parent[j], this.text[j], this.side[j])] = j;
    }
    return node;
  }

  /**
   * The tree in preorder, the widest child first.
   *
   * @param full by node: what it has itself of all samples
   * @param kinds by node and kind
   */
  finish(full, kinds) {
    const n = this.n, total = full.slice(0, n), first = new Int32Array(n + 2);
    for (let i = n - 1; i > 0; i--) { total[this.parent[i]] += total[i]; first[this.parent[i] + 2]++; }
    for (let i = 2; i <= n + 1; i++) first[i] += first[i - 1];
    const children = new Int32Array(n);
    for (let i = 1; i < n; i++) children[first[this.parent[i] + 1]++] = i;
    for (let p = 0; p < n; p++) {
      if (first[p + 1] - first[p] > 1) children.subarray(first[p], first[p + 1]).sort((a, b) => total[b] - total[a] || a - b);
    }
    const t = {n, parent: new Int32Array(n), text: new Int32Array(n), level: new Int32Array(n), end: new Int32Array(n), kind: new Uint8Array(n), side: new Uint8Array(n), at: new Int32Array(n)};
    const todo = [0];
    for (let i = 0; todo.length; i++) {
      const node = todo.pop(), p = node ? t.at[this.parent[node]] : -1;
      t.at[node] = i; t.parent[i] = p; t.text[i] = this.text[node]; t.side[i] = this.side[node];
      t.level[i] = p < 0 ? 0 : t.level[p] + (this.side[node] ? -1 : 1);
      let best = 0;
      for (let k = 1; k < KINDS; k++) if (kinds[node * KINDS + k] > kinds[node * KINDS + best]) best = k;
      t.kind[i] = best;
      for (let c = first[node + 1] - 1; c >= first[node]; c--) todo.push(children[c]);
    }
    t.least = 0; t.most = 0;
    for (let i = n - 1; i >= 0; i--) {
      if (!t.end[i]) t.end[i] = i + 1;
      if (i && !t.end[t.parent[i]]) t.end[t.parent[i]] = t.end[i];
      t.least = Math.min(t.least, t.level[i]); t.most = Math.max(t.most, t.level[i]);
    }
    t.levels = Array.from({length: t.most - t.least + 1}, () => []);
    for (let i = 0; i < n; i++) t.levels[t.level[i] - t.least].push(i);
    return t;
  }
}

// ---- the tree of stacks, with what is folded, hidden or merged

const folding = {jvm: false, kernel: false, start: false, recursion: false};

const START = /^(libc\.so|libc-|ld-|ld\.|libpthread|libjli\.so|java$|JVM )/;
const fullCounts = new Float64Array(raws), fullTotals = new Float64Array(raws);
for (let s = 0; s < stacks; s++) fullCounts[stackNode[s]] += D.wall ? stackTime[s] : stackCount[s];
fullTotals.set(fullCounts);
for (let i = raws - 1; i > 0; i--) fullTotals[rawParent[i]] += fullTotals[i];

/** By recorded node: whether it is one of those that start a thread, and something else follows. */
function findStarts() {
  const isStart = new Uint8Array(raws), leads = new Uint8Array(raws);
  for (let i = 1; i < raws; i++) {
    const f = rawFunction(i), p = rawParent[i];
    isStart[i] = (p === 0 || isStart[p] || (D.byThread && rawParent[p] === 0 && rawFunction(p).kind === MARKER)) && (f.kind === STUB || (f.kind !== KERNEL && !isJava[f.kind] && START.test(texts[f.origin]))) ? 1 : 0;
  }
  for (let i = raws - 1; i > 0; i--) {
    if (!isStart[i]) leads[i] = isJava[rawFunction(i).kind] || (rawFunction(i).kind !== KERNEL && rawFunction(i).kind !== JVM && rawFunction(i).kind !== MARKER) ? 1 : leads[i];
    if (leads[i]) leads[rawParent[i]] = 1;
  }
  for (let i = 1; i < raws; i++) isStart[i] &= leads[i];
  return isStart;
}

/** The tree, and in its array "of" the node of each recorded one. */
function growStacks() {
  const tree = new Growing(rawFunction(0).text), of = new Int32Array(raws);
  const isStart = folding.start ? findStarts() : null;
  for (let i = 1; i < raws; i++) {
    const p = rawParent[i], f = rawFunction(i), to = of[p];
    let text = f.text;
    if (folding.jvm && f.kind === JVM) text = FOLDED_JVM;
    else if (folding.kernel && f.kind === KERNEL) text = FOLDED_KERNEL;
    if (isStart && isStart[i]) of[i] = to;
    else if (text >= FOLDED_JVM && tree.text[to] === text) of[i] = to;
    else if (folding.recursion && to && tree.text[to] === text) of[i] = to; // further out, it would take what is between out of totals
    else of[i] = tree.child(to, text);
  }
  const full = new Float64Array(tree.n), kinds = new Float32Array(tree.n * KINDS);
  for (let i = 0; i < raws; i++) {
    full[of[i]] += fullCounts[i];
    if (of[i] || !i) kinds[of[i] * KINDS + rawFunction(i).kind] += fullTotals[i];
  }
  const grown = tree.finish(full, kinds);
  for (let i = 0; i < raws; i++) of[i] = grown.at[of[i]];
  grown.of = of;
  grown.full = new Float64Array(grown.n);
  for (let i = 0; i < raws; i++) grown.full[of[i]] += fullCounts[i];
  return grown;
}

// ---- what nodes have of the chosen samples

const METRICS = ['count', 'time', 'square'];

/** What nodes have in all of what innermost nodes have themselves. */
function totalsOf(t, maps, own) {
  const total = new Float64Array(t.n);
  for (const map of maps) for (let i = 0; i < map.length; i++) if (own[i] && map[i] >= 0) total[map[i]] += own[i];
  for (let i = t.n - 1; i > 0; i--) if (t.parent[i] || !t.side[i]) total[t.parent[i]] += total[i];
  return total;
}

/** {count, time, square}, each {self, total} by node, of what innermost nodes have. */
function valuesOf(t, maps, own) {
  const values = {};
  for (const metric of METRICS) {
    const self = new Float64Array(t.n), total = new Float64Array(t.n), from = own[metric];
    maps.forEach((map, side) => {
      for (let i = 0; i < map.length; i++) {
        if (from[i] && map[i] >= 0) { if (!side) self[map[i]] += from[i]; total[map[i]] += from[i]; }
      }
    });
    for (let i = t.n - 1; i > 0; i--) if (t.parent[i] || !t.side[i]) total[t.parent[i]] += total[i];
    values[metric] = {self, total};
  }
  return values;
}
