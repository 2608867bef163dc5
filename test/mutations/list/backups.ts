// Mutations of backups, restores and the held state.
import type { Mutation } from '../mutation.ts';

const media = 'src/messaging/media/remove.ts';

const snapshot = 'src/db/snapshot.ts';
const read = 'src/backup/read-archive.ts';
const backups = ['test/db/backup.test.ts'];
const restore = 'src/backup/restore.ts';
const restores = ['test/db/restore.test.ts'];
const held = ['test/db/held.test.ts'];
const journey = ['test/journeys/restore.test.ts'];
const archives = ['test/rules/backup-archive.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the object of a deleted file is removed before a backup could read it',
    file: media,
    find: 'await markRemoving(tx, locked.id, keptSeconds);',
    replace: 'await markRemoving(tx, locked.id, retrySeconds);',
    tests: ['test/api/media-stored.test.ts'],
  },
  {
    name: 'a backup mixes moments',
    file: snapshot,
    find: 'begin isolation level repeatable read, read only',
    replace: 'begin isolation level read committed, read only',
    tests: backups,
  },
  {
    name: 'two backups of a database run at a time',
    file: snapshot,
    find: 'if (rows[0].locked !== true) {',
    replace: 'if (rows[0].locked === undefined) {',
    tests: backups,
  },
  {
    name: 'a snapshot lasts for ever',
    file: snapshot,
    find: 'void sleep(maxMs, ended.signal)',
    replace: 'void sleep(2 ** 30, ended.signal)',
    tests: backups,
  },
  {
    name: 'a backup without its manifest counts as whole',
    file: read,
    find: 'if (!manifest) throw incomplete();',
    replace: 'if (!manifest) return {} as Manifest;',
    tests: archives,
  },
  {
    name: 'a part of another backup is accepted',
    file: 'src/backup/parts.ts',
    find: 'if (backup !== id || part !== name)',
    replace: 'if (part !== name)',
    tests: archives,
  },
  {
    name: 'a part that was moved within its backup is accepted',
    file: read,
    find: 'compare(manifest, sections);',
    replace: '',
    tests: archives,
  },
  {
    name: 'a database that is not empty is restored into',
    file: restore,
    find: 'if (!incomplete && tables.length > 0)',
    replace: 'if (!incomplete && tables.length > 10_000)',
    tests: restores,
  },
  {
    name: 'a gateway runs on a database that is being restored',
    file: restore,
    find: 'if ((await countGatewayConnections(db)) > 0)',
    replace: 'if ((await countGatewayConnections(db)) > 100)',
    tests: restores,
  },
  {
    name: 'an incomplete restore is started as if it was whole',
    file: 'src/open-database.ts',
    find: 'if (incomplete) throw new Error(incompleteRestoreText(incomplete));',
    replace: '',
    tests: restores,
  },
  {
    name: 'two restores into a database run at a time',
    file: 'src/db/restore-target.ts',
    find: 'if (rows[0].locked !== true)',
    replace: 'if (rows[0].locked === undefined)',
    tests: restores,
  },
  {
    name: 'a backup of a newer program is restored',
    file: restore,
    find: 'if (unknown.length > 0)',
    replace: 'if (unknown.length > 100)',
    tests: restores,
  },
  {
    name: 'a restored table may lack rows',
    file: 'src/db/load.ts',
    find: 'if (rows[0].n !== expected)',
    replace: 'if (rows[0].n > expected + 1000)',
    tests: restores,
  },
  {
    name: 'a restored gateway is not held',
    file: 'src/db/restore-target.ts',
    find: "held_since = greatest(now(), ${snapshotAt}::timestamptz + interval '1 minute')",
    replace: 'held_since = null',
    tests: restores,
  },
  {
    name: 'sessions of the original work after a restore',
    file: 'src/db/restore-target.ts',
    find: 'await sql`delete from sessions`.execute(tx);',
    replace: '',
    tests: restores,
  },
  {
    name: 'a restored copy keeps its webhook addresses',
    file: 'src/backup/staging-store.ts',
    find: 'update endpoints set url = ${to.url}, secret',
    replace: 'update endpoints set secret',
    tests: restores,
  },
  {
    name: 'a dispatch begins while the gateway is held',
    file: 'src/messaging/messages/sql-store.ts',
    find: 'sql`(not ${isGatewayHeld} and m.state',
    replace: 'sql`(m.state',
    tests: held,
  },
  {
    name: 'a held gateway claims messages',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: ' and not ${isGatewayHeld}',
    replace: '',
    tests: held,
  },
  {
    name: 'a send is inserted as dispatching while the gateway is held',
    file: 'src/messaging/sending/new-sends-store.ts',
    find: ' and not ${isGatewayHeld} as is_open',
    replace: ' as is_open',
    tests: held,
  },
  {
    name: 'a reply is inserted as dispatching while the gateway is held',
    file: 'src/messaging/replies/store.ts',
    find: ' and not ${isGatewayHeld} as is_open',
    replace: ' as is_open',
    tests: held,
  },
  {
    name: 'recipients enter the queue while the gateway is held',
    file: 'src/messaging/campaigns/feeds-store.ts',
    find: ' and not ${isGatewayHeld}',
    replace: '',
    tests: held,
  },
  {
    name: 'a held gateway claims deliveries',
    file: 'src/webhooks/delivery/store.ts',
    find: ' and not ${isGatewayHeld}',
    replace: '',
    tests: held,
  },
  {
    name: 'a held gateway delivers what it publishes',
    file: 'src/webhooks/publish-store.ts',
    find: ' and not ${isGatewayHeld} as open',
    replace: ' as open',
    tests: held,
  },
  {
    name: 'a held gateway reconciles bookings',
    file: 'src/appointments/booking/bookings-store.ts',
    find: 'where due_at <= now() and not ${isGatewayHeld} order',
    replace: 'where due_at <= now() order',
    tests: held,
  },
  {
    name: 'a request reconciles a booking while the gateway is held',
    file: 'src/appointments/booking/bookings-store.ts',
    find: 'and due_at <= now() and not ${isGatewayHeld} returning',
    replace: 'and due_at <= now() returning',
    tests: held,
  },
  {
    name: 'an event is inserted while the gateway is held',
    file: 'src/appointments/booking/holds-store.ts',
    find: ' and not ${isGatewayHeld}',
    replace: '',
    tests: held,
  },
  {
    name: 'a held gateway accepts sends and bookings',
    file: 'src/server.ts',
    find: 'isRejectedWhileHeld && deps.isHeld() ? held()',
    replace: 'isRejectedWhileHeld && request.is404 ? held()',
    tests: journey,
  },
  {
    name: 'the workers of a held gateway run',
    file: 'src/workers.ts',
    find: 'if (!internal.has(name))',
    replace: 'if (name === undefined)',
    tests: journey,
  },
  {
    name: 'messages that were queued in the backup are sent after a release',
    file: 'src/messaging/campaigns/release-restored.ts',
    find: "while (queued === 'fail')",
    replace: 'while (queued === undefined)',
    tests: journey,
  },
  {
    name: 'scheduled sends of the backup start after a release',
    file: 'src/messaging/campaigns/release-restored.ts',
    find: 'paused: await pauseRestored(deps.db)',
    replace: 'paused: 1',
    tests: journey,
  },
  {
    name: 'backups of other programs are deleted',
    file: 'src/backup/format.ts',
    find: 'names.filter((name) => fileName.test(name) && name !== written).sort()',
    replace: 'names.filter((name) => name !== written).sort()',
    tests: archives,
  },
  {
    name: 'a backup just written is deleted if others have a later time',
    file: 'src/backup/format.ts',
    find: 'fileName.test(name) && name !== written',
    replace: 'fileName.test(name)',
    tests: ['test/rules/backup-archive.test.ts'],
  },
  {
    name: 'a backup to a directory that is missing becomes a file of its name',
    file: 'src/backup/target.ts',
    find: "path.endsWith('.tar') ? 'file' : 'directory'",
    replace: "'file'",
    tests: ['test/rules/backup-archive.test.ts'],
  },
  {
    name: 'a backup that fails before its snapshot is read is not recorded',
    file: 'src/backup/back-up.ts',
    find: 'await recordBackupEnd(deps.db, header.id, { bytes, failure }).catch(() => undefined);',
    replace:
      'if (snapshot) await recordBackupEnd(deps.db, header.id, { bytes, failure }).catch(() => undefined);',
    tests: ['test/db/backup.test.ts'],
  },
  {
    name: 'a backup fails if older ones cannot be deleted',
    file: 'src/backup/back-up.ts',
    find: 'return { deleted, deleteFailure: error instanceof Error ? error.message : String(error) };',
    replace: 'throw error;',
    tests: ['test/db/backup.test.ts'],
  },
];
