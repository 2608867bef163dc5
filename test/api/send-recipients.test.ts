// Uploads of recipients: JSON, NDJSON and CSV, row by row, with every limit.
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { textOf } from '../../src/http/upload-stream.ts';
import { addUploaded } from '../../src/messaging/campaigns/add-recipients.ts';
import { ndjsonRows } from '../../src/messaging/campaigns/ndjson-rows.ts';
import { listRecipients } from '../../src/messaging/campaigns/recipients-list-store.ts';
import { requireSend } from '../../src/messaging/messages/find.ts';
import { openDrafts } from '../harness/campaigns.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

type Drafts = ReturnType<typeof openDrafts>;

let gateway: Gateway;
let call: Drafts['call'];
let phone: Drafts['phone'];
let draft: Drafts['draft'];
let sendOf: Drafts['sendOf'];
let add: Drafts['add'];
let upload: Drafts['upload'];
let recipientsOf: Drafts['recipientsOf'];
beforeAll(async () => {
  gateway = await startGateway();
  const { templateIds } = await addSender(gateway, templateKinds);
  ({ call, phone, draft, sendOf, add, upload, recipientsOf } = openDrafts(gateway, templateIds, 15551900000));
});
afterAll(() => gateway?.close());

describe('rows', () => {
  test('with a problem are not added and are named by their number; a phone is added once', async () => {
    const id = await draft('order_update');
    const [one, other] = [phone(), phone()];
    const variables = { 1: 'a', 2: 'b', 3: 'c' };
    const { body } = await add(id, [
      { phone: one, variables },
      { phone: `+${other}`, variables },
      { phone: other, variables: { 1: 'a', 2: 'b' } },
      { phone: one, variables },
      { phone: other, variables, colour: 'red' },
      7,
      { phone: '9.19E+11', variables },
    ]);
    expect(body.data).toMatchObject({ added: 1, duplicates: 1, optedOut: 0, rejected: 5 });
    expect(body.data.errors.map(({ row, path }) => [row, path])).toEqual([
      [2, 'phone'],
      [3, 'variables.3'],
      [5, 'colour'],
      [6, ''],
      [7, 'phone'],
    ]);
    expect(body.data.errors.at(-1)?.message).toContain('spreadsheet');
    expect((await add(id, [{ phone: one, name: 'New', variables }])).body.data.duplicates).toBe(1);
    expect((await recipientsOf(id)).items[0]?.name).toBeNull();
    expect((await add(id, [])).status).toBe(400);
    expect(
      (
        await add(
          id,
          Array.from({ length: 1001 }, () => ({ phone: phone(), variables })),
        )
      ).status,
    ).toBe(400);
    expect(
      (
        await add(
          id,
          Array.from({ length: 1000 }, () => ({ phone: phone(), variables })),
        )
      ).body.data.added,
    ).toBe(1000);
  });

  test('of CSV come with commas or semicolons, with BOM, quotes, and the escape of formulas removed once', async () => {
    const id = await draft('order_update');
    const [a, b, c] = [phone(), phone(), phone()];
    const commas = `\uFEFFphone,name,1,body.2,3,metadata.list\r\n${a},"Ada, ""the"" first",'=1+1,''x,'y,spring\r\n\r\n${b},,q,r,s,\r\n`;
    expect((await upload(id, commas)).body.data).toEqual({
      added: 2,
      duplicates: 0,
      optedOut: 0,
      rejected: 0,
      errors: [],
    });
    const semicolons = `phone;1;2;3\n${c};a,b;2;3\n${phone()};1;2\n`;
    const second = (await upload(id, semicolons, 'text/csv; charset=utf-8')).body.data;
    expect(second).toMatchObject({ added: 1, rejected: 1, errors: [{ row: 3, path: '' }] });
    expect((await recipientsOf(id)).items).toMatchObject([
      { phone: a, name: 'Ada, "the" first', metadata: { list: 'spring' } },
      { phone: b, name: null, metadata: null },
      { phone: c },
    ]);
    const { rows } = await sql<{ text: string }>`
      select content -> 'body' as text from send_recipients where send_id = ${id} order by id`.execute(
      gateway.database.db,
    );
    expect(rows.map(({ text }) => text)).toEqual([
      [{ text: '=1+1' }, { text: "'x" }, { text: "'y" }],
      [{ text: 'q' }, { text: 'r' }, { text: 's' }],
      [{ text: 'a,b' }, { text: '2' }, { text: '3' }],
    ]);
  });

  test('of CSV are read by a mapping, and a header that does not fit is rejected as a whole', async () => {
    const id = await draft('named');
    const text = `Mobile,First,Day,Other\n${phone()},Ada,Monday,x\n`;
    const mapping = (map: object) => `?mapping=${encodeURIComponent(JSON.stringify(map))}`;
    const mapped = await upload(
      id,
      text,
      'text/csv',
      mapping({ Mobile: 'phone', First: 'first_name', Day: 'day' }),
    );
    expect(mapped.body.data.added).toBe(1);
    const bad = await upload(
      id,
      text,
      'text/csv',
      mapping({ Mobile: 'phone', Gone: 'day', First: 'nothing' }),
    );
    expect([bad.status, bad.body.errors?.map(({ path }) => path)]).toEqual([400, ['mapping.Gone', 'First']]);
    expect(bad.body.errors?.[1]?.message).toMatch(/^is mapped to "nothing", which is neither phone/);
    const bare = await upload(id, '[{"phone":"15550000001"}]', 'application/json');
    expect(bare.body.errors).toEqual([
      { path: 'body', message: 'must be an object with the field recipients' },
    ]);
    const plain = await upload(id, text);
    expect(plain.body.errors?.map(({ path }) => path)).toEqual(['Mobile', 'First', 'Day', 'Other', 'phone']);
    expect((await upload(id, '')).status).toBe(400);
    expect((await upload(id, text, 'text/csv', '?mapping=no')).status).toBe(400);
    const columns = (count: number) =>
      `phone,${Array.from({ length: count - 1 }, (_, n) => `metadata.${n}`).join(',')}\n`;
    expect((await upload(id, columns(201))).body.message).toContain('200');
    expect((await upload(id, columns(200))).status).toBe(200);
    expect((await upload(id, `phone,first_name,day\n${phone()},"Ada,x\n`)).body.code).toBe('invalid_request');
    expect((await upload(id, new Uint8Array([0xff, 0xfe, 0x41]))).status).toBe(400);
    for (const type of ['text/plain', 'application/vnd.ms-excel']) {
      const { status, body } = await upload(id, 'x', type);
      expect([status, body.message]).toEqual([
        415,
        'This Content-Type is not supported here. Use application/json or application/x-ndjson or text/csv.',
      ]);
    }
  });

  test('of NDJSON come one a line, and a row over 64 KB ends the upload', async () => {
    const id = await draft();
    const lines = [{ phone: phone() }, { phone: phone(), name: 'Ada' }].map((one) => JSON.stringify(one));
    const { body } = await upload(id, `${lines.join('\n')}\n\n{"phone": \n`, 'application/x-ndjson');
    expect(body.data).toMatchObject({ added: 2, rejected: 1, errors: [{ row: 4 }] });
    const row = (bytes: number) => JSON.stringify({ phone: phone(), metadata: { x: 'x'.repeat(bytes) } });
    const fits = row(65_536 - row(0).length);
    expect((await upload(id, fits, 'application/x-ndjson')).body.data.rejected).toBe(1);
    const over = await upload(id, `${fits} `, 'application/x-ndjson');
    expect([over.status, over.body.code]).toEqual([413, 'body_too_large']);
    const cell = await upload(id, `phone,name\n${phone()},${'x'.repeat(70_000)}\n`);
    expect([cell.status, cell.body.code]).toEqual([413, 'body_too_large']);
  });
});

