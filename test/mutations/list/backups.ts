// Mutations of backups, restores and the held state.
import type { Mutation } from '../mutation.ts';

const media = 'src/messaging/media/remove.ts';

const snapshot = 'src/db/snapshot.ts';
const read = 'src/backup/read-archive.ts';
const backups = ['test/db/backup.test.ts'];
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
    find: '}, maxMs);',
    replace: '}, 2 ** 30);',
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
    name: 'backups of other programs are deleted',
    file: 'src/backup/format.ts',
    find: 'names.filter((name) => fileName.test(name)).sort()',
    replace: '[...names].sort()',
    tests: archives,
  },
];
