// The archive of a backup: what is written is read, and nothing else is taken for a backup.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type BackupHeader,
  formatName,
  type ManifestContent,
  obsoleteBackups,
} from '../../src/backup/format.ts';
import { readArchive } from '../../src/backup/read-archive.ts';
import { parseTarget } from '../../src/backup/target.ts';
import { writeArchive } from '../../src/backup/write-archive.ts';
import { type KeyRing, makeKey, parseKeyRing } from '../../src/base/cipher.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { isBackupDue } from '../../src/run-backup/schedule.ts';

const ring = parseKeyRing(makeKey());
const MiB = 1024 * 1024;
// more than two parts, of which the last is short
const rows = Buffer.concat([Buffer.alloc(5 * MiB, 'abcdefg\n'), randomBytes(4 * MiB)]);

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000);
}

async function archiveOf(keys: KeyRing | null, content = rows, claimed?: number): Promise<Buffer> {
  const header: BackupHeader = {
    ...{ format: formatName, formatVersion: 1, id: uuidv7(), version: '1.0.0' },
    createdAt: '2026-11-22T10:00:00.000Z',
    keyId: keys?.keys[0].id ?? null,
  };
  const archive = writeArchive(
    { header, key: keys?.keys[0].key ?? null, onPart: async () => undefined },
    async (writer) => {
      const { lines } = await writer.section('tables/a', chunks(content));
      await writer.section('tables/empty', chunks(Buffer.alloc(0)));
      const tables = [
        { name: 'a', columns: ['x'], rows: claimed ?? lines },
        { name: 'empty', columns: ['x'], rows: 0 },
      ];
      return { ...header, tables } as unknown as ManifestContent;
    },
  );
  const written: Buffer[] = [];
  for await (const chunk of archive) written.push(Buffer.from(chunk));
  return Buffer.concat(written);
}

async function read(archive: Buffer, keys: KeyRing | null) {
  const clear: Buffer[] = [];
  const manifest = await readArchive(chunks(archive), {
    keys,
    onPart: async (section, bytes) => {
      expect(section).toBe('tables/a');
      clear.push(bytes);
    },
  });
  return { manifest, clear: Buffer.concat(clear) };
}

const [clearArchive, encryptedArchive] = await Promise.all([archiveOf(null), archiveOf(ring)]);

test.each([
  ['without a key', clearArchive, null],
  ['with a key', encryptedArchive, ring],
])('a backup %s is read as it was written', async (_what, archive, keys) => {
  const { manifest, clear } = await read(archive, keys);
  expect(clear.equals(rows)).toBe(true);
  expect(manifest.sections.map(({ name, bytes, parts }) => [name, bytes, parts.length])).toEqual([
    ['tables/a', rows.length, 3],
    ['tables/empty', 0, 0],
  ]);
});

test('an encrypted backup shows nothing of its content', () => {
  expect(encryptedArchive.includes('abcdefg')).toBe(false);
  expect(encryptedArchive.includes('columns')).toBe(false);
});

test('a backup that was cut off anywhere is rejected', async () => {
  for (const share of [0.0001, 0.3, 0.9, 0.9999]) {
    const cut = encryptedArchive.subarray(0, Math.floor(encryptedArchive.length * share));
    await expect(read(cut, ring)).rejects.toThrow(/incomplete|not a backup|not copied to its end/);
  }
  // whole entries, but no manifest
  const [entries] = [clearArchive.subarray(0, clearArchive.indexOf('manifest.json.zst'))];
  await expect(read(entries, null)).rejects.toThrow('The backup is incomplete: its manifest is missing');
});

test.each([
  ['without a key', clearArchive, null],
  ['with a key', encryptedArchive, ring],
])('a backup %s with a changed byte is rejected', async (_what, archive, keys) => {
  // in the first part, in a later one, and in the manifest
  for (const at of [1_560, Math.floor(archive.length / 2), archive.indexOf('manifest.json.zst') + 600]) {
    const changed = Buffer.from(archive);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(read(changed, keys)).rejects.toThrow(/altered|cannot be read|incomplete/);
  }
});

