// Tests of a template that the platform pauses while messages of it are queued, for a queue of any length.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { messageOf, send } from '../harness/sends.ts';

const appId = '100100100100100';
const perRequest = 1_000;
const templates = [
  { name: 'order', category: 'UTILITY' },
  { name: 'news', category: 'MARKETING' },
].map((one) => ({
  ...one,
  language: 'en_US',
  status: 'APPROVED' as const,
  components: [{ type: 'BODY', text: 'Hello there.' }],
}));

/** Defines the tests for `queued` messages; each wait ends within `withinMs`. */
export function pausedQueue(queued: number, withinMs: number): void {
  let gateway: Gateway;
  let senderId: string;
  let ids: Record<string, string>;
  let phones = 15_550_000_000;
  beforeAll(async () => {
    gateway = await startGateway();
    ({ senderId, templateIds: ids } = await addSender(gateway, templates));
    // counts every update of a message
    await sql`create table versions (id uuid not null)`.execute(gateway.database.db);
    await sql`create function count_version() returns trigger language plpgsql as
      $$ begin insert into versions values (new.id); return null; end $$`.execute(gateway.database.db);
    await sql`create trigger versions after update on messages for each row execute function count_version()`.execute(
      gateway.database.db,
    );
  });
  afterAll(() => gateway?.close());

  const recipients = (count: number) => Array.from({ length: count }, () => String(++phones));
  const pace = (messagesPerSecond: number) =>
    gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { messagesPerSecond } });
  const later = { headers: { Prefer: 'respond-async' } };
  const number = async (count: string, of: string) =>
    (
      await sql<{ n: number }>`select ${sql.raw(count)}::int n from ${sql.raw(of)}`.execute(
        gateway.database.db,
      )
    ).rows[0]?.n ?? 0;
  const states = async (template: string) => {
    const { rows } = await sql<{ queued: number; calling: number; accepted: number; parked: number }>`
      select count(*) filter (where state = 0)::int queued, count(*) filter (where state = 1)::int calling,
        count(*) filter (where state between 2 and 5)::int accepted,
        count(*) filter (where state = 0 and due_at = expires_at)::int parked
      from messages where template_id = ${ids[template]}`.execute(gateway.database.db);
    return rows[0] as { queued: number; calling: number; accepted: number; parked: number };
  };
  const platformTemplate = async (name: string) =>
    (await gateway.platform.state()).templates.find((one) => one.name === name)?.id ?? '';
  const change = async (name: string, status: string) =>
    gateway.platform.changeTemplate(await platformTemplate(name), { status });

  it(
    `with ${queued} queued, suspends each message once, sends messages of other templates, and sends all after the approval`,
    async () => {
      await pace(20);
      for (let left = queued; left > 0; left -= perRequest) {
        const { status } = await send(
          gateway,
          { templateId: ids.order ?? '', recipients: recipients(Math.min(left, perRequest)) },
          later,
        );
        expect(status).toBe(202);
      }
      // without a callback, the gateway learns of the pause from many concurrent rejections
      await gateway.platform.unsubscribe(appId);
      await change('order', 'PAUSED');
      await gateway.platform.subscribe(
        appId,
        `${gateway.url}/callbacks/messaging/${senderId}`,
        'test-verify-token',
      );
      await sql`truncate versions`.execute(gateway.database.db);
      await pace(1_000);
      await expect.poll(() => number('count(*)', "templates where status <> 'approved'")).toBe(1);
      const behind = await send(gateway, { templateId: ids.news ?? '', recipients: recipients(5) });
      expect(behind.body.data).toMatchObject({ accepted: 5 });
      const { accepted } = await states('order');
      await expect
        .poll(() => states('order'), { timeout: withinMs })
        .toEqual({ queued: queued - accepted, calling: 0, accepted, parked: queued - accepted });
      const calls = 5 + accepted;
      expect((await gateway.platform.counts()).accepted).toBe(calls);
      // each message without a call is updated once; the few already leased are updated more often
      expect(await number('count(*)', 'versions')).toBeLessThan(queued + 1_000);
      expect(await number('sum(deadlocks)', 'pg_stat_database where datname = current_database()')).toBe(0);

      await change('order', 'APPROVED');
      await expect.poll(async () => (await states('order')).accepted, { timeout: withinMs }).toBe(queued);
      expect((await gateway.platform.counts()).accepted).toBe(queued + 5);
    },
    5 * withinMs,
  );

  it('a waiting send returns as soon as its template is paused, and no more of its messages are called', async () => {
    await pace(20);
    const response = send(gateway, { templateId: ids.news ?? '', recipients: recipients(400) });
    await expect.poll(async () => (await states('news')).accepted).toBeGreaterThan(5);
    const began = performance.now();
    await change('news', 'PAUSED');
    const { body } = await response;
    // otherwise it would wait for 20 seconds
    expect(performance.now() - began).toBeLessThan(19_000);
    const { accepted, queued: left } = body.data;
    expect({ left: left > 50, all: accepted + left }).toEqual({ left: true, all: 400 });
    const before = (await gateway.platform.counts()).accepted;
    await expect.poll(async () => (await states('news')).parked).toBe(left);
    expect((await gateway.platform.counts()).accepted).toBe(before);
    await pace(1_000);
    await change('news', 'APPROVED');
    await expect.poll(async () => (await states('news')).queued).toBe(0);
  });

  it('a waiting send returns as soon as its sender is halted', async () => {
    await pace(50);
    await gateway.platform.addFault({ code: 131048, on: 'messages', share: 0.5 });
    const began = performance.now();
    const { body } = await send(gateway, { templateId: ids.order ?? '', recipients: recipients(200) });
    expect(performance.now() - began).toBeLessThan(19_000);
    expect(body.data.queued).toBeGreaterThan(100);
    const [first] = body.data.messages.filter(({ status }) => status === 'queued');
    expect(await messageOf(gateway, first?.id ?? '')).toMatchObject({ status: 'queued' });
    await gateway.platform.clearFaults();
    await pace(1_000);
    await expect.poll(async () => (await states('order')).queued).toBe(0);
  });
}
