// The platform's table of error codes, row by row: what each asks of us, and how long it asks to wait.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify } from '../../src/adapters/meta/error-codes.ts';
import { openMetaPlatform } from '../../src/adapters/meta/platform.ts';
import { openOutgoing } from '../../src/base/outgoing.ts';
import type { RefusalClass } from '../../src/ports/platform.ts';

/** Code, HTTP status (the platform's table of December 2025), what it asks of us, seconds to wait at least. */
const table: [number, number, RefusalClass, number?][] = [
  [130429, 400, 'throttled'], // the number's throughput
  [131056, 400, 'pair_rate'],
  [4, 400, 'throttled', 60], // the app's calls of this hour
  [80007, 400, 'throttled', 60], // the business account's
  [131057, 500, 'retry', 60], // maintenance, or an upgrade of about a minute
  [1, 400, 'retry'],
  [2, 503, 'retry'],
  [131000, 500, 'retry'],
  [131016, 500, 'retry'],
  [133004, 503, 'retry'],
  [131048, 400, 'halt_sender'], // spam limit of the number
  [131049, 400, 'final'], // not delivered, so that the platform's people stay well
  [131050, 400, 'final'], // the user stopped marketing
  [130472, 400, 'final'], // experiment
  [131026, 400, 'final'], // undeliverable
  [131021, 400, 'final'], // to itself
  [131047, 400, 'final'],
  [131051, 400, 'final'],
  [131052, 400, 'final'],
  [131053, 400, 'media_refused'], // final, unless the platform forgot a file before its time
  [132000, 400, 'final'],
  [132012, 400, 'final'],
  [132018, 400, 'final'],
  [132001, 404, 'template_outdated'], // final, and what we know of the template is read again
  [132005, 400, 'final'],
  [132007, 400, 'final'],
  [132015, 400, 'halt_template'],
  [132016, 400, 'halt_template'],
  [132068, 400, 'final'],
  [132069, 400, 'final'],
  [100, 400, 'final'],
  [33, 400, 'final'],
  [131008, 400, 'final'],
  [131009, 400, 'final'],
  [135000, 400, 'final'],
  [0, 401, 'halt_sender'],
  [190, 401, 'halt_sender'],
  [3, 500, 'halt_sender'],
  [10, 403, 'halt_sender'],
  [200, 403, 'halt_sender'],
  [299, 403, 'halt_sender'],
  [131005, 403, 'halt_sender'],
  [368, 403, 'halt_sender'],
  [131031, 403, 'halt_sender'],
  [130497, 403, 'halt_sender'],
  [131042, 400, 'halt_sender'],
  [131037, 400, 'halt_sender'],
  [131045, 500, 'halt_sender'],
  [133010, 400, 'halt_sender'],
  ...([133000, 133005, 133006, 133008, 133009, 133015, 133016] as const).map(
    (code): [number, number, RefusalClass] => [code, 400, 'final'],
  ),
  [131062, 400, 'final'],
  [131063, 400, 'final'],
  [131064, 400, 'final'],
  [134100, 400, 'final'],
  [137000, 400, 'final'],
  [999999, 400, 'final'], // not known yet
];

const outgoing = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1000 });
const platform = openMetaPlatform({ outgoing, guardedOutgoing: outgoing, apiVersion: 'v23.0' });
let next: { status: number; headers?: Record<string, string>; body: object };
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(next.status, next.headers).end(JSON.stringify(next.body));
});
let apiUrl = '';
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await outgoing.close();
  server.close();
});

async function refusalOf(code: number, status: number, headers: Record<string, string> = {}) {
  next = {
    status,
    headers,
    body: { error: { code, message: `(#${code}) Title`, error_data: { details: 'Why.' } } },
  };
  const sender = { senderId: '1', accountId: '2', phoneNumberId: '3', businessAccountId: '4' };
  const filled = { body: [], buttons: [] };
  return platform
    .sendTemplate(
      { ...sender, accessToken: 't', apiUrl, isOwnAddress: false },
      { phone: '15550100', templateName: 'a', language: 'en', filled, opaqueId: 'o' },
    )
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

describe('a refusal', () => {
  it.each(table)('with code %i (HTTP %i) is %s', async (code, status, kind, waitSeconds) => {
    expect(await refusalOf(code, status)).toMatchObject({
      outcome: 'refused',
      code,
      title: 'Title',
      message: 'Why.',
      ...(waitSeconds === undefined ? {} : { retryAfterSeconds: waitSeconds }),
    });
    expect(platform.classify(code)).toBe(kind);
  });

  it('waits as long as its answer says, by Retry-After or by the usage header in minutes', async () => {
    expect(await refusalOf(80007, 400, { 'retry-after': '17' })).toMatchObject({ retryAfterSeconds: 17 });
    const usage = { id: [{ type: 'whatsapp', estimated_time_to_regain_access: 7 }], other: [{}] };
    const headers = { 'x-business-use-case-usage': JSON.stringify(usage) };
    expect(await refusalOf(80007, 400, headers)).toMatchObject({ retryAfterSeconds: 420 });
    expect(await refusalOf(4, 400, { 'x-business-use-case-usage': 'nonsense' })).toMatchObject({
      retryAfterSeconds: 60,
    });
    expect(await refusalOf(131026, 400, headers)).toMatchObject({ retryAfterSeconds: undefined });
  });

  it('is of the same class whether its code is a number or its text; none at all is final', () => {
    expect(classify('130429')).toBe('throttled');
    expect(classify(undefined)).toBe('final');
    expect(classify('nonsense')).toBe('final');
  });
});
