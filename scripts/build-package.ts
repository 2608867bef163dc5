// The files of the npm package, written before `npm pack`: the sources without types in lib/, because Node runs no TypeScript below
// node_modules, the built dashboard, and the lock file of the runtime dependencies.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const lib = join(root, 'lib');
const folders = ['src', 'sandbox', 'demo', 'client/src'];
/** Copied as they are. */
const assets = ['migrations', 'dashboard/dist'];

/** Relative paths of modules, in imports and in the addresses of threads and processes. */
const modulePath = /(?<quote>['"])(?<path>\.{1,2}\/[^'"\n]+)\.ts\k<quote>/g;

/** The JavaScript of a module. Lines and columns stay the same, so stack traces lead to the source. */
export function javaScriptOf(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(modulePath, '$<quote>$<path>.js$<quote>');
}

function writeModules(folder: string): void {
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const from = join(root, folder, name);
    if (!statSync(from).isFile()) continue;
    const to = join(lib, folder, name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    if (name.endsWith('.ts')) writeFileSync(to, javaScriptOf(readFileSync(from, 'utf8')));
    else cpSync(from, to);
  }
}

/** `npm-shrinkwrap.json`: the exact versions for whoever installs the package, without development packages. */
function runtimeLock(): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = Object.entries<{ dev?: boolean; devDependencies?: object }>(lock.packages);
  lock.packages = Object.fromEntries(
    packages
      .filter(([, entry]) => !entry.dev)
      .map(([path, { devDependencies: _dropped, ...entry }]) => [path, entry]),
  );
  return `${JSON.stringify(lock, null, 2)}\n`;
}

rmSync(lib, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'scripts/build-dashboard.cjs')], { stdio: 'inherit' });
for (const folder of folders) writeModules(folder);
for (const folder of assets) cpSync(join(root, folder), join(lib, folder), { recursive: true });
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeFileSync(join(lib, 'package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`);
writeFileSync(join(root, 'npm-shrinkwrap.json'), runtimeLock());
