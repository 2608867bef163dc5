// What operators see over HTTP: GET /v1/operator/health, and who may.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLink } from '../../src/accounts/links.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { readConfig } from '../../src/config.ts';
import { scopes } from '../../src/contract/envelope.ts';
import { type Finding, ok } from '../../src/operator/finding.ts';
import { type Examined, examine } from '../../src/operator/findings.ts';
import { traceOf } from '../../src/operator/trace.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
/** Log lines, newest last. */
const lines: Record<string, unknown>[] = [];
let templateId: string;

beforeAll(async () => {
  const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  gateway = await startGateway({ log, settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const { templateIds } = await addSender(gateway, [
    { name: 'hello', language: 'en_US', status: 'APPROVED', category: 'UTILITY', components },
  ]);
  templateId = templateIds.hello as string;
});
afterAll(() => gateway?.close());

const db = () => gateway.database.db;

/** The cookie of a session with these scopes. */
async function signedIn(more: string[]): Promise<string> {
  const { token } = await createLink(
    { db: db(), clock: systemClock },
    {
      accountId: gateway.accountId,
      maker: 'operator',
      name: 'x',
      scopes: [...scopes, ...more],
      expiresInSeconds: 60,
    },
  );
  const answer = await gateway.call('POST', '/v1/session', {
    body: { link: token },
    key: null,
    headers: { Origin: gateway.url, 'X-Requested-With': 'chatbot-gateway' },
  });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const health = async (headers: Record<string, string>, key: string | null = null) =>
  gateway.call<{ ok: boolean; findings: Finding[]; disks: object[]; backups: object }>(
    'GET',
    '/v1/operator/health',
    {
      key,
      headers,
    },
  );

it('shows findings, backups and disks to a session of an operator only', async () => {
  const answer = await health({ Cookie: await signedIn(['operator']) });
  expect(answer.status).toBe(200);
  const { findings, disks, backups } = answer.body.data;
  const of = (check: string) => findings.find((one) => one.check === check);
  expect(of('database')).toMatchObject({ status: 'ok', text: 'reachable and migrated' });
  expect(of('object store')).toMatchObject({ status: 'ok', text: 'files can be written, read and deleted' });
  expect(of('backups')).toMatchObject({ status: 'note', fix: expect.stringContaining('BACKUP_TO') });
  expect(disks).toEqual([expect.objectContaining({ use: 'data', path: gateway.dataDir })]);
  expect(backups).toMatchObject({ scheduled: false, lastGoodAt: null, failures: 0 });
  expect((await health({ Cookie: await signedIn([]) })).status).toBe(403);
  expect((await health({}, gateway.apiKey)).status).toBe(403);
  expect((await health({})).status).toBe(401);
});

describe('examine', () => {
  const examined = (more: Partial<Examined> = {}): Examined => ({
    config: readConfig({ DATA_DIR: gateway.dataDir }),
    now: systemClock.now,
    keys: async () => ok('1'),
    database: db(),
    objects: async () => null,
    objectsFolder: gateway.dataDir,
    ...more,
  });
  const findingsOf = async (more?: Partial<Examined>) =>
    new Map((await examine(examined(more))).map((one) => [one.check, one]));

  it('says how to fix everything that is not in order', async () => {
    const { endpointId } = await addEndpoint(gateway);
    await sql`update endpoints set status = 'disabled', disabled_reason = 'gone', failing_since = now() where id = ${endpointId}`.execute(
      db(),
    );
    const broken = async () => {
      throw new Error('the bucket does not exist');
    };
    let findings = new Map<string, Finding>();
    // rolled back: the running gateway never sees that it is held
    await db()
      .transaction()
      .execute(async (tx) => {
        await sql`update gateway_state set held_since = now()`.execute(tx);
        findings = await findingsOf({ database: tx, objects: broken, keys: broken });
        throw new Error('roll back');
      })
      .catch(() => undefined);
    await gateway.call('DELETE', `/v1/webhooks/endpoints/${endpointId}`);
    expect(findings.get('webhook endpoints')).toMatchObject({
      status: 'note',
      text: expect.stringMatching(/^Test: http.*: gone$/),
    });
    expect(findings.get('held')).toMatchObject({ status: 'note', fix: expect.stringContaining('release') });
    expect(findings.get('object store')).toMatchObject({
      status: 'failed',
      text: 'the bucket does not exist',
    });
    expect(findings.get('encryption keys')?.status).toBe('failed');
    const unfixed = [...findings.values()].filter(({ status, fix }) => (status === 'ok') !== (fix === null));
    expect(unfixed).toEqual([]);
  });

  it('counts connected Google calendars that cannot be used because the client is not set', async () => {
    let finding: Finding | undefined;
    await db()
      .transaction()
      .execute(async (tx) => {
        const staffId = uuidv7();
        await sql`insert into staff (id, account_id, name) values (${staffId}, ${gateway.accountId}, 'Asha')`.execute(
          tx,
        );
        await sql`insert into calendar_connections (id, account_id, staff_id, provider, credential, calendar_id, busy_calendar_ids)
          values (${uuidv7()}, ${gateway.accountId}, ${staffId}, 'google', '', 'primary', '{primary}')`.execute(
          tx,
        );
        finding = (await findingsOf({ database: tx })).get('calendars');
        throw new Error('roll back');
      })
      .catch((error: Error) => expect(error.message).toBe('roll back'));
    expect(finding).toMatchObject({
      status: 'note',
      text: expect.stringContaining('GOOGLE_CLIENT_ID is not set, but 1 connected Google calendar needs it'),
    });
  });

  it('fails when a file is not read back as it was written, and leaves none behind', async () => {
    const stored = new Map<string, Buffer>();
    const { Readable } = await import('node:stream');
    const store = (read: (content: Buffer) => Buffer) =>
      ({
        check: async () => undefined,
        put: async (key: string, content: AsyncIterable<Buffer>) => {
          stored.set(key, Buffer.concat(await Array.fromAsync(content)));
          return { size: 1 };
        },
        get: async (key: string) => Readable.from([read(stored.get(key) as Buffer)]),
        delete: async (key: string) => void stored.delete(key),
      }) as unknown as Awaited<ReturnType<Examined['objects']>>;
    const statusOf = async (read: (content: Buffer) => Buffer) =>
      (await findingsOf({ objects: async () => store(read) })).get('object store')?.status;
    expect(await statusOf((content) => content)).toBe('ok');
    expect(await statusOf((content) => content.subarray(1))).toBe('failed');
    expect(stored.size).toBe(0);
  });

  it('fails for a database that cannot be reached, and leaves what it would know open', async () => {
    const findings = await findingsOf({ database: { missing: 'refused', fix: 'Start it.' } });
    expect(findings.get('database')).toEqual({
      check: 'database',
      status: 'failed',
      text: 'refused',
      fix: 'Start it.',
    });
    expect(findings.get('partitions')).toMatchObject({
      status: 'ok',
      text: expect.stringContaining('unknown'),
    });
  });
});

describe('the log line of a request', () => {
  const lineOf = (requestId: string | null) =>
    expect.poll(() => lines.find((line) => line.msg === 'request.done' && line.reqId === requestId));

  it('names account, key, client address, send and booking, and the code of an error', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const body = { templateId, recipients: [{ phone: '15550200001' }] };
    const options = { body, headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() } };
    const sent = await gateway.call<{ sendId: string }>('POST', '/v1/templates/send', options);
    const again = await gateway.call('POST', '/v1/templates/send', options);
    const { sendId } = sent.body.data;
    for (const answer of [sent, again])
      await lineOf(answer.headers.get('x-request-id')).toMatchObject({
        ...{ accountId: gateway.accountId, keyId: expect.any(String), sendId },
        ...{ address: '203.0.113.9', route: '/v1/templates/send', status: 200 },
      });
    const bookingId = uuidv7();
    const failed = await gateway.call('POST', `/v1/appointments/bookings/${bookingId}/cancel`, {
      body: {},
      headers,
    });
    await lineOf(failed.headers.get('x-request-id')).toMatchObject({
      bookingId,
      status: 404,
      code: 'booking_not_found',
    });
  });

  it('has no text of a caller as the address, and no account without a valid key', async () => {
    const headers = { 'X-Forwarded-For': 'x'.repeat(100) };
    const answer = await gateway.call('GET', '/v1/messages', { key: 'cgw_wrong', headers });
    await lineOf(answer.headers.get('x-request-id')).toMatchObject({
      address: 'invalid',
      code: 'api_key_invalid',
    });
    expect(lines.at(-1)).not.toHaveProperty('accountId');
  });
});

describe('a timeline', () => {
  it('has everything known of a message, its send and its webhooks, in order, without its text and number', async () => {
    const { endpointId } = await addEndpoint(gateway);
    const phone = '15550200002';
    const sent = await gateway.call<{ sendId: string; messages: { id: string; messageId: string }[] }>(
      'POST',
      '/v1/templates/send',
      { body: { templateId, recipients: [{ phone }] } },
    );
    const { sendId, messages } = sent.body.data;
    const [{ id, messageId } = { id: '', messageId: '' }] = messages;
    const delivered = ({ timeline }: Awaited<ReturnType<typeof traceOf>>) =>
      timeline.filter(({ what }) => what === 'webhook delivered').length;
    await expect.poll(async () => delivered(await traceOf(db(), id)), { timeout: 20_000 }).toBe(3);
    const ofMessage = await traceOf(db(), id);
    expect(ofMessage).toMatchObject({
      kind: 'message',
      id,
      accountId: gateway.accountId,
      facts: { status: 'read', sendId },
    });
    expect(ofMessage.timeline.map(({ at }) => at)).toEqual(ofMessage.timeline.map(({ at }) => at).toSorted());
    const whats = ofMessage.timeline.map(({ what }) => what);
    for (const what of ['message queued', 'read', 'webhook created']) expect(whats).toContain(what);
    // although the platform's times are whole seconds
    expect(whats[0]).toBe('message queued');
    expect(JSON.stringify(ofMessage)).not.toMatch(new RegExp(`${phone}|Hello there`));
    expect(await traceOf(db(), messageId)).toMatchObject({ kind: 'message', id });
    const ofSend = await traceOf(db(), sendId);
    expect(ofSend).toMatchObject({ kind: 'send', facts: { recipients: 1, 'messages read': 1 } });
    const of = ofMessage.timeline.find(({ what }) => what === 'webhook created')?.details.delivery as string;
    const ofDelivery = await traceOf(db(), of);
    expect(ofDelivery).toMatchObject({ kind: 'delivery', facts: { status: 'delivered', messageId: id } });
    await gateway.call('DELETE', `/v1/webhooks/endpoints/${endpointId}`);
    // also of a message that was stored as dispatching, whose column has the complement
    for (const leasedBy of [7, ~7]) {
      await sql`update messages set due_at = now() + interval '1 hour', leased_by = ${leasedBy} where id = ${id}`.execute(
        db(),
      );
      const { timeline } = await traceOf(db(), id);
      expect(timeline.at(-1)).toMatchObject({ what: 'end of the lease', details: { process: 7 } });
    }
    await sql`update messages set due_at = null where id = ${id}`.execute(db());
  });

  it('has the failed attempts of a webhook', async () => {
    const subjectId = uuidv7();
    const deliveryId = uuidv7();
    const endpointId = uuidv7();
    await sql`insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, attempts, due_at)
      values (${deliveryId}, ${gateway.accountId}, ${endpointId}, ${subjectId}, 0, 'senders.status', '{}', 4, 1, now() + interval '1 hour')`.execute(
      db(),
    );
    await sql`insert into attempts (subject_id, endpoint_id, stage, no, status, failure, ms, detail)
      values (${subjectId}, ${endpointId}, 0, 1, 500, 'status', 12, null)`.execute(db());
    const { timeline, facts } = await traceOf(db(), deliveryId);
    expect(facts).toMatchObject({ status: 'retrying', attempts: 1 });
    expect(timeline.map(({ what }) => what)).toEqual([
      'webhook created',
      'attempt failed',
      'next attempt, or end of the lease',
    ]);
    expect(timeline[1]?.details).toMatchObject({ no: 1, status: 500, failure: 'status', ms: 12 });
  });

  it('is not found for an unknown id', async () => {
    for (const id of [uuidv7(), 'wamid.unknown', "'; drop table x"])
      await expect(traceOf(db(), id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
