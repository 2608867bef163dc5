// README: its tables of magic recipients and template names, quoted messages, and example receiver.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { magicRecipients, magicTemplateNames } from '../../sandbox/cloud-api/magic.ts';
import { bodySignature, signingKey } from '../../src/webhooks/endpoints/sign.ts';
import { readPrograms, readProjectFile } from '../harness/documents.ts';
import { freePort } from '../harness/free-port.ts';

const readme = readProjectFile('README.md');

/** The first two cells of each row of the table whose header begins with this text, without backticks. */
function rowsBelow(heading: string): [string, string][] {
  const lines = readme.split('\n');
  const first = lines.findIndex((line) => line.startsWith(`| ${heading}`)) + 2;
  const end = lines.findIndex((line, index) => index >= first && !line.startsWith('|'));
  return lines.slice(first, end).map((line) => {
    const [, key = '', what = ''] =
      line.split(' | ').length === 2 ? (/^\| `(.+)` \| (.+) \|$/.exec(line) ?? []) : [];
    return [key, what];
  });
}

test('the table of magic recipients is that of the sandbox', () => {
  expect(rowsBelow('the number ends in')).toEqual(
    magicRecipients.map(({ endsIn, whatHappens }) => [endsIn, whatHappens]),
  );
});

test('the table of magic template names is that of the sandbox', () => {
  expect(rowsBelow('the name begins with')).toEqual(
    magicTemplateNames.map(({ beginsWith, whatHappens }) => [beginsWith, whatHappens]),
  );
});

test('the messages quoted under troubleshooting exist in the program', () => {
  const source = `${readPrograms('src/')}${readProjectFile('scripts/link-runtime.cjs')}`;
  const table = readme.slice(readme.indexOf('## Troubleshooting'), readme.indexOf('## Licence'));
  const quotes = [...table.matchAll(/^\| `([^`]+ [^`]+)` \|/gm)].map(([, quote = '']) => quote);
  expect(quotes.length).toBeGreaterThan(4);
  const parts = quotes.flatMap((quote) => quote.split('…')).map((part) => part.trim());
  expect(parts.filter((part) => part.length > 4 && !source.includes(part))).toEqual([]);
});

test('the example receiver accepts genuine webhooks only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  const port = await freePort();
  const secret = 'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlIGluIFJFQURNRQ==';
  const code = /```js\n(\/\/ WEBHOOK_SECRET[\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(code).toContain('.listen(9000');
  await writeFile(join(folder, 'receiver.mjs'), code.replace('.listen(9000', `.listen(${port}`));
  const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
    env: { WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const body = '{"event":"test","timestamp":"2026-03-10T14:00:00.000Z","data":{}}';
    const signature = bodySignature(signingKey(secret), body);
    const post = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).then(({ status }) => status);
    await answers(port);
    expect(await post({ 'x-webhook-signature': signature, 'webhook-id': '1' })).toBe(204);
    expect(await post({})).toBe(401);
    expect(await post({ 'x-webhook-signature': 'sha256=12' })).toBe(401);
    expect(await post({ 'x-webhook-signature': `sha256=${'0'.repeat(64)}` })).toBe(401);
    expect(await post({ 'x-webhook-signature': bodySignature(signingKey(`${secret}x`), body) })).toBe(401);
  } finally {
    child.kill();
    await ended;
    await rm(folder, { recursive: true });
  }
});

/** Resolves when something listens on the port. */
async function answers(port: number): Promise<void> {
  for (;;) {
    const listens = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (listens) return;
  }
}
