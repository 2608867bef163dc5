// Webhook endpoints: allowed URLs, secrets, rotation, pause, test events and limits.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Hit } from '../harness/hooks.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
});
afterAll(() => fixture.close());

const path = '/v1/webhooks/endpoints';
const hitsOf = (hook: string) => fixture.hooks.hitsOf(hook);
const ownSignatureMatches = (secret: string, hit: Hit | undefined) =>
  hit?.headers['x-webhook-signature'] ===
  `sha256=${createHmac('sha256', secret)
    .update(hit?.body ?? '')
    .digest('hex')}`;
const standardSignatureMatches = (secret: string, hit: Hit | undefined): boolean => {
  try {
    return Boolean(new Webhook(secret).verify(hit?.body ?? '', hit?.headers as Record<string, string>));
  } catch {
    return false;
  }
};

/** Publishes one event and returns the request that the hook received. */
async function next(accountId: string, hook: string): Promise<Hit | undefined> {
  const before = hitsOf(hook).length;
  await fixture.stages(accountId, uuidv7(), ['sent']);
  await until(() => expect(hitsOf(hook)).toHaveLength(before + 1));
  return hitsOf(hook).at(-1);
}

describe('an endpoint', () => {
  it('is created with a secret that is shown once and stored encrypted', async () => {
    const account = await fixture.account();
    const { status, body } = await fixture.call(account, 'POST', path, {
      url: fixture.hooks.url('added'),
      description: 'CRM',
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      url: fixture.hooks.url('added'),
      description: 'CRM',
      events: ['messages.status'],
      status: 'active',
      disabledReason: null,
      rotation: null,
    });
    expect(body.data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await fixture.call(account, 'GET', path);
    expect(listed.body.data.pagination).toEqual({ page: 1, limit: 20, total: 1, totalPages: 1 });
    const shown = await fixture.call(account, 'GET', `${path}/${body.data._id}`);
    expect(JSON.stringify([listed.body, shown.body])).not.toContain(body.data.secret);
    const { rows } = await sql<{
      secret: Buffer;
    }>`select secret from endpoints where id = ${body.data._id}`.execute(fixture.db);
    expect(rows[0]?.secret.includes(body.data.secret)).toBe(false);
  });

  it('accepts the owner’s secret, and uses it for both signatures', async () => {
    const account = await fixture.account();
    const secret = 'my very own secret';
    expect((await fixture.endpoint(account, 'own', { secret })).secret).toBe(secret);
    const hit = await next(account, 'own');
    expect(ownSignatureMatches(secret, hit)).toBe(true);
    expect(
      new Webhook(secret, { format: 'raw' }).verify(hit?.body ?? '', hit?.headers as Record<string, string>),
    ).toBeTruthy();
  });

  it.each([
    [{ url: 'not a url' }, 'url'],
    [{ url: ' https://93.184.216.34/hook ' }, 'url'],
    [{ url: 'https://93.184.216.34/\nhook' }, 'url'],
    [{ url: 'https:93.184.216.34/hook' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'http://10.1.2.3/hook' }, 'url'],
    [{ url: 'https://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: 'https://metadata.google.internal/' }, 'url'],
    [{ url: 'https://user:password@93.184.216.34/' }, 'url'],
    [{ url: 'https://93.184.216.34/', secret: 'short' }, 'secret'],
    [{ url: 'https://93.184.216.34/', secret: 'whsec_ not base64, not at all' }, 'secret'],
    [{ url: 'https://93.184.216.34/', events: ['messages.statsu'] }, 'events[0]'],
    [{ url: 'https://93.184.216.34/', events: [] }, 'events'],
    [{ url: 'https://93.184.216.34/', colour: 'red' }, 'colour'],
    [{}, 'url'],
  ])('is rejected with 400 and the name of the field: %j', async (body, field) => {
    const response = await fixture.call(await fixture.account(), 'POST', path, body);
    expect(response.status).toBe(400);
    expect(response.body.errors?.map((error) => error.path)).toContain(field);
  });

  it('is limited to ten per account, even with concurrent requests', async () => {
    const account = await fixture.account();
    const responses = await Promise.all(
      Array.from({ length: 14 }, (_, index) =>
        fixture.call(account, 'POST', path, { url: fixture.hooks.url(`many-${index}`) }),
      ),
    );
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(4).fill(409)]);
    expect(responses.find(({ status }) => status === 409)?.body.code).toBe('endpoint_limit_reached');
  });

  it('of another account is not found', async () => {
    const { id } = await fixture.endpoint(await fixture.account(), 'theirs');
    const otherAccount = await fixture.account();
    for (const unknown of [id, uuidv7(), 'no-id']) {
      const calls = [
        fixture.call(otherAccount, 'GET', `${path}/${unknown}`),
        fixture.call(otherAccount, 'PATCH', `${path}/${unknown}`, { status: 'paused' }),
        fixture.call(otherAccount, 'DELETE', `${path}/${unknown}`),
        fixture.call(otherAccount, 'POST', `${path}/${unknown}/test`),
        fixture.call(otherAccount, 'POST', `${path}/${unknown}/rotate-secret`),
        fixture.call(otherAccount, 'POST', `${path}/${unknown}/activate-secret`),
        fixture.call(otherAccount, 'POST', `${path}/${unknown}/replay`, {
          from: '2026-01-01T00:00:00Z',
          to: '2026-01-02T00:00:00Z',
        }),
      ];
      for (const { status, body } of await Promise.all(calls)) {
        expect([status, body.code]).toEqual([404, 'endpoint_not_found']);
      }
    }
  });

  it('changes only the given fields', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'before', { description: 'old' });
    const { body } = await fixture.call(account, 'PATCH', `${path}/${id}`, {
      url: fixture.hooks.url('after'),
    });
    expect(body.data).toMatchObject({
      url: fixture.hooks.url('after'),
      description: 'old',
      status: 'active',
    });
    await next(account, 'after');
    expect(hitsOf('before')).toEqual([]);
    const cleared = await fixture.call(account, 'PATCH', `${path}/${id}`, { description: null });
    expect(cleared.body.data.description).toBeNull();
    expect((await fixture.call(account, 'PATCH', `${path}/${id}`, {})).status).toBe(400);
    expect((await fixture.call(account, 'PATCH', `${path}/${id}`, { url: 'http://10.0.0.1/' })).status).toBe(
      400,
    );
  });

  it('keeps events while paused, and delivers them when active again', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'paused');
    await fixture.call(account, 'PATCH', `${path}/${id}`, { status: 'paused' });
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    await fixture.deliveries.claimDue();
    const { body } = await fixture.call(account, 'GET', '/v1/webhooks/deliveries?status=pending');
    expect(body.data.items).toHaveLength(2);
    expect(hitsOf('paused')).toEqual([]);
    await fixture.call(account, 'PATCH', `${path}/${id}`, { status: 'active' });
    await fixture.deliveries.claimDue();
    await until(() =>
      expect(hitsOf('paused').map((hit) => hit.json.data.status)).toEqual(['sent', 'delivered']),
    );
  });

  it('receives nothing after its deletion; its pending deliveries are dead, and its history remains', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'deleted');
    await fixture.call(account, 'PATCH', `${path}/${id}`, { status: 'paused' });
    await fixture.stages(account, uuidv7(), ['sent']);
    expect((await fixture.call(account, 'DELETE', `${path}/${id}`)).status).toBe(200);
    expect((await fixture.call(account, 'GET', `${path}/${id}`)).status).toBe(404);
    const { rows: secrets } = await sql`
      select length(secret) as length, next_secret from endpoints where id = ${id}`.execute(fixture.db);
    expect(secrets).toEqual([{ length: 0, next_secret: null }]);
    await fixture.stages(account, uuidv7(), ['sent']);
    await fixture.runMaintenance();
    const { body } = await fixture.call(account, 'GET', '/v1/webhooks/deliveries');
    expect(body.data.items).toMatchObject([
      { endpointId: id, status: 'dead', lastFailure: 'endpoint_deleted' },
    ]);
    expect(hitsOf('deleted')).toEqual([]);
  });
});

