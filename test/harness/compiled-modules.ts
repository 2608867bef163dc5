// The folder of compiled modules that test runs share: loading the gateway takes half the time.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
/** About 100 MB. Each run adds some hundred files: Vitest imports test files under a new name. */
const filesMax = 15_000;

/** Returns the folder for NODE_COMPILE_CACHE. Empties it first if it has become too large. */
export function compiledModulesFolder(): string {
  try {
    const sizes = readdirSync(folder).map((version) => readdirSync(join(folder, version)).length);
    if (sizes.some((size) => size > filesMax)) rmSync(folder, { recursive: true });
  } catch {
    // nothing is compiled yet, or a concurrent run empties it
  }
  return folder;
}
