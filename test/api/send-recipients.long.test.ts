// An upload of recipients at its largest size: 512 MB are read in bounded memory, one byte more is rejected.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let templateId: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ plain: templateId = '' } = (await addSender(gateway, templateKinds)).templateIds);
});
afterAll(() => gateway?.close());

const maxBytes = 512 * 1024 * 1024;
const line = Buffer.from(`${' '.repeat(1023)}\n`);
const chunk = Buffer.concat(Array.from({ length: 1024 }, () => line));

/** A file of that size: blank lines, and a recipient at its end. */
function* file(bytes: number, phone: string) {
  const last = Buffer.from(`${JSON.stringify({ phone })}\n`);
  for (let left = bytes - last.length; left > 0; left -= chunk.length) {
    const part = chunk.subarray(0, left);
    // a shorter part still ends its line
    yield left < chunk.length ? Buffer.concat([part.subarray(0, -1), Buffer.from('\n')]) : part;
  }
  yield last;
}

async function upload(bytes: number, phone: string) {
  const made = await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body: { templateId } });
  const response = await fetch(`${gateway.url}/v1/sends/${made.body.data.sendId}/recipients`, {
    method: 'POST',
    headers: { 'X-API-Key': gateway.apiKey, 'Content-Type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(file(bytes, phone))) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  return {
    status: response.status,
    body: (await response.json()) as { code?: string; data?: { added: number } },
  };
}

test('an upload of 512 MB is accepted in bounded memory, and one byte more is 413', async () => {
  const before = process.memoryUsage().rss;
  const largest = await upload(maxBytes, '15551990001');
  expect([largest.status, largest.body.data]).toMatchObject([200, { added: 1 }]);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  const over = await upload(maxBytes + 1, '15551990002').catch(() => undefined);
  // the connection may end before the response is read
  if (over) expect([over.status, over.body.code]).toEqual([413, 'body_too_large']);
}, 120_000);
