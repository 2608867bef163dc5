// Real CalDAV servers for tests (Radicale, Xandikos, sabre/dav), each with its own directory and a proxy that can drop responses.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export type CaldavKind = 'radicale' | 'xandikos' | 'sabre';

/** The packages to install with `apt-get`. */
export const debianPackages: Record<CaldavKind, string> = {
  radicale: 'radicale',
  xandikos: 'xandikos',
  sabre: 'php-sabre-dav php-cli php-sqlite3',
};

export interface CaldavServer {
  /** The proxy's URL; every call to the server passes the proxy. */
  url: string;
  /** The server's own URL, without the proxy. */
  directUrl: string;
  /** Creates an account; returns its name, password and calendar home URL. */
  addAccount(username: string, password: string): Promise<{ homePath: string }>;
  removeAccount(username: string): Promise<void>;
  /** Sends a request of that account directly to the server. */
  direct(
    account: { username: string; password: string },
    method: string,
    path: string,
    given?: { body?: string; headers?: Record<string, string> },
  ): Promise<{ status: number; text: string }>;
  proxy: CalDavProxy;
  close(): Promise<void>;
}

/** Debian's path of the library. */
const sabreFile = '/usr/share/php/Sabre/autoload.php';

/** Whether the server is installed on this machine. */
export async function isInstalled(kind: CaldavKind): Promise<boolean> {
  const program = kind === 'sabre' ? 'php' : kind;
  const places = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, program));
  const found = await Promise.allSettled(places.map((place) => access(place, constants.X_OK)));
  const isComplete = kind !== 'sabre' || existsSync(sabreFile);
  return isComplete && found.some(({ status }) => status === 'fulfilled');
}

