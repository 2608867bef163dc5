// Time intervals. Pure.

/** Half-open `[start, end)`. */
interface Span {
  start: number;
  end: number;
}

/** Sorts the spans, merges overlapping and adjacent ones, and cuts them to `[from, to)`. */
export function merged(spans: Span[], from: number, to: number): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const cut = { start: Math.max(span.start, from), end: Math.min(span.end, to) };
    const last = joined.at(-1);
    if (cut.start >= cut.end) continue;
    if (last !== undefined && cut.start <= last.end) last.end = Math.max(last.end, cut.end);
    else joined.push(cut);
  }
  return joined;
}
