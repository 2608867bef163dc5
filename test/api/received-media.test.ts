// Media of inbound messages: streamed from the platform, never executed by browsers, only from documented hosts.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { InboundMessage } from '../../sandbox/cloud-api/inbound.ts';
import { openMetaPlatform } from '../../src/adapters/meta/platform.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { servedHeaders } from '../../src/messaging/media/served-file.ts';
import { type Gateway, number } from '../harness/gateway.ts';
import { type Inbound, startInbound } from '../harness/inbound.ts';

let gateway: Gateway;
let inbound: Inbound;
beforeAll(async () => {
  inbound = await startInbound();
  ({ gateway } = inbound);
});
afterAll(() => gateway?.close());

/** Lets a person send a message with a file; returns its id in the gateway. */
async function received(message: Omit<InboundMessage, 'from'>): Promise<string> {
  const written = await gateway.platform.write(number.id, {
    messages: [{ from: { phone: '15551112222' }, ...message }],
  });
  return (await inbound.eventOf(written.messages[0]?.id ?? '')).data._id;
}
async function download(id: string) {
  const response = await fetch(`${gateway.url}/v1/messages/received/${id}/media`, {
    headers: { 'X-API-Key': gateway.apiKey },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const code = response.ok ? undefined : (JSON.parse(bytes.toString()) as { code: string }).code;
  return { status: response.status, headers: response.headers, bytes, code };
}
const fileOf = (bytes: Buffer, mimeType: string, fileName?: string) => ({
  ...{ base64: bytes.toString('base64'), mimeType },
  ...(fileName === undefined ? {} : { fileName }),
});

describe('GET /v1/messages/received/:id/media', () => {
  it.each([['image'], ['video'], ['audio'], ['voicemail'], ['sticker']])(
    'shows an %s inline',
    async (kind) => {
      const { status, headers, bytes } = await download(await received({ kind }));
      expect([status, bytes.length > 10]).toEqual([200, true]);
      expect(headers.get('content-disposition')).toMatch(/^inline; /);
      expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it('returns the file unchanged, as an attachment unless browsers may show it', async () => {
    const page = Buffer.from(`<script>alert(1)</script>${'x'.repeat(3_000_000)}`);
    const id = await received({ kind: 'document', file: fileOf(page, 'text/html', 'Grüße.html') });
    const { status, headers, bytes } = await download(id);
    expect([status, bytes.equals(page)]).toEqual([200, true]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': String(page.length),
      'content-disposition': `attachment; filename="Gr__e.html"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.html`,
      'content-security-policy': "sandbox; default-src 'none'",
    });
    const disguised = await received({ kind: 'image', file: fileOf(page, 'image/png') });
    expect((await download(disguised)).headers.get('content-disposition')).toMatch(/^attachment; /);
  });

  it('returns 404 for a message without a file, and 410 once the platform has lost it', async () => {
    const text = await received({ kind: 'text' });
    expect(await download(text)).toMatchObject({ status: 404, code: 'media_not_found' });
    expect(await download('019a0b5e-7c00-7000-8000-000000000000')).toMatchObject({
      code: 'message_not_found',
    });
    const image = await received({ kind: 'image' });
    await gateway.platform.advanceClock(7 * 86_400_000 - 60_000);
    expect((await download(image)).status).toBe(200);
    await gateway.platform.advanceClock(120_000);
    expect(await download(image)).toMatchObject({ status: 410, code: 'media_gone' });
  });

  it('returns 502 or 503 with the platform’s error', async () => {
    const image = await received({ kind: 'image' });
    await gateway.platform.addFault({ on: 'objects', code: 10, times: 1 });
    expect(await download(image)).toMatchObject({ status: 502, code: 'provider_rejected' });
    await gateway.platform.addFault({ on: 'objects', does: 'answer', status: 500, times: 1 });
    expect(await download(image)).toMatchObject({ status: 503, code: 'provider_unavailable' });
    for (const [refused, status] of [
      [401, 502],
      [429, 503],
      [500, 503],
    ] as const) {
      await gateway.platform.addFault({ on: 'downloads', does: 'answer', status: refused, times: 1 });
      expect((await download(image)).status).toBe(status);
    }
    expect((await download(image)).status).toBe(200);
  });
});

test('a download whose connection breaks in the middle breaks too, and is never a complete response', async () => {
  const bytes = Buffer.alloc(3_000_000, 'x');
  const id = await received({ kind: 'document', file: fileOf(bytes, 'application/pdf') });
  await gateway.platform.addFault({ on: 'downloads', does: 'cut', times: 1 });
  await expect(download(id)).rejects.toThrow('terminated');
  // within the first bytes, nothing was answered yet
  const small = await received({ kind: 'document', file: fileOf(Buffer.from('ab'), 'application/pdf') });
  await gateway.platform.addFault({ on: 'downloads', does: 'cut', times: 1 });
  expect(await download(small)).toMatchObject({ status: 503, code: 'provider_unavailable' });
  expect((await download(id)).bytes.equals(bytes)).toBe(true);
});

describe('a download', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const outgoing = openOutgoing({ connectionsPerOrigin: 8, keepAliveMs: 1_000 });
  afterAll(() => outgoing.close());

  async function server(listener: RequestListener) {
    const running = createServer(listener);
    await new Promise<void>((resolve) => running.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(running.address() as AddressInfo).port}`;
    return { url, close: () => new Promise<void>((resolve) => running.close(() => resolve())) };
  }
  /** A platform whose address of every file is what `urlOf` returns, and which serves `/file`. */
  async function openFrom(
    described: (own: string) => object,
    more: { isOwnAddress?: boolean; missing?: number } = {},
  ) {
    let missing = more.missing ?? 0;
    const tokens: string[] = [];
    const api = await server((request, response) => {
      if (request.url !== '/file') return void response.end(JSON.stringify(described(api.url)));
      tokens.push(String(request.headers.authorization));
      if (missing-- > 0) return void response.writeHead(404).end('{}');
      response.end(png);
    });
    const forbid = () => Promise.reject(new Error('not through the guard'));
    const guarded = { request: outgoing.request, stream: forbid };
    const platform = openMetaPlatform({ outgoing, guardedOutgoing: guarded, apiVersion: 'v23.0' });
    const sender = {
      ...{
        senderId: 's',
        accountId: 'a',
        phoneNumberId: '1',
        businessAccountId: '2',
        credential: 'the-token',
      },
      ...{ apiUrl: api.url, isOwnAddress: more.isOwnAddress ?? false },
    };
    const opening = platform.openReceivedMedia({ sender, mediaRef: '10', maxBytes: 1_000, timeoutMs: 5_000 });
    const result = await opening.then(
      (value) => value,
      (error: unknown) => error as Error,
    );
    if ('content' in result) await result.content.toArray();
    await api.close();
    return { result, tokens };
  }

  test.each([
    'https://attacker.example/file',
    'http://lookaside.fbsbx.com/file',
    'https://lookaside.fbsbx.com.attacker.example/',
    'no url',
  ])('from %s is rejected before the token is sent', async (url) => {
    const { result } = await openFrom(() => ({ url }));
    expect(result).toMatchObject({
      name: 'VendorError',
      outcome: 'rejected',
      message: expect.stringContaining('does not document'),
    });
  });

  test('from the platform’s host, or from an account’s own address, passes the address guard', async () => {
    const documented = await openFrom(() => ({ url: 'https://lookaside.fbsbx.com/x' }));
    expect(documented.result).toMatchObject({ message: 'not through the guard' });
    const own = await openFrom((url) => ({ url: `${url}/file` }), { isOwnAddress: true });
    expect(own.result).toMatchObject({ message: 'not through the guard' });
  });

  test('asks again for an address that has expired, once', async () => {
    const address = (url: string) => ({ url: `${url}/file` });
    const { result, tokens } = await openFrom(address, { missing: 1 });
    expect(result).toMatchObject({ outcome: 'opened', size: png.length });
    expect(tokens).toEqual(['Bearer the-token', 'Bearer the-token']);
    expect((await openFrom(address, { missing: 2 })).result).toEqual({ outcome: 'gone' });
  });

  test('of a file that is too large is not begun', async () => {
    const { result, tokens } = await openFrom((url) => ({ url: `${url}/file`, file_size: 1_001 }));
    expect([result, tokens]).toEqual([{ outcome: 'too_large' }, []]);
  });
});

test.each([
  ['image/jpeg', 'ffd8ff00', 'inline'],
  ['image/png', '89504e470d0a1a0a', 'inline'],
  ['image/webp', '524946460000000057454250', 'inline'],
  ['video/3gpp', '0000001866747970', 'inline'],
  ['audio/ogg; codecs=opus', '4f676753', 'inline'],
  ['audio/aac', 'fff1', 'inline'],
  ['audio/aac', 'fffb', 'attachment'],
  ['image/jpeg', '89504e470d0a1a0a', 'attachment'],
  ['image/jpeg', '', 'attachment'],
  ['image/svg+xml', '3c737667', 'attachment'],
  ['application/pdf', '25504446', 'attachment'],
  ['a b\r\nX: y', '', 'attachment'],
])('a file of the type %s that begins with %s is served %s', (mimeType, hex, disposition) => {
  const headers = servedHeaders({ mimeType, fileName: 'a', head: Buffer.from(hex, 'hex') });
  expect(headers['Content-Disposition']).toMatch(new RegExp(`^${disposition};`));
  expect(headers['Content-Type']).toMatch(/^[\w+.-]+\/[\w+.-]+$/);
});
