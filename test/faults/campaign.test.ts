// A short fault campaign: two gateways die at the points that matter most, then some random faults; and the end of leases.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { faultCampaign } from './campaign.suite.ts';

// between a change outside the database and its record, or between two commits; `campaign.long.test.ts` has every point
const fixture = faultCampaign({
  dieAt: ['call-before', 'call-after', 'callback-after-commit', 'deliver-after'],
  faultCount: 2,
});

const dieWithinMs = 60_000;

/** Sends through the first gateway, which dies at the point. Every stage must arrive within 20 s. */
async function arrivesAfter(dieAt: string, prefix: string, count: number): Promise<void> {
  const { gateways, receiver, apiKey, templateIds, senderIds } = fixture();
  // the list of events returns the oldest page only
  await receiver.clear();
  await gateways.kill(0, { dieAt });
  const recipients = Array.from({ length: count }, (_, index) => ({
    phone: `${prefix}${String(index).padStart(3, '0')}`,
    variables: { 1: 'Ada', 2: 'A-1', 3: 'today' },
  }));
  // the gateway starts first, and dies before it responds
  const send = () =>
    fetch(`${gateways.urls[0]}/v1/templates/send`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ templateId: templateIds.order_update, senderId: senderIds[0], recipients }),
    }).then(
      () => undefined,
      (error) => {
        if (error.cause?.code === 'ECONNREFUSED') throw error;
      },
    );
  const sent = expect.poll(send, { interval: 100 }).toBe(undefined);
  await Promise.all([sent, gateways.dies(0, dieWithinMs)]);
  const stages = async () => {
    const events = await receiver.events({ hook: 'steady' });
    return events.filter((event) => event.body.includes(`"recipientPhone":"${prefix}`)).length;
  };
  await expect.poll(stages, { interval: 50 }).toBeGreaterThanOrEqual(3 * count);
}

// leases last 60 and 75 s; 20 s leave time for a busy machine
test('the work that a killed gateway had leased is done within seconds, before its leases expire', async () => {
  const { platform, gateways } = fixture();
  await platform.settings({ callbackOrigins: [gateways.urls[0] as string] });
  await arrivesAfter('callback-after-commit#1', '15550990', 1);
  await platform.settings({ callbackOrigins: gateways.urls });
  // more recipients than a send inserts as already dispatching
  await arrivesAfter('dispatch-before#1', '15550991', 20);
});

// keys last 45 s
test('a repeat of a request that a killed gateway did not answer continues its send within seconds, and sends nothing again', async () => {
  const { platform, gateways, apiKey, templateIds, senderIds, database } = fixture();
  for (const [dieAt, to, calls] of [
    ['write-after#1', '15550992001', 0],
    ['call-after#1', '15550992002', 1],
  ] as const) {
    await gateways.kill(0, { dieAt });
    const dies = gateways.dies(0, dieWithinMs);
    dies.catch(() => undefined);
    const key = randomUUID();
    const variables = { 1: 'Ada', 2: 'A-1', 3: 'today' };
    const request = (index: number) =>
      fetch(`${gateways.urls[index]}/v1/templates/send`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({
          ...{ templateId: templateIds.order_update, senderId: senderIds[0] },
          recipients: [{ phone: to, variables }],
        }),
      });
    // the gateway starts first, and dies before it responds
    const first = () => request(0).catch((error) => error.cause?.code);
    await expect.poll(first, { interval: 100 }).not.toBe('ECONNREFUSED');
    const repeat = () => request(1).then(({ status }) => status);
    await expect.poll(repeat, { interval: 200, timeout: 20_000 }).toBe(200);
    await dies;
    expect(await platform.ledger({ phone: to })).toHaveLength(calls);
    const { rows } = await sql`select from messages where phone = ${to}`.execute(database.db);
    expect(rows).toHaveLength(1);
  }
});
