// A process that starts the embedded database on command; tests kill it, interrupt it, and start two of it.
import { createInterface } from 'node:readline';
import { startEmbeddedPostgres } from '../../src/db/embedded/start.ts';

const [dataDir = '', upgrade] = process.argv.slice(2);
const say = (word: object) => process.stdout.write(`${JSON.stringify(word)}\n`);
const log = { info() {}, warn() {}, error() {} };

process.on('SIGINT', () => say({ event: 'interrupted' }));

try {
  const server = await startEmbeddedPostgres({ dataDir, log, upgrade: upgrade === 'upgrade' });
  say({ event: 'started', adopted: server.adopted, connection: server.connection });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'stop') break;
  }
  await server.stop();
  say({ event: 'stopped' });
} catch (error) {
  say({ event: 'refused', message: String(error) });
}
process.exit();
