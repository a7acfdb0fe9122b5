// ---- statistics.js: what of a difference is more than chance; Shares is the same in Java ----

const Z = 1.959964; // 95 %
const FEW = 5 - 1e-9;

/** Wilson's interval of a share, of which n samples give p. */
function wilson(p, n) {
  if (!n) return [0, 1];
  const z2 = Z * Z / n, middle = (p + z2 / 2) / (1 + z2), half = Z / (1 + z2) * Math.sqrt(p * (1 - p) / n + z2 / (4 * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** As how many samples of equal weight those are of which a part has this weight and sum of squares. */
function effective(part, partSquares, all, allSquares) {
  if (!(all > 0 && allSquares > 0)) return 0;
  const n = all * all / allSquares, p = part / all;
  if (p <= 0 || p >= 1 || partSquares <= 0) return n;
  const spread = (1 - p) * (1 - p) * partSquares + p * p * Math.max(0, allSquares - partSquares);
  return Math.min(n, part * (all - part) / spread, all * part / partSquares);
}

/** Newcombe's interval of the difference of two shares (his method 10): difference, least, most. */
function difference(pa, na, pb, nb) {
  const a = wilson(pa, na), b = wilson(pb, nb), d = pa - pb;
  const low = d - Math.hypot(pa - a[0], b[1] - pb), high = d + Math.hypot(a[1] - pa, pb - b[0]);
  // What fewer than five samples say, or lack, is no proof.
  const hits = d > 0 ? pa * na : pb * nb, misses = d > 0 ? (1 - pb) * nb : (1 - pa) * na;
  return {d, low, high, isNoise: !(hits >= FEW && misses >= FEW) || (low <= 0 && high >= 0)};
}
