// The checks of a connected number: what is wrong with it, how to fix it, and the events of changes.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import {
  addNumberAtPlatform,
  callPlatform,
  connected,
  eventually,
  type NumberAtPlatform,
  runChecks,
  type Sender,
  sendUntil,
  startOtherProgram,
} from '../harness/numbers.ts';

let gateway: Gateway;
/** Another program, whose address the platform's app may have. */
let other: Awaited<ReturnType<typeof startOtherProgram>>;

beforeAll(async () => {
  [gateway, other] = await Promise.all([startGateway(), startOtherProgram()]);
});
afterAll(async () => {
  other?.close();
  await gateway?.close();
});

describe('a check shows with its fix that', () => {
  let given: NumberAtPlatform;
  let sender: Sender;
  beforeEach(async () => {
    given = await addNumberAtPlatform(gateway);
    sender = await connected(gateway, given);
  });
  const stringContaining = (text: string) => expect.stringContaining(text);

  it('the token was revoked', async () => {
    await gateway.platform.revoke(given.app.id);
    const { token, registration, subscription } = await runChecks(gateway, sender._id);
    expect(token).toMatchObject({ status: 'failed', fix: stringContaining('system user') });
    expect([registration?.status, subscription?.status]).toEqual(['failed', 'failed']);
  });

  it('the token lost a permission', async () => {
    await gateway.platform.addToken(given.app.id, given.app.token, {
      scopes: ['whatsapp_business_management'],
    });
    expect((await runChecks(gateway, sender._id)).permissions).toMatchObject({
      status: 'failed',
      detail: stringContaining('whatsapp_business_messaging'),
    });
  });

  it('the token expires within 14 days, or has expired', async () => {
    const at = (days: number) =>
      gateway.platform.addToken(given.app.id, given.app.token, {
        expiresAt: Date.now() + days * 86_400_000,
      });
    await at(15);
    expect((await runChecks(gateway, sender._id)).tokenExpiry?.status).toBe('ok');
    await at(13);
    expect((await runChecks(gateway, sender._id)).tokenExpiry).toMatchObject({
      status: 'warning',
      fix: stringContaining('token'),
    });
    await at(-1);
    expect((await runChecks(gateway, sender._id)).tokenExpiry?.status).toBe('failed');
  });

  it('the number is not registered, of low quality, or limited', async () => {
    const health = {
      ...{ canSend: 'BLOCKED' as const, entity: 'WABA' as const, code: 141006 },
      ...{ description: 'There is a payment problem.', solution: 'Add a payment method.' },
    };
    await gateway.platform.addNumber({
      ...given.number,
      ...{ status: 'DISCONNECTED', qualityRating: 'RED', messagingLimit: 'TIER_250', health },
    });
    const checks = await runChecks(gateway, sender._id);
    expect(checks.registration).toMatchObject({ status: 'failed', detail: stringContaining('DISCONNECTED') });
    expect(checks.quality).toMatchObject({ status: 'failed', fix: stringContaining('relevant') });
    expect(checks.messagingLimit).toMatchObject({ status: 'warning', detail: stringContaining('TIER_250') });
    expect(checks.health).toMatchObject({
      ...{ status: 'failed', detail: stringContaining('WABA 141006: There is a payment problem.') },
      fix: 'Add a payment method.',
    });
  });

  it('the subscription was removed, so that no callback comes', async () => {
    await callPlatform(gateway, given.app.token, 'DELETE', `${given.wabaId}/subscribed_apps`);
    await sendUntil(gateway, given, sender._id, 'accepted');
    await gateway.database.db
      .updateTable('messages')
      .set({ accepted_at: new Date(Date.now() - 11 * 60_000) })
      .where('sender_id', '=', sender._id)
      .execute();
    const checks = await runChecks(gateway, sender._id);
    expect(checks.subscription).toMatchObject({ status: 'failed', fix: stringContaining('subscribe') });
    expect(checks.lastCallback).toMatchObject({
      status: 'failed',
      detail: stringContaining('no callback came'),
    });
  });

  it('the app’s callbacks go elsewhere since', async () => {
    await gateway.platform.subscribe(given.app.id, other.url, 'theirs');
    expect((await runChecks(gateway, sender._id)).appCallback).toMatchObject({
      status: 'failed',
      detail: stringContaining(other.url),
      fix: stringContaining(sender.callbackUrl),
    });
  });

  it('the platform cannot be asked, which is no verdict', async () => {
    await gateway.platform.addFault({ does: 'reset', on: 'objects' });
    const checks = await runChecks(gateway, sender._id);
    await gateway.platform.clearFaults();
    expect([checks.token?.status, checks.registration?.status]).toEqual(['unknown', 'unknown']);
  });
});

