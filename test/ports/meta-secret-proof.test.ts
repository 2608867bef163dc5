// The proof of the app secret (`appsecret_proof`), which an app may require of each call.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openMetaPlatform } from '../../src/adapters/meta/platform.ts';
import type { VendorError } from '../../src/base/errors.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import type { MessagingPlatform, SenderAccess } from '../../src/ports/platform.ts';
import { appId, appSecret, numberId, plain, startPlatform, token, wabaId } from '../sandbox/platform.ts';

let cloud: Awaited<ReturnType<typeof startPlatform>>;
let platform: MessagingPlatform;
let sender: SenderAccess;
/** The query of each call. */
let queries: URLSearchParams[];
const outgoing = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1000 });
const counted: typeof outgoing = {
  ...outgoing,
  request(of) {
    queries.push(new URL(of.url).searchParams);
    return outgoing.request(of);
  },
};

beforeAll(async () => {
  cloud = await startPlatform();
  await cloud.control.addTemplate(plain);
});
afterAll(async () => {
  await cloud.close();
  await outgoing.close();
});
beforeEach(async () => {
  await cloud.control.addApp({ id: appId, requiresProof: true });
  queries = [];
  platform = openMetaPlatform({ outgoing: counted, guardedOutgoing: counted, apiVersion: 'v23.0' });
  sender = {
    ...{ senderId: 'sender', accountId: 'account', phoneNumberId: numberId, businessAccountId: wabaId },
    ...{ credential: token, appSecret, apiUrl: cloud.url, isOwnAddress: false },
  };
});

const send = (of = sender) =>
  platform.sendTemplate(of, {
    ...{ phone: '15550100001', templateName: 'plain', language: 'en_US', correlationId: 'one' },
    filled: { body: [], buttons: [] },
  });
const upload = () =>
  platform.uploadMedia(
    sender,
    {
      ...{ fileName: 'a.png', mimeType: 'image/png', size: 8 },
      stream: Readable.from([Buffer.from('89504e470d0a1a0a', 'hex')]),
    },
    5_000,
  );
const failureOf = (call: Promise<unknown>): Promise<VendorError> =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: VendorError) => error,
  );

it('is sent to an app that requires it, from its first rejection on', async () => {
  await send();
  await send();
  expect(queries.map((query) => query.has('appsecret_proof'))).toEqual([false, true, true]);
  expect(await cloud.control.ledger()).toHaveLength(2);
});

it('is not sent to other apps', async () => {
  await cloud.control.addApp({ id: appId, requiresProof: false });
  await send();
  expect(queries.map((query) => query.has('appsecret_proof'))).toEqual([false]);
});

it("is of the app's own token where that one is used", async () => {
  const app = { appId, appSecret };
  await expect(platform.inspectCredential(sender, app)).resolves.toMatchObject({ problem: null });
  await expect(platform.readNumber(sender)).resolves.toMatchObject({ isRegistered: true });
});

it('leaves a first upload unsent: its bytes are read only once', async () => {
  const failure = await failureOf(upload());
  expect([failure.outcome, failure.message]).toEqual([
    'not_sent',
    expect.stringContaining('appsecret_proof'),
  ]);
  await expect(upload()).resolves.toMatchObject({ platformMediaId: expect.any(String) });
});

it('is added to the address of an upload session, which has a query of its own', async () => {
  const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
  const file = () => ({ fileName: 'a.png', mimeType: 'image/png', size: 8, stream: Readable.from([bytes]) });
  await expect(platform.uploadSample(sender, file(), 5_000)).resolves.toEqual({ handle: expect.any(String) });
});

it('halts the token if it is wrong, or the secret is not known', async () => {
  const wrong = await failureOf(send({ ...sender, appSecret: 'of another app' }));
  expect([wrong.outcome, platform.classify(wrong)]).toEqual(['rejected', 'halt_token']);
  const { appSecret: _, ...unknown } = sender;
  const missing = await failureOf(send(unknown));
  expect([missing.outcome, platform.classify(missing)]).toEqual(['rejected', 'halt_token']);
});

it('downloads received media', async () => {
  const { messages } = await cloud.control.write(numberId, {
    messages: [{ from: { phone: '15550100077' }, kind: 'image' }],
  });
  const media = await platform.openReceivedMedia({
    ...{ sender, mediaRef: messages[0]?.mediaId ?? '', maxBytes: 1_000_000, timeoutMs: 5_000 },
  });
  expect(media.outcome).toBe('opened');
  if (media.outcome === 'opened') media.content.destroy();
});

it('says nothing of received media if it is wrong', async () => {
  const of = { sender: { ...sender, appSecret: 'of another app' }, mediaRef: '1' };
  const failure = await failureOf(
    platform.openReceivedMedia({ ...of, maxBytes: 1_000_000, timeoutMs: 5_000 }),
  );
  expect(failure).toMatchObject({ outcome: 'rejected', code: 100 });
});
