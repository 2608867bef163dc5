// The receiver's HTML page: the latest events, newest first.
import type { Received, ReceivedCounts } from './ledger.ts';

/** A whole HTML page; reloads itself every 3 s. */
export function latestPage(latest: Received[], counts: ReceivedCounts, hooks: string[]): string {
  const rows = latest.map(
    (got) =>
      `<tr class="${got.verified ? 'good' : 'bad'}"><td>${got.seq}</td><td>${escaped(got.at)}</td>` +
      `<td>${escaped(got.hook)}</td><td>${got.verified ? 'verified' : 'not verified'}</td>` +
      `<td>${escaped(String(got.answered))}</td><td><pre>${escaped(pretty(got.body))}</pre></td></tr>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="3">
<title>Webhook receiver</title><style>
body{font:14px system-ui,sans-serif;margin:2rem;color:#222}table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid #ddd;padding:.4rem .6rem;text-align:left;vertical-align:top}
pre{margin:0;white-space:pre-wrap;word-break:break-all}.good td:nth-child(4){color:#0a6b2d}.bad td:nth-child(4){color:#a30000}
</style></head><body><h1>Webhook receiver</h1>
<p>${counts.received} received, ${counts.verified} with a valid signature. Hooks: ${hooks.map(escaped).join(', ') || 'none yet'}.</p>
<table><thead><tr><th>#</th><th>at</th><th>hook</th><th>signature</th><th>answered</th><th>body</th></tr></thead>
<tbody>${rows.join('\n') || '<tr><td colspan="6">No events yet.</td></tr>'}</tbody></table></body></html>`;
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 1);
  } catch {
    return body;
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
