// The platform's error codes: the class of each rejection, and the requested wait.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify, knownCodes } from '../../src/adapters/meta/error-codes.ts';
import { openMetaPlatform } from '../../src/adapters/meta/platform.ts';
import type { VendorError } from '../../src/base/errors.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import type { RejectionClass } from '../../src/ports/platform.ts';

/** Code, HTTP status (the platform's table of December 2025), class, minimum wait in seconds. */
const table: [number, number, RejectionClass, number?][] = [
  [0, 401, 'halt_token'],
  [190, 401, 'halt_token'],
  [102, 401, 'halt_token'], // the session of the token has ended
  [104, 400, 'halt_token'], // no token, or a call without the proof of the app secret
  [3, 500, 'halt_token'],
  [10, 403, 'halt_token'],
  [131005, 403, 'halt_token'],
  [33, 400, 'halt_sender'], // the number was deleted
  [4, 400, 'throttled_account', 60], // the app's hourly limit
  [17, 400, 'throttled_account', 60],
  [80007, 400, 'throttled_account', 60], // the business account's limit
  [80008, 400, 'throttled_account', 60],
  [341, 400, 'throttled_account', 60], // the app's limit
  [613, 400, 'throttled_account', 60],
  [130429, 400, 'throttled'], // the number's rate
  [131057, 500, 'throttled', 60], // maintenance, or an upgrade of about a minute
  [2494100, 400, 'throttled', 60],
  [131056, 400, 'pair_rate'],
  [131064, 400, 'category_limit', 3600],
  [1, 400, 'retry_once'],
  [2, 503, 'retry'],
  [131016, 500, 'retry'],
  [133004, 503, 'retry'],
  [134101, 400, 'retry', 600],
  [131000, 500, 'retry_few'],
  [131048, 400, 'halt_templates'], // spam limit of the number
  [131037, 400, 'halt_sender'],
  [131045, 500, 'halt_sender'],
  [133010, 400, 'halt_sender'],
  [368, 403, 'halt_account'],
  [131031, 403, 'halt_account'],
  [131042, 400, 'halt_account'],
  [134011, 400, 'halt_account'],
  [132001, 404, 'template_missing'],
  [132000, 400, 'template_outdated'],
  [132012, 400, 'template_outdated'],
  [132018, 400, 'template_outdated'],
  [132007, 400, 'halt_template'],
  [132015, 400, 'halt_template'],
  [132016, 400, 'halt_template'],
  [132068, 400, 'halt_template'],
  [132069, 400, 'halt_template'],
  [134102, 500, 'halt_template'],
  [131053, 400, 'media_refused'], // final, unless the platform lost the file early
  [130497, 403, 'final'], // the recipient's country
  [131049, 400, 'final'], // held back by the platform
  [131050, 400, 'opted_out'], // the recipient stopped marketing messages
  [130472, 400, 'final'], // experiment
  [131026, 400, 'final'], // undeliverable
  [131021, 400, 'final'], // to itself
  [131030, 400, 'final'], // not an allowed recipient of a test number
  [130403, 400, 'final'], // blocked by us
  [131047, 400, 'final'],
  [131062, 400, 'final'],
  [137000, 400, 'final'],
  [100, 400, 'final'],
  [131008, 400, 'final'],
  [131009, 400, 'final'],
  [131051, 400, 'final'],
  [135000, 400, 'final'],
  [551, 400, 'final'],
  [131052, 400, 'final'],
  [131060, 400, 'final'],
  [131055, 400, 'final'],
  [131063, 400, 'final'],
  [134100, 400, 'final'],
  [132005, 400, 'final'],
  ...([133000, 133005, 133006, 133008, 133009, 133015, 133016] as const).map(
    (code): [number, number, RejectionClass] => [code, 400, 'final'],
  ),
];

