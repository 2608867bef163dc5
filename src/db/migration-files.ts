// The migration files of this program: numbered SQL in migrations/, and their digests.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const migrationsFolder = fileURLToPath(new URL('../../migrations/', import.meta.url));
const digestsName = 'SHA256SUMS';
const fileName = /^\d{4}_[a-z0-9_]+\.sql$/;

export interface MigrationFile {
  /** The file's name without `.sql`. */
  name: string;
  text: string;
  /** SHA-256 of the text as hex digits, as `sha256sum` prints it. */
  digest: string;
  /** The digest in `SHA256SUMS`, fixed when the file was merged; undefined: not recorded yet. */
  released: string | undefined;
}

/** Reads `SHA256SUMS` of `folder` (the format of sha256sum): digests by migration name; empty without that file. */
export async function readReleasedDigests(folder = migrationsFolder): Promise<Map<string, string>> {
  const text = await readFile(join(folder, digestsName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return new Map(
    lines.map((line) => {
      const [, digest = '', name = ''] = /^([0-9a-f]{64}) {2}(\w+)\.sql\r?$/.exec(line) ?? [];
      if (name === '') throw new Error(`A line of migrations/${digestsName} is malformed: ${line}`);
      return [name, digest];
    }),
  );
}

/** Writes `SHA256SUMS` of `folder`. */
export async function writeReleasedDigests(
  digests: Map<string, string>,
  folder = migrationsFolder,
): Promise<void> {
  const lines = [...digests].sort().map(([name, digest]) => `${digest}  ${name}.sql\n`);
  await writeFile(join(folder, digestsName), lines.join(''));
}

/** Ignores CRLF line ends, which some checkouts write. */
function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

/** Reads every migration in `folder`, in order. Throws if a file name is malformed or a number is used twice. */
export async function readMigrations(folder = migrationsFolder): Promise<MigrationFile[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const wrong = files.find((name) => !fileName.test(name));
  if (wrong) throw new Error(`The migration ${wrong} must be named like 0001_what_it_makes.sql.`);
  const duplicate = files.find((name, at) => name.slice(0, 4) === files[at - 1]?.slice(0, 4));
  if (duplicate) throw new Error(`Two migrations have the same number as ${duplicate}.`);
  const released = await readReleasedDigests(folder);
  return Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.sql'.length);
      const text = await readFile(join(folder, file), 'utf8');
      return { name, text, digest: digestOf(text), released: released.get(name) };
    }),
  );
}