describe('a rotation of the secret', () => {
  it('signs with both secrets during the overlap; x-webhook-signature uses the old one until the new one is activated', async () => {
    const account = await fixture.account();
    const { id, secret: old } = await fixture.endpoint(account, 'rotated');
    const rotated = await fixture.call(account, 'POST', `${path}/${id}/rotate-secret`);
    const fresh = rotated.body.data.secret;
    expect(rotated.body.data.rotation).toMatchObject({ activated: false });
    const during = await next(account, 'rotated');
    expect([
      ownSignatureMatches(old, during),
      standardSignatureMatches(old, during),
      standardSignatureMatches(fresh, during),
    ]).toEqual([true, true, true]);
    const second = await fixture.call(account, 'POST', `${path}/${id}/rotate-secret`);
    expect([second.status, second.body.code]).toEqual([409, 'rotation_in_progress']);
    const activated = await fixture.call(account, 'POST', `${path}/${id}/activate-secret`);
    expect(activated.body.data.rotation).toMatchObject({ activated: true });
    const after = await next(account, 'rotated');
    expect([
      ownSignatureMatches(fresh, after),
      standardSignatureMatches(old, after),
      standardSignatureMatches(fresh, after),
    ]).toEqual([true, true, true]);
    expect((await fixture.call(account, 'POST', `${path}/${id}/activate-secret`)).status).toBe(200);
  });

  it('ends automatically after the overlap', async () => {
    const account = await fixture.account();
    const { id, secret: old } = await fixture.endpoint(account, 'lapsed');
    const rotated = await fixture.call(account, 'POST', `${path}/${id}/rotate-secret`, {
      overlapSeconds: 600,
    });
    const fresh = rotated.body.data.secret;
    expect(ownSignatureMatches(old, await next(account, 'lapsed'))).toBe(true);
    fixture.clock.nowMs = Date.now() + 601_000;
    try {
      const hit = await next(account, 'lapsed');
      expect(ownSignatureMatches(fresh, hit)).toBe(true);
      expect(String(hit?.headers['webhook-signature'])).not.toContain(' ');
      const again = await fixture.call(account, 'POST', `${path}/${id}/rotate-secret`);
      expect(again.status).toBe(200);
      expect(ownSignatureMatches(fresh, await next(account, 'lapsed'))).toBe(true);
    } finally {
      fixture.clock.nowMs = undefined;
    }
  });

  it('without overlap switches immediately, to the owner’s secret if given', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'at-once');
    const rotated = await fixture.call(account, 'POST', `${path}/${id}/rotate-secret`, {
      overlapSeconds: 0,
      secret: 'a new secret of my own',
    });
    expect(rotated.body.data).toMatchObject({ secret: 'a new secret of my own', rotation: null });
    const hit = await next(account, 'at-once');
    expect(ownSignatureMatches('a new secret of my own', hit)).toBe(true);
    expect(String(hit?.headers['webhook-signature'])).not.toContain(' ');
  });
});

