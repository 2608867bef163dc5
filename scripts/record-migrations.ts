// The record of the digests of new migrations in migrations/SHA256SUMS, which never changes a recorded one.
import { readMigrations, readReleasedDigests, writeReleasedDigests } from '../src/db/migration-files.ts';
import { needsKind, problemsOfMigration } from './check-migration.ts';

/** Records new files; throws if a recorded file was edited or removed, or a new one breaks the rules of its kind. `folder` is for tests. */
export async function recordMigrations(folder?: string): Promise<void> {
  const files = await readMigrations(folder);
  const digests = await readReleasedDigests(folder);
  const present = new Set(files.map(({ name }) => name));
  const edited = files.filter(({ digest, released = digest }) => digest !== released).map(({ name }) => name);
  const wrong = [...edited, ...[...digests.keys()].filter((name) => !present.has(name))];
  if (wrong.length > 0)
    throw new Error(
      `These migrations were edited, renamed or removed after they were recorded: ${wrong.join(', ')}. ` +
        'If they were merged, restore them and add a new migration. If they exist only on your branch, delete their lines from migrations/SHA256SUMS and run this again.',
    );
  for (const { name, text } of files.filter((file) => !digests.has(file.name) && needsKind(file.name))) {
    const problems = await problemsOfMigration(text);
    if (problems.length > 0)
      throw new Error(
        `${name} breaks the rules of migrations (CONTRIBUTING.md, "Migrations"): ${problems.join('; ')}.`,
      );
  }
  for (const { name, digest } of files) digests.set(name, digest);
  await writeReleasedDigests(digests, folder);
}
