// The media routes on a real port, with a real database, directory and simulated platform; a header names the account.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { startCloudApi } from '../../sandbox/cloud-api/server.ts';
import { cloudApiControl } from '../../sandbox/control.ts';
import { openFilesystemStore } from '../../src/adapters/filesystem/object-store.ts';
import { openMetaPlatform } from '../../src/adapters/meta/platform.ts';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openKeyedHash } from '../../src/base/keyed-hash.ts';
import { openLog } from '../../src/base/log.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { openFileEncryption } from '../../src/messaging/media/file-encryption.ts';
import { openKnownRegistrations } from '../../src/messaging/media/register.ts';
import { removeLeftovers } from '../../src/messaging/media/remove.ts';
import { mediaRoutes } from '../../src/messaging/media/routes.ts';
import { connectSender } from '../../src/messaging/senders/connect.ts';
import { createTestDatabase } from './database.ts';
import { openModuleServer } from './module-server.ts';
import { insertAccount } from './rows.ts';

/** A clock that is `aheadMs` ahead of the real one. */
function movableClock(): Clock & { aheadMs: number } {
  const clock = {
    ...systemClock,
    aheadMs: 0,
    now: () => Date.now() + clock.aheadMs,
    steady: () => clock.now(),
  };
  return clock;
}

const appSecret = '3fc1c48ba93e6c24c72b7c9f06f08e8f';
const accessToken = 'EAA-media-test-token';

async function startPlatform() {
  const cloud = await startCloudApi();
  const control = cloudApiControl(cloud.url);
  const app = await control.addApp({ secret: appSecret, tokens: [accessToken] });
  const waba = await control.addWaba({ appId: app.id });
  return { cloud, control, wabaId: waba.id };
}

/** One part of a multipart form, as bytes. */
export interface Part {
  name: string;
  fileName?: string | undefined;
  type?: string | undefined;
  bytes: Buffer | string;
}

/** A form built byte by byte. */
export function formOf(parts: Part[], boundary = 'form-boundary'): { type: string; body: Buffer } {
  const pieces = parts.flatMap(({ name, fileName, type, bytes }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`,
    fileName === undefined ? '' : `; filename="${fileName}"`,
    type === undefined ? '' : `\r\nContent-Type: ${type}`,
    '\r\n\r\n',
    bytes,
    '\r\n',
  ]);
  const body = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

/** Opens everything; `close` ends it. */
export async function openMediaGateway() {
  const database = await createTestDatabase();
  const { db } = database;
  const { cloud, control, wabaId } = await startPlatform();
  const directory = await mkdtemp(join(tmpdir(), 'media-'));
  const clock = movableClock();
  const keys = makeKey();
  const outgoing = openOutgoing({ connectionsPerOrigin: 32, keepAliveMs: 10_000 });
  const deps = {
    db,
    clock,
    log: openLog('silent'),
    cipher: openCipher(parseKeyRing(keys)),
    keyedHash: openKeyedHash(parseKeyRing(keys)),
    messagingApiUrl: cloud.url,
    platform: openMetaPlatform({ outgoing, guardedOutgoing: outgoing, apiVersion: 'v23.0' }),
    webhookOutgoing: outgoing,
    announceNumber: async () => undefined,
    metrics: openMetrics(),
    deliveries: { offer: () => undefined, busyEndpoints: () => [], processId: 0 },
    publicUrl: () => 'http://127.0.0.1:1',
    objects: await openFilesystemStore({ directory, clock }),
    fileEncryption: openFileEncryption(),
    knownRegistrations: openKnownRegistrations(clock),
  };
  const server = openModuleServer('media:write');
  mediaRoutes(server, deps);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });

  const account = () => insertAccount(db);
  const sender = async (accountId: string, isDefault = false) => {
    const { id: phoneNumberId } = await control.addNumber({ wabaId });
    const secrets = { accessToken, appSecret, verifyToken: 'verify' };
    const rest = { name: 'number', phoneNumberId, businessAccountId: wabaId, isDefault };
    const { row } = await connectSender(deps, { accountId, ...rest, ...secrets, webhook: 'manual' });
    return row;
  };

  async function call(accountId: string, method: string, path: string, init: RequestInit = {}) {
    const headers = { 'x-account': accountId, ...(init.headers as Record<string, string> | undefined) };
    const answer = await fetch(`${url}${path}`, { ...init, method, headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return {
      status: answer.status,
      headers: answer.headers,
      bytes,
      json: isJson ? JSON.parse(`${bytes}`) : null,
    };
  }

  const filesOnDisk = async () => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  const rows = async (accountId: string) => {
    const found = await sql<{ id: string; state: string; public_id: string | null; object_key: string }>`
      select * from media where account_id = ${accountId} order by id`.execute(db);
    return found.rows;
  };

  const lapse = async () => {
    await sql`update media set due_at = now() where due_at is not null`.execute(db);
  };

  return {
    ...{ deps, db, control, directory, clock, url, keys, account, sender, call },
    /** Creates an account with a number. */
    async accountWithSender() {
      const id = await account();
      await sender(id);
      return id;
    },
    upload(accountId: string, ...parts: Part[]) {
      const { type, body } = formOf(parts);
      const init = { body: new Uint8Array(body), headers: { 'content-type': type } };
      return call(accountId, 'POST', '/v1/templates/media', init);
    },
    /** Starts an upload whose bytes the test writes; `answer` resolves with the status or an error code. */
    begin(accountId: string, headers: Record<string, string> = {}) {
      const type = 'multipart/form-data; boundary=form-boundary';
      const request = httpRequest(`${url}/v1/templates/media`, {
        method: 'POST',
        headers: { 'x-account': accountId, 'content-type': type, ...headers },
      });
      const answer = new Promise<{ status: number; body: string } | string>((resolve) => {
        request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        request.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: `${Buffer.concat(chunks)}` }),
          );
        });
      });
      const partHead = (partType: string) =>
        `--form-boundary\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: ${partType}\r\n\r\n`;
      return { request, answer, partHead };
    },
    /** Runs one round of the worker. */
    removeLeftovers: () => removeLeftovers(deps),
    /** All files below the store's directory, including temporary ones. */
    filesOnDisk,
    rows,
    /** Fails if an account has a record or a file. */
    async nothingLeft(accountId: string) {
      expect(await rows(accountId)).toEqual([]);
      expect((await filesOnDisk()).filter((path) => path.includes(accountId))).toEqual([]);
    },
    /** Inserts a message of that state that uses the media file. */
    async insertMessage(accountId: string, mediaId: string, state: number) {
      const id = uuidv7();
      await sql`
        insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, media_id, state, due_at, expires_at)
        values (${accountId}, ${id}, ${randomUUID()}, ${randomUUID()}, ${randomUUID()}, '919811112222', '{}',
          ${mediaId}, ${state}, ${state < 2 ? sql`now()` : null}, now() + interval '1 day')`.execute(db);
      return id;
    },
    /** Makes all leased rows due now. */
    lapse,
    /** The worker's round a day later, which removes the objects of deleted files. */
    async removeDayLater() {
      await lapse();
      await removeLeftovers(deps);
    },
    async close() {
      await server.close();
      await outgoing.close();
      await cloud.close();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type MediaGateway = Awaited<ReturnType<typeof openMediaGateway>>;
