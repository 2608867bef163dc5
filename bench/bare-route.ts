// Bare Fastify routes, one with an indexed query and one with a committed row: the lower bound for the cost of such requests.
import fastify from 'fastify';
import pg from 'pg';
import { serveParent } from './child.ts';

interface Opening {
  connection: pg.PoolConfig;
  /** A response to serialize and send in place of the read rows, so that both sides send the same bytes. */
  sample?: { headers: Record<string, string>; body: unknown };
}

async function open({ connection, sample }: Opening): Promise<string> {
  const pool = new pg.Pool({ ...connection, max: 12 });
  const server = fastify();
  server.get<{ Params: { staffId: string } }>('/bookings/:staffId', async ({ params }, reply) => {
    const { rows } = await pool.query({
      name: 'bookings',
      text: 'select id, starts_at, ends_at from bookings where staff_id = $1 and starts_at >= now() order by starts_at limit 16',
      values: [params.staffId],
    });
    if (sample) return reply.headers(sample.headers).send(sample.body);
    return { success: true, message: 'Listed.', data: rows };
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
