// The embedded database as root, as an ordinary user, from a checkout only root may enter, and from an install that ran no scripts.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyCheckout, removePostgresLinks } from '../harness/checkout-copy.ts';
import { type Child, type ChildOptions, type Said, startChild } from '../harness/child.ts';

const isRoot = process.getuid?.() === 0;

let folder: string;
let checkout: string;
let dataDir: string;
const children: Child[] = [];
const elsewhere: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-users-'));
  await chmod(folder, 0o755);
  checkout = join(folder, 'checkout');
  dataDir = join(folder, 'data');
  copyCheckout(checkout);
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.process.kill('SIGKILL');
    await child.ended;
  }
  for (const path of [join(dataDir, 'postgres'), ...elsewhere.map((place) => join(place, 'postgres'))]) {
    if (existsSync(join(path, 'postmaster.pid'))) process.kill(pidIn(path), 'SIGKILL');
  }
  for (const place of elsewhere.splice(0)) rmSync(place, { recursive: true, force: true });
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
});

const pidIn = (cluster: string) =>
  Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);

async function start(options: ChildOptions = {}): Promise<{ child: Child; said: Said }> {
  const file = join(checkout, 'test/harness/embedded-process.ts');
  const child = startChild(file, [dataDir], { node: join(checkout, 'node'), cwd: checkout, ...options });
  children.push(child);
  return { child, said: await child.next() };
}

async function stop(child: Child): Promise<void> {
  child.tell('stop');
  expect(await child.next()).toEqual({ event: 'stopped' });
}

/** The real user of a running process (Linux). */
const userOf = (pid: number) =>
  Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

async function someUser(): Promise<ChildOptions> {
  if (!isRoot) return {};
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((text) => text.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

test('an ordinary user starts it from an install that ran no scripts and cannot be written', async () => {
  const missing = removePostgresLinks(checkout);
  expect(missing.length).toBeGreaterThan(0);
  const user = await someUser();
  await mkdir(dataDir);
  if (user.uid !== undefined) await chown(dataDir, user.uid, user.gid ?? 0);
  const { child, said } = await start(user);
  expect(said).toMatchObject({ event: 'started', adopted: false });
  expect(missing.filter((link) => existsSync(link))).toEqual([]);
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(user.uid ?? process.getuid?.());
  await stop(child);
});

if (isRoot) {
  describe('as root', () => {
    test('from a checkout and a DATA_DIR that only root may enter', async () => {
      dataDir = join(checkout, 'data');
      await chmod(checkout, 0o700);
      const { child, said } = await start();
      expect(said).toMatchObject({ event: 'started', adopted: false });
      const place = (await readFile(join(dataDir, 'postgres.location'), 'utf8')).trim();
      elsewhere.push(place);
      expect(dirname(dirname(place))).toBe('/var/lib/chatbot-gateway');
      expect(userOf(pidIn(join(place, 'postgres')))).not.toBe(0);
      child.process.kill('SIGKILL');
      await child.ended;
      const second = await start();
      expect(second.said).toMatchObject({ event: 'started', adopted: true });
      await stop(second.child);
      rmSync(place, { recursive: true });
      const third = await start();
      expect(third.said.event).toBe('refused');
      expect(third.said.message).toMatch(/lay in .* is gone/);
    });

    test('in a DATA_DIR that others may enter, the data lies there and is no one else’s to read', async () => {
      const { child, said } = await start();
      expect(said).toMatchObject({ event: 'started', adopted: false });
      const { uid, mode } = statSync(join(dataDir, 'postgres'));
      expect(uid).not.toBe(0);
      expect(mode & 0o777).toBe(0o700);
      await stop(child);
    });

    test('goes on with an ordinary user’s database as that user, who may start it again afterwards', async () => {
      const user = await someUser();
      await mkdir(dataDir);
      await chown(dataDir, user.uid ?? 0, user.gid ?? 0);
      await stop((await start(user)).child);
      const { child, said } = await start();
      expect(said).toMatchObject({ event: 'started', adopted: false });
      expect(userOf(pidIn(join(dataDir, 'postgres')))).toBe(user.uid);
      await stop(child);
      await stop((await start(user)).child);
    });

    test('leaves data that an ordinary user may not have', async () => {
      await stop((await start()).child);
      const { said } = await start(await someUser());
      expect(said.event).toBe('refused');
      expect(said.message).toMatch(/belongs to the user \d+\. Start as that user or as root/);
    });
  });
}
