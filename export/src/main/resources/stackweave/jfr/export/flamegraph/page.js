// ---- page.js: puts it together ----

/** The chosen samples have changed, or, with grown, the tree as well. */
function changed(grown) {
  select();
  measure();
  cursor = hover = -1;
  if (tab === 'changes' && !base) { tab = 'functions'; sorted = 0; isReversed = false; }
  layout();
  setZoom(zoomed, false, false);
  showControls();
  drawStrip(); showRange(); showFilters(); showLegend();
  if (grown) { draw(); }
  saveState();
}

function setView(name, of) {
  wanted = {name, of: name === 'function' || name === 'library' ? of : -1};
  regrow();
}

function scrollToRoot() {
  scroller.scrollTop = wanted.name === 'function' ? rowTop(0) - scroller.clientHeight / 2 : isTopDown() ? 0 : graphHeight();
}

/** After the view has changed, or what is folded: other nodes. */
function regrow(stacksToo) {
  if (stacksToo) stackTree = growStacks();
  growView();
  zoomed = 0; zoomHistory.length = 0; current = -1; found = [];
  changed(true);
  scrollToRoot();
  search($('search').value);
}

function showControls() {
  const isTime = metric === 'time', shownName = isTime ? D.timeLabel : 'samples';
  $('metric').textContent = 'Width: ' + shownName;
  $('metric').title = isTime
    ? 'Widths and percentages are the ' + D.timeLabel + ' that the samples stand for. Click: the number of samples'
    : 'Widths and percentages are the number of samples. Click: the ' + D.timeLabel + ' that they stand for';
  $('metric').setAttribute('aria-label', 'Widths are ' + shownName + '; change to ' + (isTime ? 'samples' : D.timeLabel));
  $('colors').hidden = states.length < 2 || !!base;
  $('colors').textContent = 'Colours: ' + (byState ? 'states' : 'kinds of code');
  const view = $('view');
  while (view.options.length > 2) view.remove(2);
  if (viewTitle()) view.add(new Option(viewTitle().slice(0, 120), wanted.name));
  view.value = wanted.name;
  $('foldJvm').checked = folding.jvm; $('foldKernel').checked = folding.kernel;
  $('hideStart').checked = folding.start; $('mergeRecursion').checked = folding.recursion;
  $('flip').setAttribute('aria-pressed', flipped);
  $('tablesButton').setAttribute('aria-pressed', !$('tables').hidden);
  canvas.setAttribute('aria-label', (viewTitle() || 'Flame graph') + ': ' + (D.wall ? span(stackValues.time.total[0]) + ' of ' + D.timeLabel + ', ' : count(stackValues.count.total[0]) + ' samples, ') + count(tree.n) + ' frames');
}

/** Replaces what is in an element. If that had the focus, what comes to the same place gets it. */
function refill(element, ...nodes) {
  const controls = () => [...element.querySelectorAll('button, [tabindex]')], at = controls().indexOf(document.activeElement);
  element.replaceChildren(...nodes);
  if (at >= 0) (controls()[at] || scroller).focus({preventScroll: true});
}

/** Says which samples are left out, with a button that brings them back. */
function showFilters() {
  const chips = [], chip = (text, undo) => {
    const b = document.createElement('button');
    b.textContent = '\u2715 ' + text;
    b.title = 'Click: all again';
    b.onclick = () => { undo(); };
    chips.push(b);
  };
  if (viewSummed) {
    const note = document.createElement('span');
    note.textContent = 'This view has more frames than can be shown: those furthest out, of ' + count(viewSummed) + ' rare stacks, are summed up.';
    chips.push(note);
  }
  if (viewTitle()) chip(viewTitle(), () => setView('stacks'));
  if (chosen.threads) chip('Threads: ' + [...chosen.threads].map(i => threads[i].label).join(', '), () => { chosen.threads = null; changed(); });
  if (chosen.state >= 0) chip('State: ' + states[chosen.state], () => { chosen.state = -1; changed(); });
  if (chosen.kind >= 0) chip('Innermost frame: ' + D.kinds[chosen.kind].label, () => { chosen.kind = -1; changed(); });
  if (base) {
    const note = document.createElement('span');
    const swatch = change => { const i = document.createElement('i'); i.dataset.change = change; return i; };
    note.append('Colours: ', swatch(1), ' orange for a larger share than in ' + (chosen.base === 'before' ? D.before : 'the baseline') + ', ', swatch(-1), ' blue for a smaller one, ', swatch(0), ' grey where it may be chance. Shares are of each side\'s own '
      + (metric === 'time' ? D.timeLabel : 'samples') + '; widths are of ' + (chosen.base === 'before' ? 'the second recording' : 'the range') + '.');
    chips.push(note);
  }
  const texts = [];
  if (chips.length && stackValues) texts.push(...chips);
  refill($('filters'), ...texts);
  $('filters').hidden = !texts.length;
  paint();
}

