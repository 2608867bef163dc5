// The embedded database as root, as an ordinary user, in a checkout that only root may enter, and after an install without scripts.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyCheckout, removePostgresLinks } from '../harness/checkout-copy.ts';
import { type Child, type ChildEvent, type ChildOptions, startChild } from '../harness/child.ts';

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
  for (const path of [join(dataDir, 'postgres'), ...elsewhere.map((target) => join(target, 'postgres'))]) {
    if (existsSync(join(path, 'postmaster.pid'))) process.kill(pidIn(path), 'SIGKILL');
  }
  for (const target of elsewhere.splice(0)) rmSync(target, { recursive: true, force: true });
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
});

const pidIn = (cluster: string) =>
  Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);

async function start(options: ChildOptions = {}): Promise<{ child: Child; reply: ChildEvent }> {
  const file = join(checkout, 'test/harness/embedded-process.ts');
  const child = startChild(file, [dataDir], { node: join(checkout, 'node'), cwd: checkout, ...options });
  children.push(child);
  return { child, reply: await child.next() };
}

async function stop(child: Child): Promise<void> {
  child.send('stop');
  expect(await child.next()).toEqual({ event: 'stopped' });
}

/** The real user id of a running process (Linux). */
const userOf = (pid: number) =>
  Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

async function userNamed(name: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((text) => text.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

const someUser = async (): Promise<ChildOptions> => (isRoot ? userNamed('daemon') : {});

/** Connects to the server as that system user; returns 'let in' or the error code. */
function ask(connection: object, user: ChildOptions): string {
  const script = `
    const pg = require(${JSON.stringify(join(checkout, 'node_modules/pg'))});
    const client = new pg.Client(${JSON.stringify(connection)});
    client.connect().then(() => client.query('select 1')).then(() => 'let in', (error) => error.code)
      .then((said) => { process.stdout.write(String(said)); process.exit(); });`;
  const ids = { uid: user.uid, gid: user.gid };
  return execFileSync(join(checkout, 'node'), ['-e', script], { cwd: '/', env: {}, ...ids }).toString();
}

test('an ordinary user starts it from a read-only install that ran no scripts', async () => {
  const missing = removePostgresLinks(checkout);
  expect(missing.length).toBeGreaterThan(0);
  const user = await someUser();
  await mkdir(dataDir);
  if (user.uid !== undefined) await chown(dataDir, user.uid, user.gid ?? 0);
  const { child, reply } = await start(user);
  expect(reply).toMatchObject({ event: 'started', adopted: false });
  expect(missing.filter((link) => existsSync(link))).toEqual([]);
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(user.uid ?? process.getuid?.());
  await stop(child);
});

if (isRoot) {
  describe('as root', () => {
    test('starts in a checkout and a DATA_DIR that only root may enter, and rejects a copy of it', async () => {
      dataDir = join(checkout, 'data');
      await chmod(checkout, 0o700);
      const { child, reply } = await start();
      expect(reply).toMatchObject({ event: 'started', adopted: false });
      const target = (await readFile(join(dataDir, 'postgres.location'), 'utf8')).trim();
      elsewhere.push(target);
      expect(dirname(dirname(target))).toBe('/var/lib/chatbot-gateway');
      expect(userOf(pidIn(join(target, 'postgres')))).toBe((await userNamed('chatbot-gateway')).uid);
      const copy = join(checkout, 'copy');
      cpSync(dataDir, copy, { recursive: true });
      const file = join(checkout, 'test/harness/embedded-process.ts');
      const copyStart = startChild(file, [copy], { node: join(checkout, 'node'), cwd: checkout });
      children.push(copyStart);
      expect(await copyStart.next()).toMatchObject({
        event: 'refused',
        message: expect.stringMatching(/is a copy of .*Nothing was opened/),
      });
      child.process.kill('SIGKILL');
      await child.ended;
      const second = await start();
      expect(second.reply).toMatchObject({ event: 'started', adopted: true });
      await stop(second.child);
      rmSync(target, { recursive: true });
      const third = await start();
      expect(third.reply.event).toBe('refused');
      expect(third.reply.message).toMatch(/The database folder .* does not exist/);
    });

    test('keeps the data in a DATA_DIR that others may enter, readable only by the program’s user', async () => {
      const { child, reply } = await start();
      expect(reply).toMatchObject({ event: 'started', adopted: false });
      const { uid, mode } = statSync(join(dataDir, 'postgres'));
      const own = await userNamed('chatbot-gateway');
      expect(uid).toBe(own.uid);
      expect(mode & 0o777).toBe(0o700);
      const connection = reply.connection as { host: string; password: string };
      expect(ask(connection, {})).toBe('let in');
      // another user cannot reach the socket; a process of the server's own user does not know the password
      expect(ask(connection, await userNamed('daemon'))).toBe('EACCES');
      expect(ask({ ...connection, password: '' }, own)).toMatch(/^(28P01|undefined)$/);
      expect(ask({ ...connection, user: 'gateway', password: 'guess' }, own)).toBe('28P01');
      await stop(child);
    });

    test('runs an ordinary user’s database as that user, who can start it again afterwards', async () => {
      const user = await someUser();
      await mkdir(dataDir);
      await chown(dataDir, user.uid ?? 0, user.gid ?? 0);
      await stop((await start(user)).child);
      const { child, reply } = await start();
      expect(reply).toMatchObject({ event: 'started', adopted: false });
      expect(userOf(pidIn(join(dataDir, 'postgres')))).toBe(user.uid);
      await stop(child);
      await stop((await start(user)).child);
    });

    test('creates data that an ordinary user cannot start later', async () => {
      await stop((await start()).child);
      const { reply } = await start(await someUser());
      expect(reply.event).toBe('refused');
      expect(reply.message).toMatch(/belongs to the user \d+\. Start as that user or as root/);
    });
  });
}
