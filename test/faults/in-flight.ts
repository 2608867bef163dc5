// `node test/faults/in-flight.ts`: kills a gateway under load repeatedly, and counts the dispatching messages that the platform never got.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { Pool } from 'undici';
import type { SendCall } from '../../sandbox/cloud-api/calls.ts';
import { type CampaignFixture, openCampaignFixture } from './campaign-fixture.ts';
import { seededRandom } from './random.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '12' },
    lines: { type: 'string', default: '32' },
    seed: { type: 'string', default: '1' },
    numbers: { type: 'string', default: '2' },
    /** The platform's response time, in milliseconds. */
    response: { type: 'string', default: '50' },
  },
});

const page = 1_000;
/** Numbers with this ending are accepted immediately, with a late response (sandbox/cloud-api/magic.ts). */
const lateResponse = '0000000601';
/** Time in which the server ends the statements of a killed gateway. */
const statementsEndMs = 300;
const platformIsBusyMs = 1_500;
const downMs = 4_000;

async function callsOf({ platform }: CampaignFixture): Promise<Set<string | null>> {
  const all: SendCall[] = [];
  for (;;) {
    const calls = await platform.calls({ after: all.length, limit: page });
    all.push(...calls);
    if (calls.length < page) return new Set(all.map(({ opaque }) => opaque));
  }
}

/** Half of the callers send to one recipient and wait for the result, half send to fifty and do not wait. */
function startLoad({ gateways, apiKey, templateIds, senderIds }: CampaignFixture, lines: number) {
  const pool = new Pool(gateways.urls[0] as string, { connections: lines, headersTimeout: 30_000 });
  let stopped = false;
  let phones = 0;
  const send = async (line: number) => {
    const isLarge = line % 2 === 0;
    const recipients = Array.from({ length: isLarge ? 50 : 1 }, () => ({
      phone: `${10_000 + (++phones % 90_000)}${lateResponse}`,
      variables: { '1': 'Ada', '2': 'A-1001', '3': 'on Friday' },
    }));
    const response = await pool.request({
      method: 'POST',
      path: '/v1/templates/send',
      headers: {
        'content-type': 'application/json',
        'x-api-key': apiKey,
        ...(isLarge ? { prefer: 'respond-async' } : {}),
      },
      body: JSON.stringify({
        templateId: templateIds.order_update,
        senderId: senderIds[(line >> 1) % senderIds.length],
        recipients,
      }),
    });
    await response.body.dump();
    if (isLarge) await sleep(400);
  };
  const line = async (index: number) => {
    while (!stopped) await send(index).catch(() => sleep(200));
  };
  const all = Promise.all(Array.from({ length: lines }, (_, index) => line(index)));
  return {
    async stop() {
      stopped = true;
      await pool.destroy();
      await all;
    },
  };
}

async function ready({ gateways }: CampaignFixture): Promise<void> {
  for (;;) {
    const response = await fetch(`${gateways.urls[0]}/health/ready`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(50);
  }
}

const fixture = await openCampaignFixture(1);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const total = { kills: 0, inFlight: 0, neverReceived: 0 };
try {
  // each call is logged immediately; its response comes later, and its reports are held
  await fixture.platform.settings({ slowAnswerMs: Number(values.response), holdCallbacks: true });
  const random = seededRandom(Number(values.seed));
  for (let index = 3; index <= Number(values.numbers); index++) {
    const id = `3003003003003${String(index).padStart(2, '0')}`;
    await fixture.platform.addNumber({
      ...{ id, wabaId: '200200200200200', messagesPerSecond: 0 },
      displayPhoneNumber: `+1 555 010 00${String(index).padStart(2, '0')}`,
    });
    const sender = await fixture.call<{ _id: string }>('POST', '/v1/senders', {
      ...{ name: `Number ${index}`, phoneNumberId: id, businessAccountId: '200200200200200' },
      ...{
        accessToken: 'campaign-token',
        appSecret: 'campaign-app-secret',
        verifyToken: 'campaign-verify-token',
      },
      messagesPerSecond: 1_000,
    });
    fixture.senderIds.push(sender._id);
  }
  const load = startLoad(fixture, Number(values.lines));
  for (let kill = 0; kill < Number(values.kills); kill++) {
    await ready(fixture);
    await sleep(random.between(1_500, 3_000));
    await fixture.gateways.kill(0, { downMs });
    await sleep(statementsEndMs);
    const { rows } = await sql<{ id: string }>`select id from messages where state = 1`.execute(
      fixture.database.db,
    );
    // time for the platform to log the requests that it has received
    await sleep(Number(values.response) + platformIsBusyMs);
    const called = await callsOf(fixture);
    const neverReceived = rows.filter(({ id }) => !called.has(id)).length;
    total.kills += 1;
    total.inFlight += rows.length;
    total.neverReceived += neverReceived;

    console.log(
      `kill ${kill + 1}: ${called.size} called so far, ${rows.length} in flight, ${neverReceived} of them never received`,
    );
    await sql`delete from messages where state = 1`.execute(fixture.database.db);
  }
  await load.stop();
} finally {
  await fixture.close();
}
console.log(JSON.stringify({ ...total, share: total.neverReceived / total.inFlight }));
process.exit(0);
