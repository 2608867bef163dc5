// State after a restart of each server with its folder, and the end of the sandbox's process.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCloudApi } from '../../sandbox/cloud-api/server.ts';
import { cloudApiControl, receiverControl } from '../../sandbox/control.ts';
import { openJournal } from '../../sandbox/journal.ts';
import { startReceiver } from '../../sandbox/receiver/server.ts';
import {
  appId,
  caller,
  messageTo,
  numberId,
  plain,
  startCallbackServer,
  startPlatform,
  wabaId,
} from './platform.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sandbox-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a restart keeps apps, tokens, templates, media, settings and the clock', async () => {
  const first = await startPlatform({ dir });
  const { id } = await first.control.addTemplate(plain);
  await first.control.changeTemplate(id, { quality: 'YELLOW' });
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new File(['some words'], 'a.txt', { type: 'text/plain' }));
  const media = (await first.call('POST', `${numberId}/media`, form)).json;
  const { token: gone } = await first.control.addToken(appId);
  await first.control.revoke(appId, gone);
  await first.control.settings({ readMs: 1234 });
  await first.control.advanceClock(1000);
  const before = await first.control.state();
  await first.close();

  const cloud = await startCloudApi({ dir });
  const control = cloudApiControl(cloud.url);
  const after = await control.state();
  expect({ ...after, clock: null }).toEqual({ ...before, clock: null });
  expect((await control.settings()).readMs).toBe(1234);
  expect(after).toMatchObject({ clock: { aheadMs: 1000 } });
  expect((await caller(cloud.url)('GET', media.id)).json.file_size).toBe(10);
  expect((await caller(cloud.url, gone)('GET', numberId)).json.error).toMatchObject({
    code: 190,
    error_subcode: 460,
  });
  await cloud.close();
});

test('only callbacks that were not posted yet are posted after a restart, and no message id is used twice', async () => {
  const first = await startPlatform({ dir, settings: { deliveredMs: 60_000, readMs: 120_000 } });
  await first.control.addTemplate(plain);
  const wamids = [];
  for (let i = 0; i < 5; i++)
    wamids.push(
      (await first.send('+919811112222', undefined, { biz_opaque_callback_data: `row-${i}` })).json
        .messages[0].id,
    );
  await first.callbackServer.until(() => first.callbackServer.statuses().length === 5);
  await expect.poll(async () => (await first.control.counts()).callbacksPosted).toBe(5);
  await first.control.advanceClock(300_000);
  const callbackServer = await startCallbackServer();
  await first.control.subscribe(appId, callbackServer.url, 'verify-me');
  await first.close();

  const cloud = await startCloudApi({ dir });
  await callbackServer.until(() => callbackServer.statuses().length === 10);
  for (const [i, wamid] of wamids.entries())
    expect(
      callbackServer
        .statuses(wamid)
        .map((s) => [s.status, s.biz_opaque_callback_data])
        .sort(),
    ).toEqual([
      ['delivered', `row-${i}`],
      ['read', `row-${i}`],
    ]);
  expect(callbackServer.callbacks.every((c) => c.signed)).toBe(true);
  const control = cloudApiControl(cloud.url);
  await expect.poll(async () => (await control.counts()).callbacksOpen).toBe(0);
  expect((await control.ledger()).map((m) => m.wamid)).toEqual(wamids);
  const again = await caller(cloud.url)('POST', `${numberId}/messages`, messageTo('+919811112222'));
  const [newest] = (await control.ledger()).slice(-1);
  expect(newest?.wamid).toBe(again.json.messages[0].id);
  expect(newest?.seq).toBe(6);
  await cloud.close();
  await callbackServer.close();
});

test('a template’s review continues after a restart and posts its callback', async () => {
  const first = await startPlatform({ dir, settings: { approvalMs: 60_000 } });
  const created = await first.call('POST', `${wabaId}/message_templates`, {
    name: 'slow_review',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hello.' }],
  });
  await first.control.advanceClock(61_000);
  const callbackServer = await startCallbackServer();
  await first.control.subscribe(appId, callbackServer.url, 'verify-me');
  await first.close();
  const cloud = await startCloudApi({ dir });
  await callbackServer.until(() => callbackServer.callbacks.length === 1);
  expect(callbackServer.callbacks[0]?.value).toMatchObject({ event: 'APPROVED' });
  expect(callbackServer.callbacks[0]?.raw).toContain(`"message_template_id":${created.json.id},`);
  await cloud.close();
  await callbackServer.close();
});

