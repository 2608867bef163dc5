// Sandbox features for the fault campaign: callbacks to several servers in turn, a log of calls, endless and invalid responses.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { receiverControl } from '../../sandbox/control.ts';
import { startReceiver } from '../../sandbox/receiver/server.ts';
import type { RunningServer } from '../../sandbox/server.ts';
import { messageTo, numberId, plain, startCallbackServer, startPlatform } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
let receiver: RunningServer;
beforeAll(async () => {
  [platform, receiver] = await Promise.all([startPlatform(), startReceiver()]);
  await platform.control.addTemplate(plain);
});
afterAll(() => Promise.all([platform.close(), receiver.close()]));

const phone = '+919811112222';

test('callbacks go to the servers behind the address in turn, and a failed one is retried at the next server', async () => {
  const [one, other] = [await startCallbackServer(), await startCallbackServer()];
  const origins = [one, other].map(({ url }) => new URL(url).origin);
  await platform.control.settings({ callbackOrigins: origins, retryDelaysMs: [0, 0, 0] });
  one.respondWith = () => 503;
  await platform.send(phone);
  await other.until(() => new Set(other.statuses().map(({ status }) => status)).size === 3);
  expect(one.posts).toBeGreaterThan(0);
  expect(platform.callbackServer.posts).toBe(0);
  await platform.control.settings({ callbackOrigins: [] });
  await Promise.all([one.close(), other.close()]);
});

test('the log of calls has the outcome of each call, also of those that a fault prevented', async () => {
  const { control } = platform;
  await platform.send(phone);
  expect(await control.calls()).toEqual([]);
  await control.settings({ keepCalls: 100 });
  const of = (opaque: string) => ({ biz_opaque_callback_data: opaque });
  await platform.send(phone, undefined, of('taken'));
  await platform.send('+919800001131026', undefined, of('refused'));
  await control.addFault({ on: 'messages', does: 'reset', times: 1 });
  await expect(platform.send(phone, undefined, of('lost'))).rejects.toThrow();
  await control.addFault({ on: 'messages', does: 'reset', when: 'after', times: 1 });
  await expect(platform.send(phone, undefined, of('unheard'))).rejects.toThrow();
  await control.addFault({ on: 'messages', code: 131016, times: 1 });
  await platform.send(phone, undefined, of('busy'));
  const calls = await control.calls();
  expect(calls.map(({ opaque, outcome, response }) => [opaque, outcome, response])).toEqual([
    ['taken', 'accepted', '200'],
    ['refused', 'rejected 131026', '400'],
    ['lost', 'not accepted', 'reset'],
    ['unheard', 'accepted', 'reset'],
    ['busy', 'rejected 131016', '500'],
  ]);
  await control.clearCalls();
  expect(await control.calls()).toEqual([]);
});

test('flood sends an endless response while it is read, and garbage sends bytes that are not HTTP', async () => {
  const control = receiverControl(receiver.url);
  const post = () => fetch(control.hookUrl('any'), { method: 'POST', body: '{}' });
  await control.addFault({ does: 'flood', status: 500, times: 1 });
  const endless = await post();
  expect([endless.status, endless.headers.get('content-length')]).toEqual([500, '8000000000']);
  let bytes = 0;
  for await (const piece of endless.body as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > 3_000_000) break;
  }
  expect(bytes).toBeGreaterThan(3_000_000);
  await control.addFault({ does: 'garbage', times: 1 });
  await expect(post()).rejects.toThrow();
  await control.clearFaults();
  expect((await platform.call('POST', `${numberId}/messages`, messageTo(phone))).status).toBe(200);
});
