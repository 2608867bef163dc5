// Mutations of what holds while the database is in trouble, and of readiness.
import type { Mutation } from '../mutation.ts';

const sessions = ['test/db/db.test.ts'];
const away = ['test/api/database-unavailable.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a session of a server in trouble goes back into the pool',
    file: 'src/db/pool.ts',
    find: 'destroy === true || client.fatalError !== undefined',
    replace: 'destroy === true',
    tests: sessions,
  },
  {
    name: 'a read-only server is noticed session by session',
    file: 'src/db/pool.ts',
    find: 'client.generation === generation) generation += 1;',
    replace: 'client.generation === generation) generation += 0;',
    tests: sessions,
  },
  {
    name: 'a session is opened on a server that takes no writes',
    file: 'src/db/pool.ts',
    find: 'if (isReadOnlyNow) throw',
    replace: 'if (false) throw',
    tests: sessions,
  },
  {
    name: 'a statement without an answer waits for ever',
    file: 'src/db/pool.ts',
    find: 'now - client.pendingSinceMs > afterMs) client.abandon();',
    replace: 'now - client.pendingSinceMs < 0) client.abandon();',
    tests: sessions,
  },
  {
    name: 'the key of a send that the database failed stays leased',
    file: 'src/messaging/sending/send.ts',
    find: 'if (isUnavailable(error)) deps.releases.release(sendId);',
    replace: '',
    tests: away,
  },
  {
    name: 'readiness only reads',
    file: 'src/db/ready.ts',
    find: 'await sql`update readiness set written_at = now()`.execute(db);',
    replace: '',
    tests: away,
  },
  {
    name: 'a readiness check may take for ever',
    file: 'src/http/health.ts',
    find: 'await Promise.race([running, tooLate])',
    replace: 'await running',
    tests: away,
  },
  {
    name: 'a missing object store makes every process unready',
    file: 'src/http/health.ts',
    find: '...looksOf(optional, false)',
    replace: '...looksOf(optional, true)',
    tests: ['test/api/database-unavailable.test.ts'],
  },
  {
    name: 'a migration that breaks older processes is not recorded as such',
    file: 'src/db/migrate.ts',
    find: 'if (breaksOlder.test(file.text)) await recordBreaking(db, file.name);',
    replace: '',
    tests: ['test/db/migrate.test.ts'],
  },
  {
    name: 'a full disk of files is told as a store that cannot be reached',
    file: 'src/messaging/media/stored-file.ts',
    find: "error.code === 'storage_full'",
    replace: 'false',
    tests: ['test/api/media-rejections.test.ts'],
  },
  {
    name: 'a file half-written on a full disk remains',
    file: 'src/adapters/filesystem/object-store.ts',
    find: 'await rm(temporary, { force: true }).catch(() => {});',
    replace: '',
    tests: ['test/ports/filesystem.test.ts'],
  },
  {
    name: 'a connection is kept although the end is announced',
    file: 'src/http/draining.ts',
    find: "if (isDraining()) reply.header('Connection', 'close');",
    replace: '',
    tests: ['test/journeys/stop.test.ts'],
  },
  {
    name: 'a process whose end is announced is ready',
    file: 'src/http/health.ts',
    find: 'if (deps.isDraining())',
    replace: 'if (false)',
    tests: ['test/journeys/stop.test.ts'],
  },
  {
    name: 'a fault that repeats is logged whole each time',
    file: 'src/base/repeated-errors.ts',
    find: '      kind.total += 1;',
    replace: '      return true;',
    tests: ['test/base/log.test.ts'],
  },
  {
    name: 'the log of the embedded server grows without end',
    file: 'src/db/embedded-log.ts',
    find: 'await truncate(path);',
    replace: '',
    tests: ['test/base/log.test.ts'],
  },
];