test('a restart keeps the receiver’s secrets and ledger', async () => {
  const first = await startReceiver({ dir });
  await receiverControl(first.url).setSecrets('main', 'a-secret');
  await fetch(`${first.url}/hooks/main`, { method: 'POST', body: '{"event":"test"}' });
  await first.close();
  const second = await startReceiver({ dir });
  const control = receiverControl(second.url);
  expect(await control.events({ kind: 'test' })).toMatchObject([{ hook: 'main', verified: false, seq: 1 }]);
  expect(
    (await fetch(control.hookUrl('main'), { method: 'POST', headers: { 'x-webhook-signature': 'x' } }))
      .status,
  ).toBe(401);
  await second.close();
});

test('a journal survives a torn last line, and is compacted when it has grown', async () => {
  const file = join(dir, 'deep', 'a.journal');
  let value = 0;
  const open = () =>
    openJournal<number>({
      file,
      restore: (n) => {
        value = n;
      },
      snapshot: () => [value],
      compactBytes: 1000,
    });
  const journal = open();
  for (let i = 1; i <= 1000; i++) {
    value = i;
    if (i % 100 === 0) await new Promise<void>((written) => journal.append(i, written));
    else journal.append(i);
  }
  expect(statSync(file).size).toBeLessThan(1000);
  journal.close();
  appendFileSync(file, '12345');
  value = 0;
  open().close();
  expect(value).toBe(1000);
  expect(readFileSync(file, 'utf8')).toBe('1000\n');
});

async function startProcess(...args: string[]) {
  const child = spawn(process.execPath, ['sandbox/main.ts', '--dir', dir, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }));
  return { child, urls: JSON.parse(line) as { cloudApi: string; google: string; receiver: string } };
}

function once(lines: ReturnType<typeof createInterface>): Promise<[string]> {
  return new Promise((resolve) => lines.once('line', (line) => resolve([line])));
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

test.each([
  ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
  ['SIGINT', (child: ChildProcess) => child.kill('SIGINT')],
  ['the end of its parent’s pipe', (child: ChildProcess) => child.stdin?.end()],
])(
  'the process serves requests once it has printed its addresses, and ends on %s, even with hanging calls',
  async (_how, stop) => {
    const { child, urls } = await startProcess();
    expect((await fetch(`${urls.cloudApi}/sandbox/counts`)).status).toBe(200);
    expect((await fetch(`${urls.receiver}/sandbox/counts`)).status).toBe(200);
    expect(urls.google).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await receiverControl(urls.receiver).addFault({ does: 'hang' });
    const hanging = fetch(`${urls.receiver}/hooks/x`, { method: 'POST', body: '{}' }).catch(() => 'cut');
    const from = performance.now();
    const end = ended(child);
    stop(child);
    expect(await end).toBe(0);
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(await hanging).toBe('cut');
  },
);

test('a process started with an IPC channel ends when the channel closes, not with its standard input', async () => {
  const child = spawn(process.execPath, ['sandbox/main.ts'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }));
  const { cloudApi } = JSON.parse(line) as { cloudApi: string };
  expect((await fetch(`${cloudApi}/sandbox/counts`)).status).toBe(200);
  const end = ended(child);
  child.disconnect();
  expect(await end).toBe(0);
});

test('after a kill, everything that got a response is still there', async () => {
  const first = await startProcess();
  const control = cloudApiControl(first.urls.cloudApi);
  await control.addApp({ id: appId, tokens: ['EAA-sandbox-token'] });
  await control.addWaba({ id: wabaId, appId });
  await control.addNumber({ id: numberId, wabaId });
  await control.addTemplate(plain);
  const end = ended(first.child);
  const answered: string[] = [];
  const send = caller(first.urls.cloudApi);
  const sends = Array.from({ length: 60 }, () =>
    send('POST', `${numberId}/messages`, messageTo('+919811112222')).then(({ json }) => {
      answered.push(json.messages[0].id);
      if (answered.length === 20) first.child.kill('SIGKILL');
    }),
  );
  await Promise.allSettled(sends);
  await end;
  const second = await startProcess();
  const kept = (await cloudApiControl(second.urls.cloudApi).ledger()).map((m) => m.wamid);
  expect(answered.filter((wamid) => !kept.includes(wamid))).toEqual([]);
  expect(answered.length).toBeGreaterThanOrEqual(20);
  const stopped = ended(second.child);
  second.child.kill('SIGTERM');
  await stopped;
});
