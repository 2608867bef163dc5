// Data directories that released programs made open with this one, and read the same through the API.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { type Connection, openDb } from '../../src/db/db.ts';
import { findRunningEmbedded } from '../../src/db/embedded/running.ts';
import { type Call, gatewayClient } from '../harness/gateway-client.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';
import { readOne } from './everything.ts';
import { unpack } from './pack.ts';

vi.setConfig({ testTimeout: 180_000 });

const archives = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.tar.br'));
/** Fields that reading, the clock or the port changes, and the stages' times: 0005 showed the platform's whole seconds. */
const unsteady = new Set(['lastUsedAt', 'nextAttemptAt', 'callbackUrl', 'at']);

/** Variables of addresses, and what those addresses have before the variable. */
const isExample = /^(buttons\.\d\.)?1$/;
const fixedPart =
  /^https:\/\/(www\.whatsapp\.com\/otp\/code\/\?otp_type=COPY_CODE&code=otp|shop\.example\.com\/c\/)/;

interface Expected {
  apiKey: string;
  answers: Record<string, unknown>;
}

let workspace: ProgramFolder;
afterEach(() => workspace?.close());

interface Page {
  items: { hint?: string; expiresAt?: string | null }[];
  pagination: { total: number };
}

/** A page of keys without those that have expired since, which are no longer listed. Messages expire too, but stay. */
function withoutExpiredKeys(page: Page): Page {
  const { items, pagination } = page;
  const kept = items.filter(
    ({ hint, expiresAt }) => hint === undefined || expiresAt == null || Date.parse(expiresAt) > Date.now(),
  );
  if (kept.length === items.length) return page;
  return {
    ...page,
    items: kept,
    pagination: { ...pagination, total: pagination.total - items.length + kept.length },
  };
}

/** As a backup that whoever runs this unpacked; as root, so that the server's user may pass. */
async function unpackReleased(archive: string): Promise<Expected> {
  workspace = await openProgramFolder();
  await unpack(new URL(archive, import.meta.url), workspace.folder);
  if (process.getuid?.() === 0) await chmod(workspace.dataDir, 0o711);
  const text = await readFile(join(workspace.folder, 'expected.json'), 'utf8');
  return JSON.parse(text, (key, value) => {
    // the rotation of a secret ends by itself
    const isOver = key === 'rotation' && value !== null && Date.parse(value.overlapUntil) <= Date.now();
    if (unsteady.has(key) || isOver) return undefined;
    // this program has no Google client, and says so since then
    if (value?.provider === 'google' && value.connected === true)
      return { ...value, connected: false, error: expect.stringContaining('not configured') };
    if (key === 'calendarConnected') return false;
    // an example is the part of the address that the variable fills, no longer the whole address
    if (isExample.test(key) && typeof value === 'string') return value.replace(fixedPart, '');
    return Array.isArray(value?.items) ? withoutExpiredKeys(value) : value;
  }) as Expected;
}

async function bookLocal(call: Call): Promise<unknown> {
  const { items } = await call<{ items: { _id: string; name: string }[] }>('GET', '/v1/appointments/users');
  const appointmentUserId = items.find(({ name }) => name === 'Local')?._id;
  const date = Temporal.Now.plainDateISO('UTC').add({ days: 20 }).toString();
  const slot = { appointmentUserId, date, from: '09:00', to: '10:00' };
  const guest = { email: 'eve@example.com', phoneNumber: '15550100010', staticQuestionAnswers: [] };
  const key = { 'Idempotency-Key': randomUUID() };
  return call('POST', '/v1/appointments/book', { ...slot, ...guest }, key);
}

test.each(archives)(
  '%s: every answer is what it was, and new sends and bookings are taken',
  async (archive) => {
    const { apiKey, answers } = await unpackReleased(archive);
    // in this role nothing that waits is done; nothing of the outside is there
    const env = { ROLE: 'api', SEND_WAIT_SECONDS: '0', MESSAGING_API_URL: 'http://127.0.0.1:1' };
    const program = workspace.start(['start', '--no-sandbox'], { env });
    const [, url = ''] = await program.says(/The gateway answers at (\S+)\. /);
    // the program's role is no superuser, and owns what the released program made
    const connection = await findRunningEmbedded(workspace.dataDir);
    const db = openDb(connection as Connection, { maxConnections: 1, applicationName: 'test' });
    const { rows } = await sql`select current_setting('is_superuser') as super, count(*)::int as others
      from pg_tables where schemaname = 'public' and tableowner <> current_user`.execute(db);
    await db.destroy();
    expect(rows).toEqual([{ super: 'off', others: 0 }]);
    const paths = Object.keys(answers);
    expect(paths.length).toBeGreaterThan(100);
    const now = await Promise.all(
      paths.map(async (path) => [path, await readOne(url, apiKey, path)] as const),
    );
    for (const [path, read] of now) {
      if (typeof read === 'string') expect(read, path).toBe(answers[path]);
      else expect(read, path).toMatchObject(answers[path] as object);
    }
    const call = gatewayClient(url, apiKey);
    const { items } = await call<{ items: { _id: string; providerTemplateName: string }[] }>(
      'GET',
      '/v1/templates?search=order_update',
    );
    const recipients = [{ phone: '15550100011', variables: { '1': 'Eve', '2': 'A-2', '3': 'today' } }];
    const send = { templateId: items[0]?._id, recipients };
    expect(await call('POST', '/v1/templates/send', send)).toMatchObject({ total: 1, failed: 0 });
    expect(await bookLocal(call)).toMatchObject({ status: 'confirmed' });
  },
);
