// The npm package: packed from a clean copy, installed in an empty folder and started there as its users do.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { root } from '../harness/program.ts';

// an install of all packages
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let folder: string;
let app: string;
let port: number;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'package-test-'));
  const copy = join(folder, 'checkout');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, copy]);
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy });
  expect(readdirSync(copy)).not.toContain('npm-shrinkwrap.json');
  app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"private":true}');
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', join(folder, tarball)], { cwd: app });
  port = await freePort();
  // not the Node of this test: the package brings its own
  env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, PORT: String(port) };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const npx = (...args: string[]) => spawnSync('npx', ['--no', ...args], { cwd: app, env, encoding: 'utf8' });

test('installs the exact versions of the lock file, no development package and nothing of the sources', () => {
  const installed = JSON.parse(
    execFileSync('npm', ['ls', '--all', '--json', '--long'], { cwd: app, encoding: 'utf8' }),
  );
  const { dependencies } = installed.dependencies['chatbot-gateway'];
  expect(dependencies.fastify.version).toMatch(/^\d+\.\d+\.\d+$/);
  for (const name of ['vite', 'typescript', 'vitest', 'react'])
    expect(existsSync(join(app, 'node_modules', name))).toBe(false);
  const names = readdirSync(join(app, 'node_modules/chatbot-gateway'));
  for (const name of ['test', 'src', 'bench', 'dashboard', 'data', '.git']) expect(names).not.toContain(name);
});

test('npx chatbot-gateway start serves the API and the dashboard, and stops on Ctrl-C', async () => {
  expect(npx('chatbot-gateway', '--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const child = spawn('npx', ['--no', 'chatbot-gateway', 'start', '--sandbox'], {
    cwd: app,
    env,
    detached: true,
  });
  const errors = text(child.stderr);
  const ended = new Promise((resolve) => child.once('close', resolve));
  let out = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes) => {
      out += bytes;
      if (out.includes('Ctrl-C stops everything')) resolve();
    });
    ended.then(() => resolve());
  });
  const base = `http://127.0.0.1:${port}`;
  expect(out).toContain(base);
  const page = await fetch(base, { headers: { Accept: 'text/html' } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/assets/')]);
  expect(npx('gateway', 'sender', 'list').stdout).toMatch(/ default /);
  expect(npx('gateway', 'health').status).toBe(0);
  // as a terminal's Ctrl-C: to the whole group
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
  expect(await errors).toMatch(/Stopping \(SIGINT\)/);
  expect(npx('gateway', 'health').status).toBe(4);
});
