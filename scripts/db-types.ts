// `npm run db:types`: records new migrations, and generates src/db/schema.ts from a temporary database; --check only compares it.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDb } from '../src/db/db.ts';
import { startEmbeddedPostgres } from '../src/db/embedded/start.ts';
import { migrateToLatest } from '../src/db/migrate.ts';
import { recordMigrations } from './record-migrations.ts';
import { schemaText } from './schema-text.ts';

if (!process.argv.includes('--check')) await recordMigrations();

const file = fileURLToPath(new URL('../src/db/schema.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'db-types-'));
// as root the server runs as another user, who must be able to enter the folder
await chmod(folder, 0o711);
const log = { info() {}, warn: console.warn, error: console.error };

try {
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    log,
    settings: { fsync: 'off' },
  });
  try {
    const db = openDb(server.connection, { maxConnections: 1, applicationName: 'db-types' });
    await migrateToLatest(db).finally(() => db.destroy());
    const text = await schemaText(server.connection);
    if (!process.argv.includes('--check')) {
      await writeFile(file, text);
    } else if ((await readFile(file, 'utf8')) !== text) {
      console.error('src/db/schema.ts does not match migrations/. Run "npm run db:types".');
      process.exitCode = 1;
    }
  } finally {
    await server.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