describe('a `senders.status` event', () => {
  let given: NumberAtPlatform;
  let sender: Sender;
  const events = async () =>
    (await gateway.receiver.events({ hook: 'senders' })).map(
      ({ json }) => (json as { data: { changed: object[]; sender: Sender } }).data,
    );

  beforeAll(async () => {
    given = await addNumberAtPlatform(gateway);
    sender = await connected(gateway, given);
    const body = { url: gateway.receiver.hookUrl('senders'), events: ['senders.status'] };
    expect((await gateway.call('POST', '/v1/webhooks/endpoints', { body })).status).toBe(200);
  });

  it('comes once a check has had its new status in two runs', async () => {
    await gateway.platform.addNumber({ ...given.number, qualityRating: 'RED' });
    await runChecks(gateway, sender._id);
    await gateway.platform.addNumber({ ...given.number, qualityRating: 'GREEN' });
    await runChecks(gateway, sender._id);
    await gateway.platform.addNumber({ ...given.number, qualityRating: 'YELLOW' });
    await runChecks(gateway, sender._id);
    expect(await events()).toEqual([]);
    await runChecks(gateway, sender._id);
    await eventually(async () => (await events()).length === 1);
    const [event] = await events();
    expect(event?.changed).toEqual([{ name: 'quality', from: 'ok', to: 'warning' }]);
    expect(event?.sender).toMatchObject({ _id: sender._id, qualityRating: 'YELLOW' });
  });

  it('comes immediately when a number is halted, and when it is resumed', async () => {
    await gateway.platform.reportProblem(given.number.id, 131042);
    await eventually(async () => (await events()).length === 2);
    expect(
      (await gateway.call('PATCH', `/v1/senders/${sender._id}`, { body: { name: 'Fixed' } })).status,
    ).toBe(200);
    await eventually(async () => (await events()).length === 3);
    const [, halted, resumed] = await events();
    expect(halted).toMatchObject({
      changed: [{ name: 'status', from: 'active', to: 'halted' }],
      sender: { status: 'halted', haltedCode: 131042 },
    });
    expect(resumed?.changed).toEqual([{ name: 'status', from: 'halted', to: 'active' }]);
  });
});

test('a sender of another account is 404 for its checks and its subscription', async () => {
  const key = await gateway.otherAccount();
  const { senderId } = await addSender(gateway, []);
  for (const [method, path] of [
    ['GET', 'checks'],
    ['POST', 'checks'],
    ['POST', 'subscribe'],
  ] as const) {
    const answer = await gateway.call(method, `/v1/senders/${senderId}/${path}`, { key });
    expect([answer.status, answer.body.code]).toEqual([404, 'sender_not_found']);
  }
});

describe('the next run of the checks', () => {
  /** Seconds until it. */
  const dueIn = async (senderId: string) => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from due_at - now())::float8 as seconds from sender_states where sender_id = ${senderId}`.execute(
      gateway.database.db,
    );
    return rows[0]?.seconds ?? 0;
  };

  it('follows five minutes after the first one, and then every hour', async () => {
    const sender = await connected(gateway, await addNumberAtPlatform(gateway));
    expect(await dueIn(sender._id)).toBeLessThanOrEqual(300);
    await eventually(async () => (await runChecks(gateway, sender._id)).templates?.status === 'ok');
    expect(await dueIn(sender._id)).toBeGreaterThan(3_000);
  });

  it('follows within ten seconds after a notice about the business account, and in five minutes after a change', async () => {
    const [given, another] = [await addNumberAtPlatform(gateway), await addNumberAtPlatform(gateway)];
    const sender = await connected(gateway, given);
    const unconcerned = await connected(gateway, another);
    for (const { _id } of [sender, unconcerned])
      await eventually(async () => (await runChecks(gateway, _id)).templates?.status === 'ok');
    await gateway.platform.notify(given.wabaId, 'account_update', { event: 'ACCOUNT_RESTRICTION' });
    await eventually(async () => (await dueIn(sender._id)) <= 10);
    expect(await dueIn(unconcerned._id)).toBeGreaterThan(3_000);
    await gateway.platform.addNumber({ ...given.number, qualityRating: 'RED' });
    expect((await runChecks(gateway, sender._id)).quality?.status).toBe('failed');
    expect(await dueIn(sender._id)).toBeLessThanOrEqual(300);
    await runChecks(gateway, sender._id);
    expect(await dueIn(sender._id)).toBeGreaterThan(3_000);
  });

  it('follows in five minutes while the templates are being read', async () => {
    const sender = await connected(gateway, await addNumberAtPlatform(gateway));
    await eventually(async () => (await runChecks(gateway, sender._id)).templates?.status === 'ok');
    await sql`update template_readings set read_at = null where business_account_id = ${sender.businessAccountId}`.execute(
      gateway.database.db,
    );
    expect((await runChecks(gateway, sender._id)).templates?.status).toBe('unknown');
    expect(await dueIn(sender._id)).toBeLessThanOrEqual(300);
  });
});
