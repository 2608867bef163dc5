// Preload: SIGKILL before or after the n-th call that changes the file system or asks PostgreSQL something, counted from the first one
// that names a path of an upgrade.
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import pg from 'pg';

/** The number of the step at which the process dies; 0: never. Each call has two steps: before and after it. */
const dieAt = Number(process.env.DIE_AT_STEP ?? 0);
let steps = 0;
let isCounting = false;

function step(): void {
  if (!isCounting) return;
  steps += 1;
  if (steps === dieAt) process.kill(process.pid, 'SIGKILL');
}

process.on('exit', () => {
  if (dieAt === 0) process.stdout.write(`${JSON.stringify({ event: 'steps', steps })}\n`);
});

for (const name of ['rename', 'rm', 'writeFile', 'open', 'mkdir', 'unlink'] as const) {
  const original = promises[name] as (...given: unknown[]) => Promise<unknown>;
  Object.assign(promises, {
    [name]: async (...given: unknown[]) => {
      isCounting ||= String(given[0]).includes('upgrade');
      step();
      const result = await original.apply(promises, given);
      step();
      return result;
    },
  });
}
syncBuiltinESMExports();

const { query } = pg.Client.prototype;
// biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
pg.Client.prototype.query = function counted(this: pg.Client, ...given: any[]): any {
  step();
  return (query as (...args: unknown[]) => unknown).apply(this, given);
} as typeof query;