function showLegend() {
  let of = 0;
  for (const sum of kindSums) of += sum[metric];
  // Kinds that are not there take no room.
  const there = new Set(functions.map(f => f.kind));
  const chips = D.kinds.map((k, i) => {
    if (!there.has(i) || i === MARKER && !kindSums[i].count) return '';
    const chip = document.createElement('button'), color = document.createElement('i'), share = document.createElement('span');
    color.dataset.kind = i;
    color.style.background = palette[i][1];
    color.hidden = byState || !!base;
    share.textContent = kindSums[i][metric] ? percent(kindSums[i][metric], of) : '';
    chip.append(color, k.label, share);
    chip.title = k.about + '. ' + share.textContent + (kindSums[i].count ? ' of all have it innermost. ' : 'Never innermost. ') + 'Click: only stacks with such an innermost frame';
    chip.setAttribute('aria-pressed', chosen.kind === i);
    chip.onclick = () => { chosen.kind = chosen.kind === i ? -1 : i; changed(); };
    return chip;
  });
  refill($('legend'), ...chips.filter(chip => chip));
  $('states').hidden = states.length < 2;
  if (states.length > 1) {
    let all = 0;
    for (const sum of stateSums) all += sum[metric];
    refill($('states'), ...states.map((name, i) => {
      const chip = document.createElement('button'), share = document.createElement('span');
      share.textContent = percent(stateSums[i][metric], all);
      if (byState && !base) {
        const color = document.createElement('i');
        color.dataset.state = i;
        color.style.background = statePalette[i][1];
        chip.append(color);
      }
      chip.append(name, share);
      chip.title = 'Click: only threads in this state';
      chip.setAttribute('aria-pressed', chosen.state === i);
      chip.onclick = () => { chosen.state = chosen.state === i ? -1 : i; changed(); };
      return chip;
    }));
  }
}

function reset() {
  $('search').value = '';
  chosen.threads = chosen.range = null; chosen.state = chosen.kind = -1;
  chosen.base = D.before ? 'before' : null;
  dragsBase = false;
  if (wanted.name !== 'stacks') setView('stacks');
  else { zoomHistory.length = 0; zoomed = 0; changed(); search(''); }
}

function setFlipped(on) {
  flipped = on;
  showControls(); draw();
  scrollToRoot();
  redraw(); saveState();
}
function setDark(on) { dark = on; paint(); drawStrip(); redraw(); saveState(); }
function setMetric(m) {
  metric = m;
  changed();
  moveTo(zoomed, false);
}
function setByState(on) {
  byState = on;
  changed(); redraw();
}
function toggleSandwich() {
  const subject = cursor > 0 ? cursor : zoomed ? zoomed : current >= 0 ? found[current] : 0;
  if (subject) setView('function', tree.text[subject]);
  else if (wanted.name === 'function') setView('stacks');
}

