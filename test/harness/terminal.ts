// A terminal for the commands of a document: one shell, into which its blocks are pasted in order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Pasted {
  /** What each block wrote to standard output; shorter than the blocks if one failed. */
  outputs: string[];
  errors: string;
  status: number | null;
  /** Status and address of every request that curl made. */
  requests: { status: number; url: string }[];
}

const separator = '\u001e';

/**
 * Runs the blocks in one shell and stops at the first command that fails. Ends what they left in the background,
 * whose output is not read.
 */
export async function paste(
  blocks: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Pasted> {
  const folder = await mkdtemp(join(tmpdir(), 'terminal-'));
  const log = join(folder, 'requests');
  const script = join(folder, 'script');
  const prelude = `set -eo pipefail\ncurl() { command curl --max-time 60 -w '%{stderr}%{http_code} %{url}\\n' "$@" 2>> '${log}'; }`;
  const parts = blocks.map((block) => block.replaceAll(/ &$/gm, ' > /dev/null 2>&1 &'));
  await writeFile(log, '');
  await writeFile(script, [prelude, ...parts].join(`\nprintf '${separator}'\n`));
  const shell = spawn('bash', [script], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    // as a terminal whose user types nothing
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    const [out, errors, [status]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'exit'),
    ]);
    const requests = [...(await readFile(log, 'utf8')).matchAll(/^(\d{3}) (\S+)$/gm)];
    return {
      outputs: out.split(separator).slice(1),
      errors,
      status,
      requests: requests.map(([, code, url = '']) => ({ status: Number(code), url })),
    };
  } finally {
    try {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
    } catch {
      // nothing is left
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
