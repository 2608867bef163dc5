// POST /v1/templates/media: what is taken, how it is kept, and what the platform makes of it.
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MediaGateway, openMediaGateway } from '../harness/media-gateway.ts';
import { pngPart, samples } from '../harness/sample-files.ts';

let gateway: MediaGateway;
let account = '';
beforeAll(async () => {
  gateway = await openMediaGateway();
  account = await gateway.accountWithSender();
});
afterAll(() => gateway.close());

const MiB = 1024 * 1024;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const nothingLeft = (accountId: string) => gateway.nothingLeft(accountId);
const fresh = () => gateway.accountWithSender();

describe('an upload', () => {
  test('answers the record, and the platform has the file under its mediaId', async () => {
    const { status, json } = await gateway.upload(account, pngPart);
    expect(json).toMatchObject({ success: true, message: expect.any(String) });
    expect(status).toBe(200);
    expect(json.data).toEqual({
      mediaId: expect.stringMatching(/^\d+$/),
      kind: 'image',
      fileName: 'dot.png',
      mimeType: 'image/png',
      size: samples.png.length,
      sha256: sha256(samples.png),
      createdAt: expect.stringMatching(/Z$/),
    });
    const atPlatform = (await gateway.control.media()).find(({ id }) => id === json.data.mediaId);
    expect(atPlatform).toMatchObject({ sha256: sha256(samples.png), mimeType: 'image/png' });
  });

  test.each([
    ['a JPEG', samples.jpeg, 'image/jpeg', 'image'],
    ['an MP4', samples.mp4, 'video/mp4', 'video'],
    ['a 3GPP video', samples.threeGpp, 'video/3gpp', 'video'],
    ['a PDF', samples.pdf, 'application/pdf', 'document'],
    ['a Word document', samples.ole, 'application/msword', 'document'],
    [
      'a newer Word document',
      samples.docx,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'document',
    ],
    ['plain text', samples.text, 'text/plain', 'document'],
  ])('of %s is taken as what it is', async (_what, bytes, type, kind) => {
    const { status, json } = await gateway.upload(account, { name: 'file', fileName: 'f', type, bytes });
    expect([status, json.data?.kind, json.data?.mimeType]).toEqual([200, kind, type]);
  });

  test('by an ordinary client’s FormData works, with any name', async () => {
    const form = new FormData();
    form.set(
      'file',
      new File([new Uint8Array(samples.pdf)], 'Angebot für Zoë "2026".pdf', { type: 'application/pdf' }),
    );
    const { json } = await gateway.call(account, 'POST', '/v1/templates/media', { body: form });
    expect(json.data.fileName).toBe('Angebot für Zoë "2026".pdf');
    const untyped = new FormData();
    untyped.set('file', new Blob([new Uint8Array(samples.pdf)]), 'offer.pdf');
    expect(
      (await gateway.call(account, 'POST', '/v1/templates/media', { body: untyped })).json.data.mimeType,
    ).toBe('application/pdf');
  });

  test('is never on disk in the clear', async () => {
    const marker = 'a sentence that must not be found on the disk\n';
    const bytes = Buffer.from(marker.repeat(40_000));
    const { json } = await gateway.upload(account, {
      name: 'file',
      fileName: 'n.txt',
      type: 'text/plain',
      bytes,
    });
    expect(json.success).toBe(true);
    for (const path of await gateway.filesOnDisk())
      expect((await readFile(path)).includes(marker)).toBe(false);
  });

  test('of the largest file allowed is taken, and memory does not grow with it', async () => {
    const size = 100 * MiB;
    const { request, answer, partHead } = gateway.begin(account);
    request.write(partHead('application/pdf'));
    request.write(samples.pdf);
    const block = randomBytes(MiB);
    let peak = 0;
    const before = process.memoryUsage().rss;
    for (let left = size - samples.pdf.length; left > 0; left -= block.length) {
      if (!request.write(left < block.length ? block.subarray(0, left) : block)) {
        await new Promise((resolve) => request.once('drain', resolve));
      }
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    request.end('\r\n--form-boundary--\r\n');
    const { status, body } = (await answer) as { status: number; body: string };
    expect([status, JSON.parse(body).data?.size]).toEqual([200, size]);
    expect(peak - before).toBeLessThan(size * 0.8);
  }, 60_000);
});

describe('the platform', () => {
  test('that refuses: 502 with its words, and the file is gone', async () => {
    const own = await fresh();
    await gateway.control.addFault({ on: 'media', times: 1, code: 131053 });
    const { status, json } = await gateway.upload(own, pngPart);
    expect([status, json.code, json.provider.code]).toEqual([502, 'provider_rejected', 131053]);
    await nothingLeft(own);
  });

  test.each(['reset', 'close'] as const)(
    'that gives no answer (%s): 503, and the worker removes the file',
    async (does) => {
      const own = await fresh();
      await gateway.control.addFault({ on: 'media', times: 1, does });
      const { status, json, headers } = await gateway.upload(own, pngPart);
      expect([status, json.code]).toEqual([503, 'provider_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await gateway.rows(own)).toMatchObject([{ state: 'removing' }]);
      expect((await gateway.call(own, 'GET', '/v1/media')).json.data.items).toEqual([]);
      await gateway.removeLeftovers();
      await nothingLeft(own);
    },
  );
});
