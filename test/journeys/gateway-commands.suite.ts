// Commands that call a running gateway: `sender`, `send`, `endpoint` and `listen`, with a demo account.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../client/src/webhooks.ts';
import type { Demo } from '../../demo/seed.ts';
import type { Call } from '../harness/gateway-client.ts';
import type { ProgramFolder } from '../harness/program.ts';

type Audit = { items: { action: string; actor: { kind: string } }[] };

interface RunningDemo {
  workspace: ProgramFolder;
  demo: Demo;
  gateway: Call;
}

/** Adds the tests, for a demo that runs when they begin. */
export function commandsSuite(running: () => RunningDemo): void {
  describe('commands that call the gateway', () => {
    /** Runs a command as on the gateway's machine, or from elsewhere with the key. */
    async function run(args: string[], where: 'here' | 'elsewhere' = 'elsewhere') {
      const { workspace, demo } = running();
      const env =
        where === 'here'
          ? { PORT: new URL(demo.baseUrl).port }
          : { GATEWAY_URL: demo.baseUrl, GATEWAY_API_KEY: demo.apiKey, DATA_DIR: '/nowhere' };
      const { code, out, err } = await workspace.run([...args, '--json'], { env });
      return { code, err, document: JSON.parse(out) };
    }

    test('without a key, one is created in the database and revoked', async () => {
      const { demo, gateway } = running();
      const { code, document } = await run(['sender', 'list'], 'here');
      expect([code, document.senders[0]._id]).toEqual([0, demo.senderId]);
      const { items } = await gateway<Audit>('GET', '/v1/audit?limit=2');
      expect(items.map(({ action, actor }) => [action, actor.kind])).toEqual([
        ['key.revoked', 'operator'],
        ['key.created', 'operator'],
      ]);
    });

    test('with GATEWAY_URL, a missing key, a wrong key and an unreachable gateway have their exit codes', async () => {
      const { demo, workspace } = running();
      const codes = await Promise.all(
        [
          { GATEWAY_URL: demo.baseUrl },
          { GATEWAY_URL: demo.baseUrl, GATEWAY_API_KEY: 'cgw_wrong' },
          { GATEWAY_URL: 'http://127.0.0.1:1', GATEWAY_API_KEY: demo.apiKey },
        ].map(async (env) => (await workspace.run(['sender', 'list'], { env })).code),
      );
      expect(codes).toEqual([3, 6, 4]);
    });

    test('a sent template is followed until its end, and a failed one is exit code 1', async () => {
      const variables = ['--variable', '1=Ada', '--variable', '2=A-1', '--variable', '3=today'];
      const [sent, failed] = await Promise.all(
        ['+15550100077', '15550001131049'].map((to) =>
          run(['send', 'order_update', '--to', to, ...variables]),
        ),
      );
      expect([sent?.code, sent?.document.message.status]).toEqual([
        0,
        expect.stringMatching(/delivered|read/),
      ]);
      expect([failed?.code, failed?.document.message.error.code]).toEqual([1, 131049]);
      expect((await run(['send', 'order_updat', '--to', '15550100077'])).code).toBe(5);
    });

    test('retention counts what would go, and removes nothing before its notice is over', async () => {
      const counted = await run(['retention', '--dry-run'], 'here');
      expect([counted.code, counted.document]).toMatchObject([
        0,
        {
          partitions: [],
          kinds: [
            { kind: 'messages', days: null, rows: null },
            { kind: 'received', days: 30, rows: 0 },
            {},
            {},
            {},
          ],
        },
      ]);
      expect(Date.parse(counted.document.kinds[1].beginsAt)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
      // or a worker has the lease
      const removed = await run(['retention'], 'here').catch(() => null);
      if (removed?.code === 0) expect(removed.document).toEqual({ rows: {}, partitions: [], busy: [] });
    });

    test('listen forwards the webhooks of a send in order, with valid signatures, and leaves nothing behind', async () => {
      const { demo, workspace } = running();
      const received: { headers: IncomingHttpHeaders; body: string }[] = [];
      const server = createServer((request, response) => {
        let body = '';
        request.on('data', (bytes) => {
          body += bytes;
        });
        request.on('end', () => {
          received.push({ headers: request.headers, body });
          response.writeHead(204).end();
        });
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as { port: number };
      const env = { GATEWAY_URL: demo.baseUrl, GATEWAY_API_KEY: demo.apiKey };
      const listening = workspace.start(
        ['listen', `http://127.0.0.1:${port}/hooks`, '--events', 'messages.status', '--json'],
        { env },
      );
      const [first = ''] = await listening.says(/^\{"listening":true.*$/m);
      const { endpointId, secret } = JSON.parse(first);
      const variables = ['--variable', '1=Ada', '--variable', '2=A-1', '--variable', '3=today'];
      const { document } = await run(['send', 'order_update', '--to', '15550100078', ...variables]);
      await listening.says(/(\n.*"statusCode":204.*){3}/);
      // twice, as under npm
      for (let n = 0; n < 2; n++) listening.process.kill('SIGINT');
      expect(await listening.ended).toMatchObject({ code: 0, err: '' });
      server.close();
      const events = received.map(({ headers, body }) => verifyWebhook(body, headers, secret).event);
      expect(events).toMatchObject(
        ['sent', 'delivered', 'read'].map((status) => ({ data: { id: document.message.id, status } })),
      );
      expect((await run(['endpoint', 'list'])).document.endpoints).not.toContainEqual(
        expect.objectContaining({ _id: endpointId }),
      );
    });
  });
}
