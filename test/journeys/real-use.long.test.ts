// The commands of README's "Production setup", pasted into a new checkout, as root and as an ordinary user.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { root } from '../harness/program.ts';

vi.setConfig({ testTimeout: 60_000 });

const [, block = ''] =
  /## Production setup\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ??
  [];
const users = process.getuid?.() === 0 ? ['root', 'daemon'] : [''];

let folder: string;
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

/** A new checkout owned by `user`, with the packages of this one. */
async function checkOut(user: string): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'real-use-'));
  await chmod(folder, 0o755);
  const checkout = join(folder, 'checkout');
  const left = new Set(['node_modules', '.git', '.env', 'data', 'gateway-data']);
  for (const name of readdirSync(root).filter((one) => !left.has(one)))
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  if (user !== '') execFileSync('chown', ['-R', '-h', user, folder]);
  return checkout;
}

const idOf = (user: string, flag: string) => Number(execFileSync('id', [flag, user]).toString());

test.each(users)('as %s: start a gateway whose printed key works', async (user) => {
  expect(block).toMatch(/migrate.*account create.*doctor.*npm start/s);
  const cwd = await checkOut(user);
  const port = await freePort();
  const ids = user === '' ? {} : { uid: idOf(user, '-u'), gid: idOf(user, '-g') };
  const env = { PATH: process.env.PATH, HOME: folder, PORT: String(port) };
  const shell = spawn('bash', ['-e'], { cwd, env, ...ids, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes;
    });
  }
  const ended = new Promise((resolve) => shell.once('close', resolve));
  shell.stdin.end(block);
  try {
    const answers = vi.waitFor(() => expect(output).toMatch(/gateway answers at/), {
      timeout: 50_000,
      interval: 100,
    });
    await Promise.race([answers, ended]);
    expect(output).toMatch(/gateway answers at/);
    const key = /API key +(\S+)/.exec(output)?.[1] ?? '';
    const answer = await fetch(`http://127.0.0.1:${port}/v1/senders`, { headers: { 'X-API-Key': key } });
    expect(answer.status).toBe(200);
    expect(existsSync(join(cwd, 'gateway-data'))).toBe(true);
    expect(output).not.toMatch(/FAIL/);
  } finally {
    if (shell.exitCode === null) process.kill(-(shell.pid ?? 0), 'SIGTERM');
    await ended;
  }
});
