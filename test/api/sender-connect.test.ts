// Connecting a number with one request: what is verified, stored, registered and subscribed, and what moves at removal.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import {
  addNumberAtPlatform,
  byName,
  type Check,
  callPlatform,
  connect,
  connected,
  eventually,
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

describe('one POST connects a number', () => {
  it('so that its statuses come, and every check is ok or has nothing to see yet', async () => {
    const given = await addNumberAtPlatform(gateway);
    const sender = await connected(gateway, given);
    expect(sender.checks.filter(({ status }) => status !== 'ok').map(({ name }) => name)).toEqual([
      'lastCallback',
      ...(byName(sender.checks).templates?.status === 'ok' ? [] : ['templates']),
    ]);
    await sendUntil(gateway, given, sender._id, 'read');
    await eventually(async () => {
      const list = await gateway.call<{ items: (Sender & { lastCallbackAt: string | null })[] }>(
        'GET',
        '/v1/senders',
      );
      return list.body.data.items.some((one) => one._id === sender._id && one.lastCallbackAt !== null);
    });
    await runChecks(gateway, sender._id);
    const stored = await gateway.call<{ checks: Check[] }>('GET', `/v1/senders/${sender._id}/checks`);
    expect(stored.body.data.checks).toHaveLength(13);
    expect(stored.body.data.checks.every(({ status, fix }) => status === 'ok' && fix === null)).toBe(true);
  });

  it('of an app that requires a proof of its secret with each call', async () => {
    const given = await addNumberAtPlatform(gateway);
    await gateway.platform.addApp({ id: given.app.id, requiresProof: true });
    const sender = await connected(gateway, given);
    expect(sender.checks.filter(({ status }) => status === 'failed')).toEqual([]);
    await sendUntil(gateway, given, sender._id, 'read');
  });

  it('follows the throughput that the platform grants, and a rate that the account chooses', async () => {
    const given = await addNumberAtPlatform(gateway);
    await gateway.platform.addNumber({ ...given.number, messagesPerSecond: 80 });
    const sender = await connected(gateway, given);
    expect(sender).toMatchObject({ messagesPerSecond: null, effectiveMessagesPerSecond: 80 });
    await gateway.platform.addNumber({ ...given.number, messagesPerSecond: 1000 });
    await runChecks(gateway, sender._id);
    const patch = (messagesPerSecond: number | null) =>
      gateway.call<Sender>('PATCH', `/v1/senders/${sender._id}`, { body: { messagesPerSecond } });
    const pace = () =>
      gateway.database.db
        .selectFrom('sender_paces')
        .select('per_second')
        .where('sender_id', '=', sender._id)
        .executeTakeFirst();
    expect(await pace()).toEqual({ per_second: 1000 });
    expect((await patch(30)).body.data).toMatchObject({
      messagesPerSecond: 30,
      effectiveMessagesPerSecond: 30,
    });
    await runChecks(gateway, sender._id);
    expect(await pace()).toEqual({ per_second: 30 });
    expect((await patch(null)).body.data).toMatchObject({
      messagesPerSecond: null,
      effectiveMessagesPerSecond: 1000,
    });
  });

  it.each([
    ['appSecret', { appSecret: 'b'.repeat(32) }],
    ['appSecret', { appId: '100404' }],
  ])('stores nothing and returns 400 for `%s` where it does not fit the app', async (path, wrong) => {
    const given = await addNumberAtPlatform(gateway);
    const answer = await connect(gateway, { ...given.body, ...wrong });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path]);
    expect((await connect(gateway, given.body)).status).toBe(200);
  });

  it('verifies new credentials alone, so that a name can be changed while the app secret is out of date', async () => {
    const given = await addNumberAtPlatform(gateway);
    const sender = await connected(gateway, given);
    await gateway.platform.addApp({ id: given.app.id, secret: 'c'.repeat(32) });
    const patch = (body: object) => gateway.call('PATCH', `/v1/senders/${sender._id}`, { body });
    expect((await patch({ name: 'Renamed' })).status).toBe(200);
    const rejected = await patch({ accessToken: given.app.token });
    expect([rejected.status, rejected.body.errors?.[0]?.path]).toEqual([400, 'appSecret']);
    expect((await patch({ appSecret: 'c'.repeat(32) })).status).toBe(200);
  });

  it('stores nothing and returns 400 with the missing permission', async () => {
    const given = await addNumberAtPlatform(gateway);
    await gateway.platform.addToken(given.app.id, given.app.token, {
      scopes: ['whatsapp_business_management'],
    });
    const answer = await connect(gateway, given.body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { path: 'accessToken', message: expect.stringContaining('whatsapp_business_messaging') },
    ]);
    await gateway.platform.addToken(given.app.id, given.app.token, { wabaIds: ['1'] });
    expect((await connect(gateway, given.body)).body.errors?.[0]?.message).toContain(given.wabaId);
  });

  it('stores nothing and returns 400 for a number of another business account of the app', async () => {
    const given = await addNumberAtPlatform(gateway);
    const { id: businessAccountId } = await gateway.platform.addWaba({ appId: given.app.id });
    const { status, body } = await connect(gateway, { ...given.body, businessAccountId });
    expect([status, body.errors]).toEqual([
      400,
      [{ path: 'businessAccountId', message: expect.stringContaining(`it belongs to ${given.wabaId}`) }],
    ]);
    const { rows } = await sql`select 1 from senders where phone_number_id = ${given.number.id}`.execute(
      gateway.database.db,
    );
    expect(rows).toEqual([]);
  });

  it('registers the number once with a pin, and says what the platform says of a wrong one', async () => {
    const given = await addNumberAtPlatform(gateway);
    const at = { ...given.number, status: 'PENDING', pin: '654321' };
    await gateway.platform.addNumber(at);
    const sender = await connected(gateway, given, { pin: '123456' });
    const registration = byName(sender.checks).registration;
    expect(registration).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('the PIN that the number has'),
    });
    expect(registration?.detail).toMatch(/PENDING.*PIN mismatch/);
    expect(registration?.detail).not.toContain('123456');
    const { numbers } = await gateway.platform.state();
    expect(numbers.find(({ id }) => id === given.number.id)?.registrations).toHaveLength(1);
    await gateway.call('DELETE', `/v1/senders/${sender._id}`);
    const again = await connected(gateway, given, { pin: '654321' });
    expect(byName(again.checks).registration?.status).toBe('ok');
  });

  it('names the step that helps a number that cannot be registered', async () => {
    const fixOf = async (number: object, more: object = {}) => {
      const given = await addNumberAtPlatform(gateway);
      await gateway.platform.addNumber({ ...given.number, ...number });
      return byName((await connected(gateway, given, more)).checks).registration?.fix;
    };
    const [pin, pending] = [{ pin: '123456' }, { status: 'PENDING' }];
    expect(await fixOf({ ...pending, codeVerificationStatus: 'EXPIRED' }, pin)).toMatch(/^Verify the number/);
    expect(await fixOf({ status: 'BANNED' })).toMatch(/request a review.*does not help/);
    expect(await fixOf({ status: 'RATE_LIMITED' })).toMatch(/send less/);
    expect(await fixOf(pending)).toMatch(/`pin`/);
  });

  it('leaves the app’s address to another program, and overrides it for its business account alone', async () => {
    const given = await addNumberAtPlatform(gateway);
    await gateway.platform.subscribe(given.app.id, other.url, 'theirs');
    // the platform rejects an override before the app is subscribed to the business account
    await callPlatform(gateway, given.app.token, 'DELETE', `${given.wabaId}/subscribed_apps`);
    const sender = await connected(gateway, given);
    expect(byName(sender.checks).appCallback).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining(other.url),
    });
    await sendUntil(gateway, given, sender._id, 'read');
    const { apps } = await gateway.platform.state();
    expect(apps.find(({ id }) => id === given.app.id)?.subscription?.callbackUrl).toBe(other.url);
  });

  it('asks for the fields that the platform knows, where it does not know one', async () => {
    const given = await addNumberAtPlatform(gateway);
    await gateway.platform.settings({ unknownFields: ['security'] });
    const sender = await connected(gateway, given);
    await gateway.platform.settings({ unknownFields: [] });
    expect(byName(sender.checks).appCallback).toMatchObject({
      status: 'warning',
      detail: 'The app does not ask for security.',
    });
  });

  it('subscribes nothing with `webhook: manual`', async () => {
    const given = await addNumberAtPlatform(gateway);
    const sender = await connected(gateway, given, { webhook: 'manual' });
    const { subscription, appCallback, handshake } = byName(sender.checks);
    expect([subscription?.status, appCallback?.status, handshake?.status]).toEqual([
      'failed',
      'failed',
      'failed',
    ]);
    expect(handshake?.fix).toContain(sender.callbackUrl);
    const answer = await gateway.call<{ checks: Check[] }>('POST', `/v1/senders/${sender._id}/subscribe`);
    expect(answer.body.message).toBe('Subscribed.');
    expect(byName(answer.body.data.checks).handshake?.status).toBe('ok');
  });
});