test('a backup with bytes after its end, or a damaged entry, says that it is altered', async () => {
  const longer = Buffer.concat([clearArchive, Buffer.from('more')]);
  await expect(read(longer, null)).rejects.toThrow(
    'altered, or was not copied to its end: what follows manifest.json.zst is no part',
  );
  const damaged = Buffer.from(clearArchive);
  damaged[clearArchive.indexOf('manifest.json.zst') + 150] = 0x2a;
  await expect(read(damaged, null)).rejects.toThrow(
    /altered, .* what follows tables\/a\/\d+\.zst is no part/,
  );
});

test('a part of another backup with the same key is rejected', async () => {
  const other = await archiveOf(ring);
  expect(other.length).toBe(encryptedArchive.length);
  const changed = Buffer.from(encryptedArchive);
  // the first part, behind the headers of two entries; a header has the size in octal digits
  const size = Number.parseInt(other.toString('latin1', 1_024 + 124, 1_024 + 135), 8);
  other.copy(changed, 1_536, 1_536, 1_536 + size);
  await expect(read(changed, ring)).rejects.toThrow(/cannot be read: it was altered.* Use another backup/);
});

test('a backup that lacks rows of a table is rejected', async () => {
  await expect(read(await archiveOf(null, rows.subarray(0, MiB), 7), null)).rejects.toThrow(
    'the table a does not have 7 rows',
  );
});

test('a backup with another key, a newer form, or another file is rejected with its reason', async () => {
  await expect(read(encryptedArchive, null)).rejects.toThrow('Add that key to BACKUP_KEYS');
  await expect(read(encryptedArchive, parseKeyRing(makeKey()))).rejects.toThrow('Add that key');
  const sameName = parseKeyRing(`${ring.keys[0].id}:${randomBytes(32).toString('base64')}`);
  await expect(read(encryptedArchive, sameName)).rejects.toThrow('encrypted with another backup key');
  const at = clearArchive.indexOf('"formatVersion":1');
  const newer = Buffer.from(clearArchive);
  newer.write('"formatVersion":2', at);
  await expect(read(newer, null)).rejects.toThrow('in a form that this program does not know');
  await expect(read(randomBytes(9_000), null)).rejects.toThrow('not a backup');
  await expect(read(Buffer.alloc(0), null)).rejects.toThrow('not a backup');
});

test('targets are files, directories or buckets', () => {
  const parse = (text: string) =>
    parseTarget(text, (path) =>
      path === '/there' ? 'directory' : path === '/there/renamed' ? 'file' : undefined,
    );
  expect(parse('/there')).toEqual({ place: '/there', name: null });
  expect(parse('/new/')).toEqual({ place: '/new/', name: null });
  expect(parse('/new/a.tar')).toEqual({ place: '/new', name: 'a.tar' });
  // a directory to be made, not a file without a type
  expect(parse('./new')).toEqual({ place: './new', name: null });
  expect(parse('/there/renamed')).toEqual({ place: '/there', name: 'renamed' });
  expect(parse('a.tar')).toEqual({ place: '.', name: 'a.tar' });
  expect(parse('s3://b/p?region=x')).toEqual({ place: 's3://b/p?region=x', name: null });
  expect(parse('s3://b/p/a.tar?region=x')).toEqual({ place: 's3://b/p?region=x', name: 'a.tar' });
});

test('only the oldest of our own backups are obsolete', () => {
  const name = (day: number) => `gateway-backup-2026110${day}T100000.000Z-0123abcd.tar`;
  const names = [name(3), name(1), name(2)];
  expect(obsoleteBackups([...names, 'other.tar', 'gateway-backup-x.tar'], 2, name(3))).toEqual([name(1)]);
  expect(obsoleteBackups(names, 3, name(3))).toEqual([]);
  // the others have a time of a clock that was ahead
  expect(obsoleteBackups(names, 1, name(1))).toEqual([name(2), name(3)]);
  expect(obsoleteBackups(['gateway-backup-20261101T100000Z-0123abcd.tar', name(2)], 1, name(2))).toHaveLength(
    1,
  );
});

test.each([
  ['there is none', null, null, true],
  ['the last good one is old enough', 90_000, 90_000, true],
  ['the last good one is younger', 80_000, 80_000, false],
  ['the last one failed less than an hour ago', 90_000, 3_000, false],
  ['the last one failed an hour ago', null, 3_700, true],
  ["the database's clock stepped back", -500, -500, true],
])('a backup is due, or not, when %s', (_what, goodSeconds, beganSeconds, isDue) => {
  expect(isBackupDue({ goodSeconds, beganSeconds }, 24)).toBe(isDue);
});
