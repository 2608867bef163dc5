// The build of the client's package into a folder: ES modules and CommonJS with types. Usage: build-client.ts dist/client
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const kinds = { esm: ['esnext', 'module'], cjs: ['commonjs', 'commonjs'] } as const;

/** Builds the package into `folder`, which is emptied first. */
export function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'README.md'])
    copyFileSync(join(root, 'client', name), join(folder, name));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const [kind, [module, type]] of Object.entries(kinds)) {
    const out = join(folder, kind);
    const args = ['-p', join(root, 'client'), '--outDir', out, '--module', module];
    execFileSync(join(root, 'node_modules/.bin/tsc'), [...args, '--moduleResolution', 'bundler'], {
      stdio: 'inherit',
    });
    writeFileSync(join(out, 'package.json'), `${JSON.stringify({ type })}\n`);
    // the compiler rewrites import endings in .js files, but not in .d.ts files
    for (const name of readdirSync(out).filter((one) => one.endsWith('.d.ts'))) {
      const path = join(out, name);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
    }
  }
}

if (import.meta.main) buildClient(process.argv[2] ?? 'dist/client');
