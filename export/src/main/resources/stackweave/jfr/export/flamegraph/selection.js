// ---- selection.js: which samples are shown, and which they are compared with ----

/** What is chosen; null is all. Ranges are cells, the second one excluded. */
const chosen = {
  threads: null, // a set of indexes
  state: -1,
  kind: -1, // of the innermost frame
  range: null, // [from, to]
  base: D.before ? 'before' : null // [from, to], 'rest' of the time, or the recording 'before'
};
const hasTimes = D.cells > 0;

const sums = () => ({count: new Float64Array(raws), time: new Float64Array(raws), square: new Float64Array(raws)});
let shown = sums(), base = null; // by innermost node as recorded
let shownStates = []; // time by state and innermost node, where frames are coloured by it
let cellSums = new Float64Array(D.cells); // of all of the time

// Each whatever else of its sort is chosen.
let threadSums = new Map(), kindSums = [], stateSums = [];

let takenCount = 0, takenTime = 0, takenSquare = 0; // the last: of the squares of times
/** What a stack has in a range of cells; null is all of the time. */
function take(s, range) {
  if (!range) { takenCount = stackCount[s]; takenTime = stackTime[s]; takenSquare = stackSquare[s]; return; }
  takenCount = takenTime = takenSquare = 0;
  for (let e = stackCells[s]; e < stackCells[s + 1]; e++) {
    if (entryCell[e] >= range[0] && entryCell[e] < range[1]) { takenCount += entryCount[e]; takenTime += entryTime[e]; takenSquare += entryTime[e] * entryTime[e] / (entryCount[e] || 1); }
  }
}
const taken = sum => { sum.count += takenCount; sum.time += takenTime; };
function takenBy(to, node) { to.count[node] += takenCount; to.time[node] += takenTime; to.square[node] += takenSquare; }

/** Sums up the chosen samples. */
function select() {
  shown = sums();
  base = chosen.base ? sums() : null;
  cellSums = new Float64Array(D.cells);
  threadSums = new Map();
  kindSums = D.kinds.map(() => ({count: 0, time: 0}));
  stateSums = states.map(() => ({count: 0, time: 0}));
  shownStates = states.map(() => null);
  // Of the other recording threads are known by their names alone.
  const names = chosen.threads && new Set([...chosen.threads].map(i => threads[i].name));
  for (let s = 0; s < stacks; s++) {
    const node = stackNode[s], thread = stackThread[s], kind = rawFunction(node).kind;
    const okThread = !chosen.threads || (stackBefore[s] ? names.has(threads[thread].name) : chosen.threads.has(thread));
    const okState = chosen.state < 0 || chosen.state === stackState[s];
    const okKind = chosen.kind < 0 || chosen.kind === kind;
    if (stackBefore[s]) {
      if (chosen.base === 'before' && okThread && okState && okKind) { take(s, null); takenBy(base, node); }
      continue;
    }
    take(s, chosen.range);
    if (okState && okKind && (takenCount || takenTime)) {
      let sum = threadSums.get(thread);
      if (!sum) threadSums.set(thread, sum = {thread, count: 0, time: 0});
      taken(sum);
    }
    if (okThread && okState) taken(kindSums[kind]);
    if (okThread && okKind) taken(stateSums[stackState[s]]);
    if (!okThread || !okState || !okKind) continue;
    takenBy(shown, node);
    if (byState) (shownStates[stackState[s]] ||= new Float64Array(raws))[node] += takenTime;
    if (chosen.base === 'rest') { take(s, null); takenBy(base, node); }
    else if (Array.isArray(chosen.base)) { take(s, chosen.base); takenBy(base, node); }
    for (let e = stackCells[s]; e < stackCells[s + 1]; e++) cellSums[entryCell[e]] += D.wall ? entryTime[e] : entryCount[e];
  }
  if (chosen.base === 'rest') {
    for (let i = 0; i < raws; i++) { base.count[i] -= shown.count[i]; base.time[i] = Math.max(0, base.time[i] - shown.time[i]); base.square[i] = Math.max(0, base.square[i] - shown.square[i]); }
  }
}