/** Codes outside the table. */
const others: [number, number, RejectionClass][] = [
  [200, 403, 'halt_token'],
  [299, 403, 'halt_token'],
  [300, 400, 'final'],
  [999999, 400, 'final'], // unknown
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

const rejectionOf = (code: number, status: number, headers: Record<string, string> = {}) =>
  errorOf(
    status,
    { code, type: 'OAuthException', message: `(#${code}) Title`, error_data: { details: 'Why.' } },
    headers,
  );

async function errorOf(status: number, error: object, headers: Record<string, string> = {}) {
  next = { status, headers, body: { error } };
  const sender = { senderId: '1', accountId: '2', phoneNumberId: '3', businessAccountId: '4' };
  const filled = { body: [], buttons: [] };
  return platform
    .sendTemplate(
      { ...sender, credential: 't', apiUrl, isOwnAddress: false },
      { phone: '15550100', templateName: 'a', language: 'en', filled, correlationId: 'o' },
    )
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

describe('a rejection', () => {
  it.each([...table, ...others])('with code %i (HTTP %i) is %s', async (code, status, kind, waitSeconds?) => {
    const error = await rejectionOf(code, status);
    expect(error).toMatchObject({
      outcome: 'rejected',
      code,
      title: 'Title',
      message: 'Why.',
      ...(waitSeconds === undefined ? {} : { retryAfterSeconds: waitSeconds }),
    });
    expect(platform.classify(error as VendorError)).toBe(kind);
    // as in a status report
    expect(platform.classify({ code, title: 'Title', message: 'Why.' })).toBe(kind);
  });

  it('has a row in this test for every known code', () => {
    expect(table.map(([code]) => code).toSorted((a, b) => a - b)).toEqual(
      knownCodes.toSorted((a, b) => a - b),
    );
  });

  const lost =
    "(#100) Param template['components'][0]['parameters'][0]['image']['id'] is not a valid whatsapp business account media attachment ID";
  const unreachable =
    "Unsupported post request. Object with ID '1' does not exist, cannot be loaded due to missing permissions, or does not support this operation.";
  it.each<[string, object, RejectionClass]>([
    ['subcode 33', { message: unreachable, error_subcode: 33 }, 'halt_sender'],
    ['the text of subcode 33', { message: unreachable }, 'halt_sender'],
    ['an unknown media id', { message: lost }, 'media_unknown'],
    ['the same in error_data', { message: '(#100) Invalid parameter', error_data: lost }, 'media_unknown'],
    [
      'a missing proof of the app secret',
      { message: 'API calls from the server require an appsecret_proof argument' },
      'halt_token',
    ],
    [
      'a wrong proof of the app secret',
      { message: 'Invalid appsecret_proof provided in the API argument' },
      'halt_token',
    ],
    ['another subcode', { message: '(#100) Param x', error_subcode: 2494010 }, 'final'],
    ['a bad link', { message: '(#100) Param url is not a valid URI' }, 'final'],
  ])('with code 100 and %s is classified by it', async (_what, error, kind) => {
    const thrown = (await errorOf(400, { code: 100, ...error })) as VendorError;
    expect([thrown.outcome, platform.classify(thrown)]).toEqual(['rejected', kind]);
  });

  it('subcodes of other codes change nothing', () => {
    for (const subcode of [33, 458, 460, 463, 467, 2494010])
      expect(classify({ code: 190, subcode })).toBe('halt_token');
    expect(classify({ code: 131026, subcode: 33 })).toBe('final');
  });

  it('is retried if its code is unknown and the platform calls it transient', async () => {
    const error = { code: 999999, type: 'OAuthException', message: 'Please retry your request later.' };
    const transient = (await errorOf(500, { ...error, is_transient: true })) as VendorError;
    expect([transient.outcome, platform.classify(transient)]).toEqual(['rejected', 'retry']);
    const lasting = (await errorOf(500, { ...error, is_transient: false })) as VendorError;
    expect(platform.classify(lasting)).toBe('final');
    // a documented code has its own reaction
    const known = (await errorOf(400, { ...error, code: 131026, is_transient: true })) as VendorError;
    expect(platform.classify(known)).toBe('final');
  });

  it('has its details in an object or in plain text', async () => {
    const error = { code: 131026, message: '(#131026) Undeliverable', error_data: 'No such person.' };
    expect(await errorOf(400, error)).toMatchObject({ title: 'Undeliverable', message: 'No such person.' });
    expect(await errorOf(400, { ...error, error_data: { details: 'Other.' } })).toMatchObject({
      message: 'Other.',
    });
    expect(await errorOf(400, { ...error, error_data: '' })).toMatchObject({
      message: '(#131026) Undeliverable',
    });
  });

  it('requests the wait of Retry-After, or of the usage header in minutes', async () => {
    expect(await rejectionOf(80007, 400, { 'retry-after': '17' })).toMatchObject({ retryAfterSeconds: 17 });
    const date = new Date(Date.now() + 120_000).toUTCString();
    const { retryAfterSeconds } = (await rejectionOf(80007, 400, { 'retry-after': date })) as VendorError;
    expect(Math.abs((retryAfterSeconds ?? 0) - 120)).toBeLessThan(10);
    const usage = { id: [{ type: 'whatsapp', estimated_time_to_regain_access: 7 }], other: [{}] };
    const headers = { 'x-business-use-case-usage': JSON.stringify(usage) };
    expect(await rejectionOf(80007, 400, headers)).toMatchObject({ retryAfterSeconds: 420 });
    expect(await rejectionOf(4, 400, { 'x-business-use-case-usage': 'nonsense' })).toMatchObject({
      retryAfterSeconds: 60,
    });
    expect(await rejectionOf(131026, 400, headers)).toMatchObject({ retryAfterSeconds: undefined });
  });

  it('has the same class for a numeric and a textual code; without a code it is final', () => {
    expect(classify({ code: '130429' })).toBe('throttled');
    expect(classify({ code: undefined })).toBe('final');
    expect(classify({ code: 'nonsense' })).toBe('final');
  });
});
