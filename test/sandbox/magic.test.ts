// Magic recipients, from the caller's side and by their callbacks.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { magicRecipients } from '../../sandbox/cloud-api/magic.ts';
import { messageTo, numberId, plain, startPlatform } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  platform = await startPlatform({ settings: { deliveredMs: 150, readMs: 350, slowAnswerMs: 150 } });
  await platform.control.addTemplate(plain);
});
beforeEach(() => platform.control.clearLedger());
afterAll(() => platform.close());

const to = (ending: string) => `+91${ending}`;

/** Sends, waits for all callbacks of the message, and returns their statuses in the order posted. */
async function sendAndWait(ending: string): Promise<string[]> {
  const { json, status } = await platform.send(to(ending));
  expect(status).toBe(200);
  return statusesOf(json.messages[0].id);
}

async function statusesOf(wamid: string): Promise<string[]> {
  const [message] = await platform.control.ledger({ wamid });
  const expected = message?.steps.length ?? 0;
  await platform.callbackServer.until(() => platform.callbackServer.statuses(wamid).length >= expected);
  return platform.callbackServer
    .statuses(wamid)
    .map((s) => (s.errors ? `${s.status} ${s.errors[0]?.code}` : s.status));
}

test.each([
  ['9811112222', ['sent', 'delivered', 'read']],
  ['0000131026', ['failed 131026']],
  ['0000131049', ['failed 131049']],
  ['0000000102', ['failed 132015']],
  ['0000000201', ['sent', 'delivered']],
  ['0000000202', ['sent', 'read']],
  ['0000000203', ['sent']],
  ['0000000204', []],
  ['0000000301', ['sent', 'sent', 'delivered', 'delivered', 'read', 'read']],
  ['0000000302', ['read', 'delivered', 'sent']],
  ['0000000304', ['sent', 'failed 131026', 'delivered']],
])('…%s gets the statuses %j', async (ending, words) => {
  expect(await sendAndWait(ending)).toEqual(words);
});

test('a failed status has the error in the platform’s format', async () => {
  await sendAndWait('0000131026');
  expect(platform.callbackServer.statuses().findLast((s) => s.status === 'failed')?.errors).toEqual([
    {
      code: 131026,
      title: 'Message undeliverable',
      message: 'Message undeliverable',
      error_data: { details: 'Message undeliverable.' },
      href: expect.stringContaining('error-codes'),
    },
  ]);
});

test('…0000000101 is held for quality assessment, then sent, delivered and read', async () => {
  const { json } = await platform.send(to('0000000101'));
  expect(json.messages[0].message_status).toBe('held_for_quality_assessment');
  expect(await statusesOf(json.messages[0].id)).toEqual(['sent', 'delivered', 'read']);
});

test('…0000000303 gets all callbacks at the same moment', async () => {
  await platform.control.settings({ deliveredMs: 60_000, readMs: 60_000 });
  expect((await sendAndWait('0000000303')).sort()).toEqual(['delivered', 'read', 'sent']);
  await platform.control.settings({ deliveredMs: 150, readMs: 350 });
});

test.each([131026, 131049, 131047, 130429, 131056])(
  '…0001%i is rejected immediately, and never accepted',
  async (code) => {
    for (let i = 0; i < 4; i++) expect((await platform.send(to(`0001${code}`))).json.error.code).toBe(code);
    expect(await platform.control.ledger()).toEqual([]);
  },
);

test('…0002130429 is throttled as often as configured, then accepted', async () => {
  const codes = async (ending: string, tries: number) => {
    const seen: number[] = [];
    for (let i = 0; i < tries; i++) {
      const { status, json } = await platform.send(to(ending));
      seen.push(status === 200 ? 200 : json.error.code);
    }
    return seen;
  };
  expect(await codes('0002130429', 4)).toEqual([130429, 130429, 200, 200]);
  await platform.control.settings({ refuseFirst: 3 });
  expect(await codes('0002131016', 4)).toEqual([131016, 131016, 131016, 200]);
  await platform.control.settings({ refuseFirst: 2 });
});

test('…0000000401 is accepted with all callbacks, but the call gets no response', async () => {
  const gone = new AbortController();
  const call = platform.call('POST', `${numberId}/messages`, messageTo(to('0000000401')), gone.signal);
  const refused = expect(call).rejects.toThrow();
  const mine = () => platform.callbackServer.statuses().filter((s) => s.recipient_id.endsWith('0000000401'));
  await platform.callbackServer.until(() => mine().length === 3);
  gone.abort();
  await refused;
  expect(await platform.control.ledger({ phone: '910000000401' })).toHaveLength(1);
});

test('…0000000402 is not accepted, and the call gets no response', async () => {
  await expect(
    platform.call('POST', `${numberId}/messages`, messageTo(to('0000000402')), AbortSignal.timeout(100)),
  ).rejects.toThrow();
  expect(await platform.control.ledger()).toEqual([]);
});

test('…403 and …404 reset the connection, …404 after accepting', async () => {
  await expect(platform.send(to('0000000403'))).rejects.toThrow();
  expect(await platform.control.ledger()).toEqual([]);
  await expect(platform.send(to('0000000404'))).rejects.toThrow();
  const [message] = await platform.control.ledger();
  expect(await statusesOf(message?.wamid ?? '')).toEqual(['sent', 'delivered', 'read']);
});

test('…500 and …501 return 500 without a body, …501 after accepting', async () => {
  expect(await platform.send(to('0000000500'))).toMatchObject({ status: 500, text: '' });
  expect(await platform.control.ledger()).toEqual([]);
  expect(await platform.send(to('0000000501'))).toMatchObject({ status: 500, text: '' });
  const [message] = await platform.control.ledger();
  expect(await statusesOf(message?.wamid ?? '')).toEqual(['sent', 'delivered', 'read']);
});

test('…601 gets its callbacks before the response', async () => {
  const answer = platform.send(to('0000000601'));
  const mine = () => platform.callbackServer.statuses().filter((s) => s.recipient_id.endsWith('0000000601'));
  await platform.callbackServer.until(() => mine().length === 3);
  const before = mine().length;
  expect((await answer).json.messages[0].id).toBe(mine()[0]?.id);
  expect(before).toBe(3);
});

test('numbers that only resemble magic ones are sent, delivered and read', async () => {
  for (const ending of ['0000000000', '0000000999', '0003131026', '0000131099'])
    expect(await sendAndWait(ending)).toEqual(['sent', 'delivered', 'read']);
});

test('the documented table has every ending once', async () => {
  const endings = magicRecipients.map((row) => row.endsIn);
  expect(new Set(endings).size).toBe(endings.length);
  for (const ending of endings) expect(ending).toMatch(/^000[0-2](CCCCCC|\d{6})$/);
  const table = await (await fetch(`${platform.url}/sandbox/magic`)).json();
  expect(table).toMatchObject({ recipients: magicRecipients });
});
