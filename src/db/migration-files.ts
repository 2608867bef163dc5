// The migration files of this program: numbered SQL in migrations/, and their digests.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const migrationsFolder = fileURLToPath(new URL('../../migrations/', import.meta.url));
const digestsName = 'SHA256SUMS';
const fileName = /^\d{4}_[a-z0-9_]+\.sql$/;

/** `expand`: older processes continue to work. `contract`: it removes what they use, so it waits until they are gone. */
export type MigrationKind = 'expand' | 'contract';

export interface MigrationFile {
  /** The file's name without `.sql`. */
  name: string;
  text: string;
  kind: MigrationKind;
  /** Processes that do not know it cannot work after it. */
  breaksOlder: boolean;
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

/** The comments above the first statement. */
const headOf = (text: string): string => /^(?:--.*\r?\n|\s*\n)*/.exec(text)?.[0] ?? '';

/**
 * The kind that a file declares among its first comments (`-- kind: expand`). Frozen files without that line run as `expand`;
 * one of them breaks older processes nevertheless (`-- breaks older processes`).
 */
function kindOf(text: string): Pick<MigrationFile, 'kind' | 'breaksOlder'> {
  const head = headOf(text);
  const kind = declaredKind(text) ?? 'expand';
  return { kind, breaksOlder: kind === 'contract' || /^-- breaks older processes\b/m.test(head) };
}

/** The kind in the line `-- kind: …`; undefined without that line. Throws if it is unknown. */
export function declaredKind(text: string): MigrationKind | undefined {
  const found = /^-- kind: *(.*?)\s*$/m.exec(headOf(text))?.[1];
  if (found === undefined || found === 'expand' || found === 'contract') return found;
  throw new Error(`The kind of a migration is expand or contract, not ${found}.`);
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
      return { name, text, ...kindOf(text), digest: digestOf(text), released: released.get(name) };
    }),
  );
}