let lastEvent = null, tipWaits = false;
canvas.addEventListener('mousemove', e => {
  const i = nodeAt(e);
  lastEvent = e;
  if (i !== hover) {
    hover = i;
    canvas.style.cursor = i < 0 ? '' : 'pointer';
    redraw();
    if (!tipWaits) { tipWaits = true; requestAnimationFrame(() => { tipWaits = false; showTip(lastEvent); }); }
  } else if (!$('tip').hidden) placeTip(e);
});
canvas.addEventListener('mouseleave', () => { hover = -1; $('tip').hidden = true; redraw(); });
canvas.addEventListener('click', e => {
  const i = nodeAt(e);
  if (i < 0) return;
  cursor = -1;
  if (e.shiftKey && i) setView('function', tree.text[i]);
  else setZoom(i, true);
});
scroller.addEventListener('scroll', () => { $('tip').hidden = true; redraw(); });
$('search').addEventListener('input', () => search($('search').value));
$('search').addEventListener('keydown', e => {
  if (e.key !== 'Enter' || e.isComposing) return;
  selectMatch(current + (e.shiftKey ? -1 : 1), true);
  e.preventDefault();
});
$('before').onclick = () => selectMatch(current - 1, true);
$('after').onclick = () => selectMatch(current + 1, true);
$('current').onclick = () => { if (current >= 0) setZoom(found[current], true); };
$('back').onclick = back;
$('reset').onclick = reset;
$('flip').onclick = () => setFlipped(!flipped);
$('view').onchange = () => setView($('view').value, wanted.of);
$('sandwich').onclick = toggleSandwich;
for (const [id, name] of [['foldJvm', 'jvm'], ['foldKernel', 'kernel'], ['hideStart', 'start'], ['mergeRecursion', 'recursion']]) {
  $(id).onchange = () => { folding[name] = $(id).checked; regrow(true); };
}
$('tablesButton').onclick = () => setTables($('tables').hidden);
$('theme').onclick = () => setDark(!dark);
$('colors').onclick = () => setByState(!byState);
$('metric').onclick = () => setMetric(metric === 'time' ? 'count' : 'time');
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', e => setDark(e.matches));
addEventListener('resize', () => { showMore(); draw(); drawStrip(); });
addEventListener('hashchange', loadState);
addEventListener('beforeprint', () => { printing = true; paint(); draw(); drawStrip(); });
addEventListener('afterprint', () => { printing = false; paint(); draw(); drawStrip(); });
addEventListener('keydown', e => {
  const typing = document.activeElement === $('search'), onButton = /^(BUTTON|SELECT|INPUT|TR)$/.test(document.activeElement.tagName);
  if (e.key === 'Escape') { reset(); $('search').blur(); e.preventDefault(); }
  else if ((e.key === '/' && !typing) || ((e.ctrlKey || e.metaKey) && e.key === 'f')) { $('search').focus(); $('search').select(); e.preventDefault(); }
  else if (typing || document.activeElement === $('view') || e.ctrlKey || e.metaKey || e.altKey) return; // letters choose in a list
  else if (e.key.startsWith('Arrow') && !onButton && document.activeElement !== strip) { moveCursor(e.key); e.preventDefault(); }
  else if (e.key === 'Enter' && cursor >= 0 && !onButton) { setZoom(cursor, true); e.preventDefault(); }
  else if (e.key === 'Backspace') { back(); e.preventDefault(); }
  else if (e.key === 'n' || e.key === 'p') selectMatch(current + (e.key === 'p' ? -1 : 1), true);
  else if (e.key === 's') toggleSandwich();
  else if (e.key === 'i') setFlipped(!flipped);
  else if (e.key === 'h') setTables($('tables').hidden);
  else if (e.key === 'd') setDark(!dark);
});

/** A control that can't be used any more passes the focus on. */
function keepFocus() {
  const at = document.activeElement;
  if (at.disabled || !at.getClientRects().length) scroller.focus({preventScroll: true});
}
addEventListener('click', keepFocus);
addEventListener('keydown', keepFocus);

$('title').textContent = $('title').title = D.title;
$('title').dir = 'auto';
// In one line there is room for the first few: how much was seen, then how, then the JVM's long name.
const rankOf = label => /^Samples|CPU|^Wall|^Weight|^Event/.test(label) ? 0 : /stacks/.test(label) ? 1 : label ? 2 : 3;
$('facts').replaceChildren(...[...D.facts].sort(([a], [b]) => rankOf(a) - rankOf(b)).map(([label, text, look]) => {
  const s = document.createElement('span'), b = document.createElement('b');
  b.textContent = text;
  b.className = look || '';
  s.append(label + ' ', b);
  return s;
}));
if (D.notes.length) {
  $('notes').hidden = false;
  $('noteText').replaceChildren(...D.notes.flatMap((t, i) => { const s = document.createElement('span'); s.textContent = t; return i ? [' \u2022 ', s] : [s]; }));
}

// What does not fit into its line is one click away.
const cut = [['top', 'facts'], ['top', 'title'], ['notes', 'noteText']];
function showMore() {
  for (const box of ['top', 'notes']) {
    const button = $(box).querySelector('.more'), isAll = $(box).classList.contains('all');
    button.hidden = !isAll && !cut.some(([of, id]) => of === box && ($(id).scrollWidth > $(id).clientWidth + 1 || $(id).scrollHeight > $(id).clientHeight + 3));
    button.textContent = isAll ? 'less' : 'more';
    button.setAttribute('aria-expanded', isAll);
    button.onclick = () => { $(box).classList.toggle('all'); showMore(); draw(); };
  }
}

wireStrip();
loadState();
if (D.wall || !stackValues.time.total[0]) $('metric').hidden = true;
showMore();
drawStrip();
draw();
document.documentElement.dataset.ready = Math.round(performance.now());
