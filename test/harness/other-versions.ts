// Checkouts of other versions of the program, which run beside this one: an earlier commit, and a later one with more migrations.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The program's files, without tests. */
const program = ['src', 'migrations', 'package.json', 'demo', 'sandbox', 'client'];

async function linkModules(to: string): Promise<void> {
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'));
}

/** Writes the files of an earlier commit to `to`; false if this clone does not have the commit. Uses this checkout's packages. */
export async function checkOutCommit(commit: string, to: string): Promise<boolean> {
  const archive = spawnSync('git', ['-C', root, 'archive', commit, ...program], {
    maxBuffer: 1 << 28,
  });
  if (archive.status !== 0) return false;
  await mkdir(to, { recursive: true });
  const unpacked = spawnSync('tar', ['-x', '-C', to], { input: archive.stdout });
  if (unpacked.status !== 0) throw new Error(String(unpacked.stderr));
  await linkModules(to);
  return true;
}

/** Writes a later version to `to`: this checkout with more migrations, by name. Their digests are not recorded. */
export async function makeLaterVersion(to: string, migrations: Record<string, string>): Promise<void> {
  await mkdir(to, { recursive: true });
  const present = new Set(await readdir(root));
  for (const name of program.filter((one) => present.has(one)))
    await cp(join(root, name), join(to, name), { recursive: true });
  for (const [name, text] of Object.entries(migrations))
    await writeFile(join(to, 'migrations', `${name}.sql`), text);
  await linkModules(to);
}
