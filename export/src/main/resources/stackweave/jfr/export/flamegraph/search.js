// ---- search.js ----

let searchError = ''; // why what is typed is no expression: nothing matches it then

function search(pattern) {
  matches = null;
  searchError = '';
  if (pattern) {
    try {
      const expression = new RegExp(pattern, /[A-Z]/.test(pattern) ? '' : 'i');
      matches = new Uint8Array(texts.length);
      texts.forEach((s, i) => { if (i !== stackTree.text[0] && expression.test(s)) matches[i] = 1; });
    } catch (e) {
      searchError = e.message;
    }
  }
  $('search').classList.toggle('bad', !!searchError);
  $('search').setAttribute('aria-invalid', !!searchError);
  $('matched').classList.toggle('bad', !!searchError);
  findMatches(); selectMatch(0, true); showButtons(); saveState();
}

/** The matching frames within the zoomed one, the widest first. */
function findMatches() {
  found = [];
  const total = V().total;
  if (matches) for (let i = zoomed; i < tree.end[zoomed]; i++) if (matches[tree.text[i]] && total[i]) found.push(i);
  found.sort((a, b) => total[b] - total[a] || a - b);
  showMatched();
}

/** Makes one of the matches the current one; the first comes after the last. */
function selectMatch(k, scroll) {
  current = found.length ? (k + found.length) % found.length : -1;
  $('steps').hidden = !matches;
  $('step').textContent = !matches ? '' : current < 0 ? 'no match' : count(current + 1) + ' of ' + count(found.length);
  $('before').disabled = $('after').disabled = found.length < 2;
  const i = current < 0 ? 0 : found[current], button = $('current');
  button.hidden = current < 0;
  button.textContent = current < 0 ? '' : shortText(tree.text[i]).slice(0, 100) + '  ' + percent(V().total[i], all());
  button.title = current < 0 ? '' : texts[tree.text[i]] + ' (click: zoom)';
  button.dataset.node = i;
  if (i && scroll) show(i);
  showButtons();
  redraw();
}

/** Of callers and callees: a stack that matches on both sides counts once. */
function matchedOfBoth() {
  const hit = new Uint8Array(tree.n), own = stackValues[metric].self, [callees, callers] = treeMaps;
  let sum = 0;
  for (let i = 0; i < tree.n; i++) hit[i] = matches[tree.text[i]] || (i && hit[tree.parent[i]]) ? 1 : 0;
  for (let i = 0; i < callees.length; i++) if (callees[i] >= 0 && (hit[callees[i]] || (callers[i] >= 0 && hit[callers[i]]))) sum += own[i];
  return sum;
}

/** The share of stacks with a match anywhere: the outermost match counts for all inside it. */
function showMatched() {
  if (!matches) {
    $('matched').textContent = searchError && 'not a valid regular expression';
    $('matched').title = searchError;
    return;
  }
  let sum = 0;
  const total = V().total;
  for (let i = zoomed; i < tree.end[zoomed];) {
    if (matches[tree.text[i]] && !(i === 0 && zoomed === 0 && wanted.name !== 'function')) { sum += total[i]; i = tree.end[i]; } else i++;
  }
  if (wanted.name === 'function' && !zoomed) sum = matchedOfBoth();
  for (let i = tree.parent[zoomed]; i >= 0; i = tree.parent[i]) if (matches[tree.text[i]]) sum = total[zoomed];
  $('matched').textContent = percent(sum, total[zoomed]) + ' matched';
  $('matched').title = amount(sum) + ' of ' + amount(total[zoomed]) + (zoomed ? ' in the zoomed frame' : '');
}
