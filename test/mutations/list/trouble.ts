// Mutations of the behaviour during database failures, and of readiness.
import type { Mutation } from '../mutation.ts';

const sessions = ['test/db/db.test.ts'];
const away = ['test/api/database-unavailable.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a session of a failing server is returned to the pool',
    file: 'src/db/pool.ts',
    find: 'destroy === true || client.fatalError !== undefined',
    replace: 'destroy === true',
    tests: sessions,
  },
  {
    name: 'a read-only server is detected for each session separately',
    file: 'src/db/session-client.ts',
    find: 'current += 1;',
    replace: 'current += 0;',
    tests: sessions,
  },
  {
    name: 'a session is opened on a read-only server',
    file: 'src/db/pool.ts',
    find: 'if (isReadOnlyNow) throw',
    replace: 'if (false) throw',
    tests: sessions,
  },
  {
    name: 'a statement without a response waits without a limit',
    file: 'src/db/pool.ts',
    find: 'client.silentMs() > afterMs) client.abandon();',
    replace: 'client.silentMs() < 0) client.abandon();',
    tests: sessions,
  },
  {
    name: 'the key of a send that failed because of the database stays leased',
    file: 'src/messaging/sending/send.ts',
    find: 'if (isUnavailable(error)) deps.releases.release(sendId);',
    replace: '',
    tests: away,
  },
  {
    name: 'the readiness check does not write',
    file: 'src/db/ready.ts',
    find: 'await sql`update readiness set written_at = now()`.execute(db);',
    replace: '',
    tests: away,
  },
  {
    name: 'a readiness check has no time limit',
    file: 'src/http/health.ts',
    find: 'await Promise.race([running, timeout])',
    replace: 'await running',
    tests: away,
  },
  {
    name: 'a missing object store makes every process unready',
    file: 'src/http/health.ts',
    find: '...probesOf(optional, false)',
    replace: '...probesOf(optional, true)',
    tests: ['test/api/database-unavailable.test.ts'],
  },
  {
    name: 'a migration that breaks older processes is not recorded as such',
    file: 'src/db/migrate.ts',
    find: 'if (file.breaksOlder) await recordBreaking(db, file.name);',
    replace: '',
    tests: ['test/db/migrate.test.ts'],
  },
  {
    name: 'a full disk is reported as an unreachable store',
    file: 'src/messaging/media/stored-file.ts',
    find: "error.code === 'storage_full'",
    replace: 'false',
    tests: ['test/api/media-rejections.test.ts'],
  },
  {
    name: 'a partial file remains on a full disk',
    file: 'src/adapters/filesystem/object-store.ts',
    find: 'await rm(temporary, { force: true }).catch(() => {});',
    replace: '',
    tests: ['test/ports/filesystem.test.ts'],
  },
  {
    name: 'a connection is kept although the stop was announced',
    file: 'src/http/draining.ts',
    find: "if (isDraining()) reply.header('Connection', 'close');",
    replace: '',
    tests: ['test/journeys/stop.test.ts'],
  },
  {
    name: 'a process whose stop was announced is ready',
    file: 'src/http/health.ts',
    find: 'if (deps.isDraining())',
    replace: 'if (false)',
    tests: ['test/journeys/stop.test.ts'],
  },
  {
    name: 'a repeated error is logged in full each time',
    file: 'src/base/repeated-errors.ts',
    find: '      kind.total += 1;',
    replace: '      return true;',
    tests: ['test/base/log.test.ts'],
  },
  {
    name: 'the log of the embedded server grows without a limit',
    file: 'src/db/embedded/log.ts',
    find: 'await truncate(path);',
    replace: '',
    tests: ['test/base/log.test.ts'],
  },
];