describe('removing a sender whose address the app’s callbacks go to', () => {
  it('moves them to another number of the app first, or returns 409', async () => {
    const given = await addNumberAtPlatform(gateway);
    const first = await connected(gateway, given);
    const number = { ...given.number, id: `${given.number.id}9`, displayPhoneNumber: '+1 555 020 0099' };
    await gateway.platform.addNumber(number);
    const second = await connected(gateway, given, { phoneNumberId: number.id });
    const callbackUrl = async () =>
      (await gateway.platform.state()).apps.find(({ id }) => id === given.app.id)?.subscription?.callbackUrl;
    expect(await callbackUrl()).toBe(second.callbackUrl);
    await gateway.platform.addFault({ does: 'reset', on: 'objects', times: 1 });
    const refused = await gateway.call('DELETE', `/v1/senders/${second._id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'sender_in_use']);
    expect((await gateway.call('DELETE', `/v1/senders/${second._id}`)).status).toBe(200);
    expect(await callbackUrl()).toBe(first.callbackUrl);
    expect((await runChecks(gateway, first._id)).appCallback?.status).toBe('ok');
  });

  it('ends the override of its business account with the last number, so that messages reach the app’s address again', async () => {
    const given = await addNumberAtPlatform(gateway);
    await gateway.platform.subscribe(given.app.id, other.url, 'theirs');
    const first = await connected(gateway, given);
    const number = { ...given.number, id: `${given.number.id}9`, displayPhoneNumber: '+1 555 020 0098' };
    await gateway.platform.addNumber(number);
    const second = await connected(gateway, given, { phoneNumberId: number.id });
    const waba = async () => (await gateway.platform.state()).wabas.find(({ id }) => id === given.wabaId);
    expect((await waba())?.override?.callbackUrl).toBe(second.callbackUrl);
    await gateway.call('DELETE', `/v1/senders/${second._id}`);
    expect((await waba())?.override?.callbackUrl).toBe(first.callbackUrl);
    expect((await gateway.call('DELETE', `/v1/senders/${first._id}`)).status).toBe(200);
    expect(await waba()).toMatchObject({ override: null, isSubscribed: true });
  });

  it('is possible while the platform is away, if no other number has the app', async () => {
    const given = await addNumberAtPlatform(gateway);
    await gateway.platform.subscribe(given.app.id, other.url, 'theirs');
    const sender = await connected(gateway, given);
    await gateway.platform.addFault({ does: 'reset', on: 'objects' });
    const { status } = await gateway.call('DELETE', `/v1/senders/${sender._id}`);
    await gateway.platform.clearFaults();
    expect(status).toBe(200);
  });

  it('is possible with a revoked token, if no other number has the app', async () => {
    const given = await addNumberAtPlatform(gateway);
    const sender = await connected(gateway, given);
    await gateway.platform.revoke(given.app.id);
    expect((await gateway.call('DELETE', `/v1/senders/${sender._id}`)).status).toBe(200);
  });
});