describe('the test operation', () => {
  it('sends one signed event, returns the result, and lists it among the deliveries', async () => {
    const account = await fixture.account();
    const { id, secret } = await fixture.endpoint(account, 'tested');
    const { body } = await fixture.call(account, 'POST', `${path}/${id}/test`);
    expect(body.data).toMatchObject({ delivered: true, statusCode: 200, failure: null });
    const [hit] = hitsOf('tested');
    expect(hit?.json.event).toBe('test');
    expect([ownSignatureMatches(secret, hit), standardSignatureMatches(secret, hit)]).toEqual([true, true]);
    const listed = await fixture.call(account, 'GET', '/v1/webhooks/deliveries');
    expect(listed.body.data.items).toMatchObject([
      { _id: body.data.deliveryId, event: 'test', status: 'delivered' },
    ]);
  });

  it('returns a failure, is not retried, and does not count as a failure of the endpoint', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'test-fails');
    fixture.hooks.answer('test-fails', () => ({ status: 401, body: 'who are you?' }));
    const { status, body } = await fixture.call(account, 'POST', `${path}/${id}/test`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ delivered: false, statusCode: 401, failure: 'status' });
    const shown = await fixture.call(account, 'GET', `/v1/webhooks/deliveries/${body.data.deliveryId}`);
    expect(shown.body.data).toMatchObject({
      status: 'dead',
      attemptLog: [{ answer: 'who are you?', statusCode: 401 }],
    });
    expect((await fixture.call(account, 'GET', `${path}/${id}`)).body.data.failingSince).toBeNull();
  });
});