/** Starts a server on loopback and waits until it responds. `shared`: Radicale lets every account use every calendar. */
export async function startCaldav(kind: CaldavKind, { shared = false } = {}): Promise<CaldavServer> {
  const directory = await mkdtemp(join(tmpdir(), `${kind}-`));
  const port = await freePort();
  const users = new Map<string, string>();
  const usersFile = join(directory, 'users');
  const writeUsers = () =>
    writeFile(usersFile, [...users].map(([name, password]) => `${name}:${password}\n`).join(''));
  await writeUsers();
  const child = await starts[kind](directory, port, usersFile, shared);
  const origin = `http://127.0.0.1:${port}`;
  // Xandikos has no authentication, so the proxy checks the password
  const proxy = await openCalDavProxy(port, kind === 'xandikos' ? users : undefined);

  const direct: CaldavServer['direct'] = async (account, method, path, { body, headers } = {}) => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: basic(account.username, account.password), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    url: proxy.url,
    directUrl: origin,
    proxy: proxy.proxy,
    addAccount: async (username, password) => {
      users.set(username, password);
      await writeUsers();
      return { homePath: homes[kind](encodeURIComponent(username)) };
    },
    removeAccount: async (username) => {
      users.delete(username);
      await writeUsers();
    },
    direct,
    close: async () => {
      await proxy.close();
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const homes: Record<CaldavKind, (name: string) => string> = {
  radicale: (name) => `/${name}/`,
  xandikos: () => '/user/calendars/',
  sabre: (name) => `/calendars/${name}/`,
};

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

async function startRadicale(
  directory: string,
  port: number,
  usersFile: string,
  shared: boolean,
): Promise<ChildProcess> {
  const config = join(directory, 'config');
  const sections = {
    server: { hosts: `127.0.0.1:${port}` },
    auth: { type: 'htpasswd', htpasswd_filename: usersFile, htpasswd_encryption: 'plain', delay: '0' },
    rights: { type: shared ? 'authenticated' : 'owner_only' },
    storage: { filesystem_folder: join(directory, 'data') },
    web: { type: 'none' },
    logging: { level: 'warning' },
  };
  const lines = Object.entries(sections).flatMap(([name, settings]) => [
    `[${name}]`,
    ...Object.entries(settings).map(([key, value]) => `${key} = ${value}`),
  ]);
  await writeFile(config, `${lines.join('\n')}\n`);
  return started('radicale', ['--config', config], port);
}

function startXandikos(directory: string, port: number): Promise<ChildProcess> {
  const where = ['-d', join(directory, 'data'), '-l', '127.0.0.1', '-p', String(port)];
  return started('xandikos', [...where, '--current-user-principal', '/user/', '--defaults'], port);
}

/** A single process handles one call at a time, which SQLite requires. */
function startSabre(directory: string, port: number, usersFile: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('sabre-server.php', import.meta.url));
  const env = { DATABASE_FILE: join(directory, 'data.sqlite'), USERS_FILE: usersFile };
  return started('php', ['-S', `127.0.0.1:${port}`, script], port, env);
}

const starts: Record<
  CaldavKind,
  (directory: string, port: number, usersFile: string, shared: boolean) => Promise<ChildProcess>
> = { radicale: startRadicale, xandikos: startXandikos, sabre: startSabre };

async function started(
  program: string,
  args: string[],
  port: number,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  child.stderr.on('data', (bytes) => {
    output = `${output}${bytes}`.slice(-4000);
  });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${program} ended at once. It wrote: ${output}`)));
  });
  failed.catch(() => {});
  await Promise.race([failed, answering(port)]);
  return child;
}

async function answering(port: number): Promise<void> {
  for (;;) {
    const isThere = await fetch(`http://127.0.0.1:${port}/`, { method: 'OPTIONS' }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A response that passes the proxy. */
export interface Passing {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Controls of the proxy. */
export interface CalDavProxy {
  /** Drops the response to the next PUT after the server has executed it. */
  dropNextPutResponse: boolean;
  /** Holds PUTs back, without a response, until `releasePuts`. */
  holdPuts: boolean;
  /** Sends the held PUTs to the server, after their clients have given up; returns how many. */
  releasePuts(): Promise<number>;
  /** Closes every connection without a response. */
  isClosed: boolean;
  /** All requests so far, as `METHOD path`. */
  requests: string[];
  /** Changes responses, to simulate other servers; null: no change. */
  change:
    | ((method: string, path: string, answer: Passing, asked: string) => Passing | Promise<Passing>)
    | null;
}

async function openCalDavProxy(
  port: number,
  users: Map<string, string> | undefined,
): Promise<{ url: string; proxy: CalDavProxy; close(): Promise<void> }> {
  const waiting: (() => Promise<unknown>)[] = [];
  const proxy: CalDavProxy = {
    ...{ dropNextPutResponse: false, holdPuts: false, isClosed: false, requests: [], change: null },
    releasePuts: async () => (await Promise.all(waiting.splice(0).map((carryOut) => carryOut()))).length,
  };
  const mayPass = (authorization = '') =>
    users === undefined || [...users].some((user) => basic(...user) === authorization);
  const listener: RequestListener = async (incoming, outgoing) => {
    const body = await bodyOf(incoming);
    proxy.requests.push(`${incoming.method} ${incoming.url}`);
    if (proxy.isClosed) return void incoming.socket.destroy();
    if (!mayPass(incoming.headers.authorization)) return void outgoing.writeHead(401).end();
    const { method, url, headers } = incoming;
    if (method === 'PUT' && proxy.holdPuts) {
      const { 'content-length': _length, connection: _connection, ...same } = headers;
      const init = { method, headers: same as Record<string, string>, body };
      return void waiting.push(() => fetch(`http://127.0.0.1:${port}${url}`, init));
    }
    const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, async (answer) => {
      const answered = await bodyOf(answer);
      if (method === 'PUT' && proxy.dropNextPutResponse) {
        proxy.dropNextPutResponse = false;
        return void incoming.socket.destroy();
      }
      const { 'transfer-encoding': _chunked, connection: _connection, ...kept } = answer.headers;
      const passing = { status: answer.statusCode ?? 502, headers: kept, body: answered.toString() };
      const changed = (await proxy.change?.(method ?? '', url ?? '', passing, body.toString())) ?? passing;
      const length = { 'content-length': String(Buffer.byteLength(changed.body)) };
      const given = Object.entries(changed.headers).filter(([, value]) => value !== undefined);
      outgoing.writeHead(changed.status, { ...Object.fromEntries(given), ...length }).end(changed.body);
    });
    onward.once('error', () => incoming.socket.destroy());
    onward.end(body);
  };
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    proxy,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
