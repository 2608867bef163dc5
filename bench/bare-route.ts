// Bare Fastify routes, with an indexed query, the same and a call to a calendar, or a committed row: lower bounds for such requests.
import fastify, { type FastifyReply } from 'fastify';
import pg from 'pg';
import { Agent, request } from 'undici';
import { serveParent } from './child.ts';
import type { FreeBusyCall } from './free-busy-call.ts';

interface Opening {
  connection: pg.PoolConfig;
  /** A response to serialize and send in place of the read rows, so that both sides send the same bytes. */
  sample?: { headers: Record<string, string>; body: unknown };
  calendar?: FreeBusyCall;
}

interface StaffParams {
  Params: { staffId: string };
}

async function open({ connection, sample, calendar }: Opening): Promise<string> {
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
  return server.listen({ port: 0, host: '127.0.0.1' });
}

serveParent({ open });
