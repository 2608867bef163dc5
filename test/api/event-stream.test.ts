// The event stream: what changed, by scope and account, across processes; its limits and its end.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { lastEventTime } from '../../src/stream/frames.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway } from '../harness/gateway.ts';

interface Frame {
  id: string | undefined;
  event: string;
  data: Record<string, { ids: string[]; more: boolean }>;
}

let gateway: Gateway;
let templateId: string;
beforeAll(async () => {
  gateway = await startGateway();
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const };
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  templateId = (await addSender(gateway, [{ name: 'hello', ...seed, components }])).templateIds.hello ?? '';
  await addEndpoint(gateway);
});
afterAll(() => gateway?.close());

const open: IncomingMessage[] = [];
afterEach(() => {
  for (const response of open.splice(0)) response.destroy();
});

/** Opens a stream; collects its frames. */
async function listen(headers: Record<string, string>, url = gateway.url) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${url}/v1/events/stream`, { headers, agent: false }, resolve).on('error', reject).end();
  });
  open.push(response);
  const state = { text: '', hasEnded: false };
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    state.text += text;
  });
  response.on('close', () => {
    state.hasEnded = true;
  });
  const frames = (): Frame[] =>
    state.text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((block) => {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const data = field('data');
        return data ? [{ id: field('id'), event: field('event') ?? 'message', data: JSON.parse(data) }] : [];
      });
  if (response.statusCode === 200) await vi.waitUntil(() => frames().length > 0);
  return {
    response,
    state,
    frames,
    /** All changes of a kind so far. */
    changes: (kind: string) => frames().flatMap(({ data }) => (data[kind] ? [data[kind]] : [])),
    ids: (kind: string) => frames().flatMap(({ data }) => data[kind]?.ids ?? []),
  };
}
const withKey = (key = gateway.apiKey) => ({ 'X-API-Key': key });
const keyWith = async (...scopes: string[]) =>
  (await gateway.call<{ _id: string; apiKey: string }>('POST', '/v1/keys', { body: { name: 'k', scopes } }))
    .body.data;
const send = async (url?: string) => {
  const answer = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', {
    body: { templateId, recipients: [{ phone: '15550100001' }] },
    ...(url ? { url } : {}),
  });
  return answer.body.data.messages[0]?.id ?? '';
};
const soon = { timeout: 20_000 };

it('names changed messages, deliveries and received messages, to callers that can read them', async () => {
  const reader = await keyWith('messages:read');
  const [all, narrow] = [await listen(withKey()), await listen(withKey(reader.apiKey))];
  expect(all.response.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  const id = await send();
  await gateway.platform.write(number.id, { messages: [{ from: { phone: '15550100002' }, kind: 'text' }] });
  await vi.waitUntil(() => all.ids('messages').includes(id), soon);
  await vi.waitUntil(() => all.ids('received').length > 0, soon);
  await vi.waitUntil(() => all.changes('deliveries').some(({ more }) => more), soon);
  await vi.waitUntil(() => narrow.ids('messages').includes(id), soon);
  for (const { data } of narrow.frames())
    expect(Object.keys(data)).toSatisfy((kinds: string[]) =>
      kinds.every((kind) => kind === 'messages' || kind === 'sends' || kind === 'optOuts'),
    );
});

it('continues from Last-Event-ID with what the database has of that time, else asks for a reload', async () => {
  const first = await listen(withKey());
  await gateway.call('POST', '/v1/keys', { body: { name: 'k', scopes: ['manage'] } });
  await vi.waitUntil(() => first.changes('keys').length > 0, soon);
  const since = first.frames()[0]?.id ?? '';
  first.response.destroy();
  const id = await send();
  const isStored = async () => {
    const { rows } = await sql`select 1 from recent_changes where kinds::text like ${`%${id}%`}`.execute(
      gateway.database.db,
    );
    return rows.length > 0;
  };
  await vi.waitUntil(isStored, soon);
  // a start of a process in the last minute asks everybody to reload
  await sql`delete from recent_changes where account_id is null`.execute(gateway.database.db);
  const again = await listen({ ...withKey(), 'Last-Event-ID': since });
  expect(again.frames()[0]).toMatchObject({
    event: 'message',
    data: { messages: { more: expect.any(Boolean) } },
  });
  expect(again.ids('messages')).toContain(id);
  for (const lost of [new Date(Date.now() - 61_000).toISOString(), 'x', '2099-01-01T00:00:00.000Z']) {
    const stream = await listen({ ...withKey(), 'Last-Event-ID': lost });
    expect(stream.frames()[0]).toMatchObject({ event: 'reload', data: {} });
    stream.response.destroy();
  }
  expect(lastEventTime(undefined, 0, 60)).toBeUndefined();
});

it('tells of what another process changed, and nothing of other accounts; ends with its key, session or process', async () => {
  const ended = await endedStreams();
  const other = await gateway.otherAccount();
  const url = await gateway.another({ ROLE: 'api' });
  const [own, theirs] = [await listen(withKey(), url), await listen(withKey(other), url)];
  const id = await send();
  await vi.waitUntil(() => own.ids('messages').includes(id), soon);
  await gateway.call('POST', '/v1/keys', { key: other, body: { name: 'k', scopes: ['manage'] } });
  await vi.waitUntil(() => theirs.changes('keys').length > 0, soon);
  expect(JSON.stringify(theirs.frames())).not.toContain(id);
  for (const { data } of theirs.frames()) expect(Object.keys(data)).not.toContain('messages');
  for (const { state } of ended) await vi.waitUntil(() => state.hasEnded, soon);
  await gateway.stopAnother(url);
  for (const { state } of [own, theirs]) {
    await vi.waitUntil(() => state.hasEnded, soon);
    expect(state.text).toMatch(/retry: 1000\n\n$/);
  }
});

/** Streams of a key that was revoked and of a session that ended. */
async function endedStreams() {
  const key = await keyWith('messages:read');
  const signedIn = await gateway.call<{ session: { _id: string } }>('POST', '/v1/session', {
    key: null,
    headers: { Origin: gateway.url, 'X-Requested-With': 'chatbot-gateway' },
    body: { key: gateway.apiKey },
  });
  const cookie = { Cookie: String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '' };
  const streams = [await listen(withKey(key.apiKey)), await listen(cookie)];
  await gateway.call('DELETE', `/v1/keys/${key._id}`);
  await gateway.call('DELETE', `/v1/sessions/${signedIn.body.data.session._id}`);
  expect((await listen(cookie)).response.statusCode).toBe(401);
  return streams;
}

it('rejects the sixth stream of a key, and takes one again when another closes', async () => {
  const key = (await keyWith('messages:read')).apiKey;
  const streams = [];
  for (let n = 0; n < 5; n++) streams.push(await listen(withKey(key)));
  const sixth = await listen(withKey(key));
  expect([sixth.response.statusCode, sixth.response.headers['retry-after']]).toEqual([429, '10']);
  expect((await listen(withKey())).response.statusCode).toBe(200);
  streams[0]?.response.destroy();
  await vi.waitUntil(async () => (await listen(withKey(key))).response.statusCode === 200, soon);
});

it('rejects the stream of an account that has 50, whatever its key, and none of another account', async () => {
  const first = await gateway.otherAccount('Streams');
  const keys = [first];
  while (keys.length < 11) {
    const made = await gateway.call<{ apiKey: string }>('POST', '/v1/keys', {
      ...{ key: first, body: { name: 'k', scopes: ['messages:read'] } },
    });
    keys.push(made.body.data.apiKey);
  }
  const [last = '', ...others] = keys.reverse();
  for (const key of others) await Promise.all(Array.from({ length: 5 }, () => listen(withKey(key))));
  expect((await listen(withKey(last))).response.statusCode).toBe(429);
  expect((await listen(withKey())).response.statusCode).toBe(200);
});

it('opens none for a HEAD, which would never end', async () => {
  const key = (await keyWith('messages:read')).apiKey;
  const head = () => fetch(`${gateway.url}/v1/events/stream`, { method: 'HEAD', headers: withKey(key) });
  for (let n = 0; n < 6; n++) {
    const { status, headers } = await head();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  }
  expect((await listen(withKey(key))).response.statusCode).toBe(200);
});
