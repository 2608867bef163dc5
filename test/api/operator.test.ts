// What operators see over HTTP: GET /v1/operator/health, and who may.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLink } from '../../src/accounts/links.ts';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/config.ts';
import { scopes } from '../../src/contract/envelope.ts';
import { type Finding, ok } from '../../src/operator/finding.ts';
import { type Examined, examine } from '../../src/operator/findings.ts';
import { addEndpoint, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
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
    await sql`update gateway_state set held_since = now()`.execute(db());
    const broken = async () => {
      throw new Error('the bucket does not exist');
    };
    const findings = await findingsOf({ objects: broken, keys: broken });
    await sql`update gateway_state set held_since = null`.execute(db());
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
