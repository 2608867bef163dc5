// Bare Fastify routes: an indexed query, the same and a call to a calendar, a committed row, a send, a status callback. Lower bounds for such requests.
import { createHmac, randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import pg from 'pg';
import { Agent, request } from 'undici';
import { serveParent } from './child.ts';

interface Opening {
  connection: pg.PoolConfig;
  /** A response to serialize and send in place of the read rows, so that both sides send the same bytes. */
  sample?: { headers: Record<string, string>; body: unknown };
  calendar?: OutsideCall;
  /** The call of the platform that a send makes. */
  platform?: OutsideCall;
  /** The receiver's hook, which gets a webhook for each status callback. */
  hook?: { url: string; secret: string };
}

/** A call of another system, as the gateway makes it. */
export interface OutsideCall {
  url: string;
  headers: Record<string, string>;
  body: string;
}

interface StaffParams {
  Params: { staffId: string };
}

async function open({ connection, sample, calendar, platform, hook }: Opening): Promise<string> {
  const pool = new pg.Pool({ ...connection, max: 12 });
  const server = fastify();
  const agent = new Agent({ pipelining: 1 });
  const bookings = async (staffId: string, reply: FastifyReply) => {
    const { rows } = await pool.query({
      name: 'bookings',
      text: 'select id, starts_at, ends_at from bookings where staff_id = $1 and starts_at >= now() order by starts_at limit 16',
      values: [staffId],
    });
    if (sample) return reply.headers(sample.headers).send(sample.body);
    return { success: true, message: 'Listed.', data: rows };
  };
  server.get<StaffParams>('/bookings/:staffId', async ({ params }, reply) => bookings(params.staffId, reply));
  server.get<StaffParams>('/bookings-and-calendar/:staffId', async ({ params }, reply) => {
    if (!calendar) throw new Error('no calendar was given');
    const { headers, body } = calendar;
    const busy = await request(calendar.url, { method: 'POST', headers, body, dispatcher: agent });
    await busy.body.json();
    return bookings(params.staffId, reply);
  });
  await pool.query(
    'create table if not exists bench_bookings (id uuid primary key, at timestamptz not null)',
  );
  server.post('/bookings', async () => {
    const { rows } = await pool.query({
      name: 'book',
      text: 'insert into bench_bookings values (gen_random_uuid(), now()) returning *',
      values: [],
    });
    return { success: true, message: 'Booked.', data: rows[0] };
  });
  if (hook) await callbackRoutes(server, { pool, agent, hook });
  if (platform) await sendRoute(server, { pool, agent, platform });
  return server.listen({ port: 0, host: '127.0.0.1' });
}

/** What a send cannot do without: a commit before the call of the platform, the call, and a commit after it. */
async function sendRoute(
  server: FastifyInstance,
  { pool, agent, platform }: { pool: pg.Pool; agent: Agent; platform: OutsideCall },
): Promise<void> {
  await pool.query(
    'create table bench_sends (id uuid primary key, recipient jsonb not null, message_ref text) with (fillfactor = 50)',
  );
  server.post('/sends', async ({ body }) => {
    const id = randomUUID();
    const insert = 'insert into bench_sends values ($1, $2)';
    await pool.query({ name: 'insert', text: insert, values: [id, JSON.stringify(body)] });
    const { url, headers, body: json } = platform;
    const response = await request(url, { method: 'POST', headers, body: json, dispatcher: agent });
    const { messages } = (await response.body.json()) as { messages: { id: string }[] };
    const update = 'update bench_sends set message_ref = $2 where id = $1';
    await pool.query({ name: 'update', text: update, values: [id, messages[0]?.id] });
    return { success: true, message: 'Sent.', data: { id } };
  });
}

interface StatusCallback {
  entry: { changes: { value: { statuses: { status: string; biz_opaque_callback_data: string }[] } }[] }[];
}

/** What a status callback cannot do without: a commit, its response, and the call of a receiver. */
async function callbackRoutes(
  server: FastifyInstance,
  { pool, agent, hook }: { pool: pg.Pool; agent: Agent; hook: { url: string; secret: string } },
): Promise<void> {
  await pool.query('create table bench_callbacks (message_id uuid not null, body jsonb not null)');
  server.get<{ Querystring: Record<string, string> }>(
    '/callbacks/messaging/:senderId',
    async ({ query }) => query['hub.challenge'],
  );
  server.post<{ Body: StatusCallback }>('/callbacks/messaging/:senderId', async ({ body }, reply) => {
    const [status] = body.entry[0]?.changes[0]?.value.statuses ?? [];
    if (!status) return { success: true };
    const id = status.biz_opaque_callback_data;
    const insert = 'insert into bench_callbacks values ($1, $2)';
    await pool.query({ name: 'insert', text: insert, values: [id, JSON.stringify(body)] });
    reply.send({ success: true });
    const event = JSON.stringify({ event: 'messages.status', data: { id, status: status.status } });
    const mac = createHmac('sha256', hook.secret).update(event).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': `sha256=${mac}` };
    const response = await request(hook.url, { method: 'POST', headers, body: event, dispatcher: agent });
    await response.body.dump();
    return reply;
  });
}

serveParent({ open });
