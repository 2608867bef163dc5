// How the tests run: one database server for all, a database of its own for each file, as many files at once as there are cores.
import { globSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { compiledModulesFolder } from './test/harness/compiled-modules.ts';
import { LongestFirst } from './test/harness/sequence.ts';
import { folderForTemporaryFiles } from './test/harness/temporary-files.ts';

const compiled = compiledModulesFolder();
enableCompileCache(compiled);
// for this process, which starts the database server, and for the workers
process.env.TMPDIR = folderForTemporaryFiles();

/** Long tests, for `npm run test:full` (mode "full"). */
const long = 'test/**/*.long.test.ts';

/** Tests of single parts, which start no gateway and need no database. */
const withoutProgram = ['rules', 'base', 'sandbox'].map((kind) => `test/${kind}/**/*.test.ts`);

/** Tests that move the program's clock. Ids never go back, so that later files of the same process would get ids of the future. */
const movesClock = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  /db\/(?:conversations|people|sessions)\.|appointments-fixture|media-gateway|fast-clock|faked-clock|aheadMs|now: \(\) => Date\.now\(\) [+-]/.test(
    file + readFileSync(join(import.meta.dirname, file), 'utf8'),
  ),
);

export default defineConfig(({ mode }) => ({
  test: {
    environment: 'node',
    projects: [
      {
        extends: true,
        // files share workers: the start of a worker and the import of all modules took a third of the CPU
        test: {
          name: 'program',
          include: ['test/**/*.test.ts'],
          exclude: [...withoutProgram, ...movesClock, ...(mode === 'full' ? [] : [long])],
          setupFiles: ['test/harness/check-responses.ts', 'test/harness/check-clock.ts'],
          globalSetup: ['test/harness/global-setup.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'clock',
          include: movesClock,
          exclude: [...withoutProgram, ...(mode === 'full' ? [] : [long])],
          setupFiles: ['test/harness/check-responses.ts'],
          globalSetup: ['test/harness/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: withoutProgram,
          exclude: mode === 'full' ? [] : [long],
          isolate: false,
        },
      },
    ],
    env: { NODE_COMPILE_CACHE: compiled },
    pool: 'forks',
    // tests start servers beside them: on four cores, three files at once keep all busy
    maxWorkers: Math.max(2, Math.min(3, availableParallelism() - 1)),
    sequence: { sequencer: LongestFirst },
    // a test awaits a condition, not a duration: these end a test that hangs, and a busy machine does not reach them
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    hookTimeout: 90_000,
    teardownTimeout: 30_000,
    // no test may pass by luck: neither by being repeated nor by there being none
    retry: 0,
    passWithNoTests: false,
    allowOnly: false,
    // Node runs the TypeScript itself, as in production: no transform, which took a third of a short run
    experimental: { viteModuleRunner: false },
  },
}));