describe('an upload', () => {
  const deps = () => ({
    db: gateway.database.db,
    clock: systemClock,
    processId: 0,
    restoreErased: async () => undefined,
  });
  const rows = (count: number) =>
    Array.from({ length: count }, () => `${JSON.stringify({ phone: phone() })}\n`);
  const from = (chunks: Iterable<string> | AsyncIterable<string>) => () =>
    ndjsonRows(textOf(Readable.from(chunks).map((text: string) => Buffer.from(text))));

  test('adds complete batches before it fails, and the same file can be uploaded again', async () => {
    const id = await draft();
    const file = rows(2_500);
    async function* broken() {
      yield* file;
      throw new Error('broken connection');
    }
    const of = { accountId: gateway.accountId, sendId: id };
    await expect(addUploaded(deps(), of, from(broken()))).rejects.toThrow('broken connection');
    expect((await sendOf(id)).total).toBe(2_000);
    expect(await addUploaded(deps(), of, from(file))).toMatchObject({ added: 500, duplicates: 2_000 });
    const first = JSON.parse(file[0] ?? '') as { phone: string };
    expect((await recipientsOf(id, '?limit=1')).items[0]?.phone).toBe(first.phone);
  });

  test('rejects the rows over the limit of a send', async () => {
    const id = await draft();
    const of = { accountId: gateway.accountId, sendId: id };
    const result = await addUploaded({ ...deps(), recipientsMax: 3 }, of, from(rows(5)));
    expect(result).toMatchObject({ added: 3, rejected: 2, errors: [{ row: 4 }, { row: 5 }] });
    expect((await sendOf(id)).total).toBe(3);
  });

  test('excludes a second upload, a start and a deletion, and a cancellation ends it', async () => {
    const id = await draft();
    await add(id, [{ phone: phone() }]);
    let go: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    let hasBegun = false;
    async function* slow() {
      hasBegun = true;
      yield* rows(1);
      await waiting;
      yield* rows(1);
    }
    const running = addUploaded(deps(), { accountId: gateway.accountId, sendId: id }, from(slow()));
    running.catch(() => undefined);
    await until(async () => expect(hasBegun).toBe(true));
    expect((await call('POST', `/${id}/start`)).body.code).toBe('upload_in_progress');
    expect((await add(id, [{ phone: phone() }])).body.code).toBe('upload_in_progress');
    expect((await call('DELETE', `/${id}`)).body.code).toBe('upload_in_progress');
    expect((await call('POST', `/${id}/cancel`)).status).toBe(200);
    go();
    await expect(running).rejects.toMatchObject({ code: 'send_state_conflict' });
  });

  test('ends after silence with 408 and past its size with 413', async () => {
    const silent = new Readable({ read: () => undefined });
    silent.push('x');
    const read = async (stream: Readable, limits: object) => {
      for await (const _text of textOf(stream, limits));
    };
    await expect(read(silent, { silenceMs: 20 })).rejects.toMatchObject({ code: 'upload_timeout' });
    const long = Readable.from([Buffer.alloc(60), Buffer.alloc(41)]);
    await expect(read(long, { maxBytes: 100 })).rejects.toBeInstanceOf(AppError);
    await read(Readable.from([Buffer.alloc(60), Buffer.alloc(40)]), { maxBytes: 100 });
  });

  test('frees the draft when its connection breaks', async () => {
    const id = await draft();
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/sends/${id}/recipients HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.apiKey}\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\nphone\n1555`,
    );
    await until(async () =>
      expect((await call('POST', `/${id}/start`)).body.code).toBe('upload_in_progress'),
    );
    socket.destroy();
    await until(async () => expect((await add(id, [{ phone: phone() }])).status).toBe(200));
  });
});

test('the first page of recipients reads no messages that are older than the campaign', async () => {
  const [older, newer] = [await draft(), await draft()];
  await add(older, [{ phone: phone() }, { phone: phone() }, { phone: phone() }]);
  await call('POST', `/${older}/start`);
  await until(async () => expect((await sendOf(older)).state).toBe('done'));
  const added = [phone(), phone(), phone()];
  await add(newer, [{ phone: added[0] }, { phone: added[1] }]);
  await add(newer, [{ phone: added[2] }]);
  await call('POST', `/${newer}/start`);
  await until(async () => expect((await sendOf(newer)).state).toBe('done'));
  const { db } = gateway.database;
  const send = await requireSend({ db }, gateway.accountId, newer);
  const page = (scanned: number) => listRecipients(db, send, { limit: 3 }, scanned);
  expect((await page(3)).rows.map((row) => row.phone)).toEqual(added);
  // a row from before this was kept is read from the beginning
  const unknown = { ...send, first_recipient_id: null };
  expect((await listRecipients(db, unknown, { limit: 3 }, 3)).rows).toEqual([]);
});
