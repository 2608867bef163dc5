// A bare Fastify route with one indexed query: the lower bound for the cost of such a request.
import fastify from 'fastify';
import pg from 'pg';
import { serveParent } from './child.ts';

interface Opening {
  connection: pg.PoolConfig;
  staffId: string;
}

async function open({ connection, staffId }: Opening): Promise<string> {
  const pool = new pg.Pool({ ...connection, max: 12 });
  const server = fastify();
  server.get('/bookings', async () => {
    const { rows } = await pool.query({
      name: 'bookings',
      text: 'select id, starts_at, ends_at from bookings where staff_id = $1 and starts_at >= now() order by starts_at limit 16',
      values: [staffId],
    });
    return { success: true, message: 'Listed.', data: rows };
  });
  return server.listen({ port: 0, host: '127.0.0.1' });
}

serveParent({ open });
