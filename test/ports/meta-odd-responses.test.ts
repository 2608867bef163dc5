// Malformed and hostile responses of the platform: each becomes a VendorError or values that the database can store.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';
import { phoneNumber } from '../../src/adapters/meta/number.ts';
import { openMetaPlatform } from '../../src/adapters/meta/platform.ts';
import { VendorError } from '../../src/base/errors.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';

const outgoing = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 1_000 });
const platform = openMetaPlatform({ outgoing, guardedOutgoing: outgoing, apiVersion: 'v23.0' });
let answer: RequestListener;
const server = createServer((request, response) => answer(request, response));
const sender = {
  ...{ senderId: 's', accountId: 'a', phoneNumberId: '1', businessAccountId: '2', credential: 't' },
  ...{ apiUrl: '', isOwnAddress: false },
};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  sender.apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await outgoing.close();
  server.close();
});

function answering(status: number, body: string | Buffer, headers: Record<string, string> = {}): void {
  answer = (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

const failure = async (): Promise<VendorError> => {
  const error = await platform.listTemplates(sender).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(VendorError);
  return error as VendorError;
};

describe('a rejection', () => {
  it.each([
    '{"error":{"code":190,"message":{},"error_user_title":[],"error_data":"x"}}',
    '{"error":{"code":190,"message":null,"error_data":{"details":5}}}',
    '{"error":{"code":190}}',
  ])('%s is reported with its code', async (body) => {
    answering(400, body);
    expect(await failure()).toMatchObject({ outcome: 'rejected', code: 190, title: 'Refused' });
  });

  it('is recognised by its code, even with HTTP status 200', async () => {
    answering(200, '{"error":{"code":131026,"message":"(#131026) Undeliverable","type":"OAuthException"}}');
    expect(await failure()).toMatchObject({ outcome: 'rejected', code: 131026, title: 'Undeliverable' });
  });

  it('of megabytes with NUL and unpaired surrogates is cut to a storable text', async () => {
    answering(400, `{"error":{"code":1,"message":"a\\u0000\\ud800${'😀'.repeat(500_000)}"}}`);
    const { message, title } = await failure();
    expect(message.length).toBeLessThanOrEqual(1_000);
    expect([message.isWellFormed(), message.includes('\0'), title?.isWellFormed()]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it.each(['1e300', '99999999999999', 'Infinity'])(
    'never requests a wait of more than a day (%s)',
    async (wait) => {
      answering(429, '{"error":{"code":4,"message":"x"}}', { 'retry-after': wait });
      expect((await failure()).retryAfterSeconds).toBe(86_400);
    },
  );
});

describe('a response without the platform’s JSON', () => {
  const page =
    '<!DOCTYPE html><html><head><title>x</title><style>p{}</style></head><body><h1>Access denied</h1>\n<p>Rule\u0007 12\u202e.</p><script>alert(1)</script></body></html>';
  const classOf = (error: VendorError) => (error.code === undefined ? null : platform.classify(error));

  it.each([301, 307, 308, 400, 401, 403, 404, 405, 407, 413, 421, 451])(
    'HTTP %i did not send the message: the sender halts with the response as its reason',
    async (status) => {
      for (const body of [page, '', '[]', 'null', '"x"', '{', '{"message":"Forbidden"}', '\xff']) {
        answering(status, body, { 'content-type': 'text/html' });
        const error = await failure();
        expect(error).toMatchObject({ outcome: 'rejected', status, code: `http_${status}` });
        expect(classOf(error)).toBe('halt_sender');
      }
      answering(status, page);
      expect((await failure()).message).toMatch(/^HTTP \d+ without .*: "Access denied Rule 12 ."$/);
    },
  );

  it('HTTP 429 throttles the sender for the time of Retry-After', async () => {
    answering(429, page, { 'retry-after': '7' });
    const error = await failure();
    expect(error).toMatchObject({ outcome: 'rejected', code: 'http_429', retryAfterSeconds: 7 });
    expect(classOf(error)).toBe('throttled');
  });

  it.each([408, 499, 500, 502, 503, 504, 520])(
    'HTTP %i leaves the outcome unknown and does not halt the sender',
    async (status) => {
      for (const body of [page, '', '{"error":{"code":502,"message":"Bad gateway"}}']) {
        answering(status, body);
        const error = await failure();
        expect([error.outcome, error.status, classOf(error)]).toEqual(['unknown', status, null]);
      }
    },
  );

  it.each([
    [302, ''],
    [303, ''],
    [200, page],
  ])('HTTP %i with the body %j leaves the outcome unknown and halts the sender', async (status, body) => {
    answering(status, body);
    const error = await failure();
    expect([error.outcome, classOf(error)]).toEqual(['unknown', 'halt_sender']);
  });

  it.each(['[]', 'null', '"x"', '{', '', '\xff', '{"messages":'])(
    'HTTP 200 with the body %j leaves the outcome unknown',
    async (body) => {
      answering(200, body);
      const error = await failure();
      expect([error.outcome, classOf(error)]).toEqual(['unknown', null]);
    },
  );

  it('in JSON without fbtrace_id, with the HTTP status as code, is not the platform’s error', async () => {
    answering(403, '{"error":{"code":403,"message":"Forbidden"}}');
    expect(await failure()).toMatchObject({ code: 'http_403' });
    answering(403, '{"error":{"code":403,"message":"Forbidden","fbtrace_id":"A"}}');
    expect(await failure()).toMatchObject({ code: 403 });
    answering(403, '{"error":{"code":"x"}}');
    expect(await failure()).toMatchObject({ code: 'http_403' });
  });

  it.each(['<b', '<head', '<HEAD>x', '<script>x', '<', 'x ', '&'])(
    'of megabytes of %j is quoted in fewer than 400 characters',
    async (unit) => {
      answering(403, unit.repeat(4_000_000 / unit.length));
      expect((await failure()).message.length).toBeLessThan(400);
    },
  );

  it.each([
    ['<HEADER>Kept</HEADER><Style>p{}</STYLE> too', 'Kept too'],
    ['<p title="a>b">x</p>', 'b">x'],
    ['Plain text', 'Plain text'],
    ['<script>never closed', undefined],
  ])('%j is quoted as %j', async (html, quoted) => {
    answering(403, html);
    const { message } = await failure();
    if (quoted === undefined) expect(message).toMatch(/It had no text/);
    else expect(message).toContain(`"${quoted}"`);
  });
});

describe('the id of a sent message', () => {
  const message = {
    phone: '1',
    templateName: 'x',
    language: 'en',
    filled: { body: [], buttons: [] },
    correlationId: 'o',
  };
  const sent = () => platform.sendTemplate(sender, message);

  it('is read after a byte order mark, compressed, as a number, and in addition to an error', async () => {
    answering(200, '\ufeff{"messages":[{"id":"wamid.1"}]}');
    expect(await sent()).toMatchObject({ messageRef: 'wamid.1' });
    answering(200, gzipSync('{"messages":[{"id":122097329108006499}]}'), { 'content-encoding': 'gzip' });
    expect(await sent()).toMatchObject({ messageRef: '122097329108006499' });
    answering(200, '{"messages":[{"id":"wamid.2"}],"error":{"code":131026,"type":"OAuthException"}}');
    expect(await sent()).toMatchObject({ messageRef: 'wamid.2' });
  });

  it.each([512, 513])('of %i characters is stored if it fits an index entry', async (length) => {
    answering(200, `{"messages":[{"id":"${'w'.repeat(length)}"}]}`);
    if (length === 512) expect((await sent()).messageRef).toHaveLength(512);
    else await expect(sent()).rejects.toMatchObject({ outcome: 'unknown' });
  });
});

describe('a list of templates', () => {
  const odd = [
    ...[null, 5, [], {}],
    {
      id: 7,
      name: 'odd',
      language: 'en',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [
        ...[null, 'x', {}, { type: 5 }],
        { type: 'BODY', text: 5, format: {}, buttons: 'x', example: 'x', kept: { a: [1] } },
        { type: 'BUTTONS', buttons: [null, {}, { type: 'URL', url: 5, text: 'Go' }] },
      ],
    },
  ];

  it('keeps the readable parts of malformed templates', async () => {
    answering(200, JSON.stringify({ data: odd }));
    const { templates } = await platform.listTemplates(sender);
    expect(templates.at(-1)).toMatchObject({
      providerTemplateId: '7',
      components: [
        { type: 'BODY', kept: { a: [1] }, buttons: [] },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Go' }] },
      ],
    });
    expect(Object.keys(templates.at(-1)?.components[0] ?? {})).toEqual(['type', 'kept', 'buttons']);
  });

  it.each(['{"data":{}}', '{"data":null}', '{}'])('that is %s is an error', async (body) => {
    answering(200, body);
    expect((await failure()).outcome).toBe('unknown');
  });
});

it('texts of callbacks are stored without invalid Unicode', () => {
  const status =
    '{"id":"w","status":"failed","timestamp":"1","errors":[{"code":1,"title":"a\\u0000\\udc00b"}]}';
  const value = `{"metadata":{"phone_number_id":"1"},"statuses":[${status}]}`;
  const body = `{"entry":[{"id":"2","changes":[{"field":"messages","value":${value}}]}]}`;
  expect(readCallback(Buffer.from(body)).statuses[0]?.error?.title).toBe('a\ufffdb');
});

it('keeps twenty short problems of the health of a number', () => {
  const entities = Array.from({ length: 1_000 }, () => ({ can_send_message: 'x'.repeat(2_000) }));
  const { health } = phoneNumber('1', { health_status: { can_send_message: 'BLOCKED', entities } });
  expect(health?.problems.map(({ description }) => description)).toEqual(
    Array.from({ length: 20 }, () => `is ${'x'.repeat(1_000)}`),
  );
});
