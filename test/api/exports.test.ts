// Exports as CSV: whole, safe for spreadsheets, one at a time, and aborted when they fail.
import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cellOf, cellText } from '../../src/http/csv-cells.ts';
import { openExports } from '../../src/http/exports.ts';
import { openDrafts } from '../harness/campaigns.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { fc } from '../harness/property.ts';
import { messageOf, send, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let ids: Record<string, string>;
let drafts: ReturnType<typeof openDrafts>;
beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids } = await addSender(gateway, templateKinds));
  drafts = openDrafts(gateway, ids, 15552900000);
});
afterAll(() => gateway?.close());

test('a cell that a spreadsheet would run gets one apostrophe, and an import restores every text', () => {
  const texts = ['=1', '+1', '-1', '@a', '\ta', '\ra', '\n=a', "'a", "''a", 'a', '', "a'b", 'a,"b"\r\nc'];
  expect(texts.map(cellOf)).toEqual([
    "'=1",
    "'+1",
    "'-1",
    "'@a",
    "'\ta",
    '"\'\ra"',
    '"\'\n\'=a"',
    "''a",
    "'''a",
    'a',
    '',
    "a'b",
    '"a,""b""\r\nc"',
  ]);
  const parsed = (cell: string) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
  expect(texts.map((text) => cellText(parsed(cellOf(text))))).toEqual(texts);
});

test('no part of a cell is a formula where a spreadsheet separates by semicolons, and an import restores it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '=', '-', '@', '\t', "'", '"', ';', ',', '\r', '\n') });
  fc.assert(
    fc.property(text, (original) => {
      const cell = cellOf(original);
      const parts = `id,${cell}`.split(/[;\r\n]/);
      expect(parts.filter((part) => /^[=+\-@\t]/.test(part))).toEqual([]);
      const [[own = ''] = []]: string[][] = parse(`${cell},x`);
      expect(cellText(own)).toBe(original);
    }),
  );
});

test('the file of an export can be uploaded as it is, with names and metadata', async () => {
  const id = await drafts.draft();
  const [first, second, third] = [drafts.phone(), drafts.phone(), drafts.phone()];
  const row = (to: string, more: object) => JSON.stringify({ phone: to, ...more });
  const metadata = { order: 'A "1"', note: '=1' };
  const added = [
    row(first, { name: 'Ada, B.', metadata }),
    row(second, {}),
    row(third, { metadata: { order: '' } }),
  ];
  await drafts.upload(id, added.join('\n'), 'application/x-ndjson');
  const { text } = await drafts.call('GET', `/${id}/recipients.csv`);
  const copy = await drafts.draft();
  expect((await drafts.upload(copy, text)).body.data).toMatchObject({ added: 3, rejected: 0, errors: [] });
  const asked = ({ items }: Awaited<ReturnType<typeof drafts.recipientsOf>>) =>
    items.map(({ phone, name, metadata: own }) => ({ phone, name, metadata: own }));
  expect(asked(await drafts.recipientsOf(copy))).toEqual(asked(await drafts.recipientsOf(id)));
  const columns = 'phone,metadata,metadata.order\n';
  const rows = [
    `${drafts.phone()},"{""order"":""1"",""a"":""2""}",3`,
    `${drafts.phone()},[1],`,
    `${drafts.phone()},{,`,
  ];
  const { data } = (await drafts.upload(copy, columns + rows.join('\n'))).body;
  expect(data).toMatchObject({
    added: 1,
    rejected: 2,
    errors: [
      { row: 3, path: 'metadata' },
      { row: 4, path: 'metadata' },
    ],
  });
  expect((await drafts.recipientsOf(copy)).items.map((one) => one.metadata)).toContainEqual({
    order: '3',
    a: '2',
  });
});

test('the recipients of a draft are exported in the order of adding, over several steps, and import again', async () => {
  const id = await drafts.draft();
  const rows = Array.from({ length: 2_300 }, () => drafts.phone());
  await drafts.upload(id, `phone,name\n${rows.map((to) => `${to},'=1`).join('\n')}`);
  const exported = await drafts.call('GET', `/${id}/recipients.csv`);
  expect(exported.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(exported.headers.get('content-disposition')).toContain('attachment');
  const lines = exported.text.split('\r\n');
  expect(lines[0]).toBe(
    'id,phone,name,status,messageId,errorCode,errorTitle,priceCategory,billable,metadata',
  );
  expect(lines.slice(1, -1).map((line) => line.split(',')[1])).toEqual(rows);
  expect(lines[1]).toContain(",'=1,waiting,");
  const copy = await drafts.draft();
  const mapping = encodeURIComponent(JSON.stringify({ phone: 'phone', name: 'name' }));
  expect((await drafts.upload(copy, exported.text, 'text/csv', `?mapping=${mapping}`)).body.data.added).toBe(
    2_300,
  );
  expect((await drafts.recipientsOf(copy)).items[0]?.name).toBe('=1');
  expect((await drafts.call('GET', `/${ids.plain}/recipients.csv`)).status).toBe(404);
});

test('messages are exported from an instant until another, of this account only', async () => {
  const began = new Date();
  const to = drafts.phone();
  const { body } = await send(gateway, {
    templateId: ids.plain ?? '',
    recipients: [{ phone: to, metadata: { a: 'b,c' } }],
  });
  const id = body.data.messages[0]?.id ?? '';
  await expect.poll(async () => (await messageOf(gateway, id)).status).toBe('read');
  const ended = new Date(Date.now() + 1_000);
  const range = `from=${began.toISOString()}&to=${ended.toISOString()}`;
  const { text } = await gateway.call('GET', `/v1/messages.csv?${range}`);
  const lines = text.split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain(`,${to},`);
  expect(lines[1]).toContain('"{""a"":""b,c""}"');
  expect(lines[1]).toContain(`,${ids.plain},plain,en_US,UTILITY,`);
  expect(lines[1]).toContain(',utility,true,');
  const before = await gateway.call('GET', `/v1/messages.csv?to=${began.toISOString()}`);
  expect(before.text).not.toContain(to);
  const other = await gateway.otherAccount();
  const theirs = await gateway.call('GET', `/v1/messages.csv?${range}`, { key: other });
  expect(theirs.text.split('\r\n')).toHaveLength(2);
});

test('a key exports one file at a time', () => {
  const exports = openExports();
  const end = exports.begin('one');
  expect(() => exports.begin('one')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  exports.begin('other');
  end();
  exports.begin('one')();
});

test('an export that fails in the middle aborts the connection, and the next one works', async () => {
  const id = await drafts.draft();
  const rows = Array.from({ length: 1_500 }, () => drafts.phone());
  await drafts.upload(id, `phone\n${rows.join('\n')}`);
  const { db } = gateway.database;
  // the second step reads a column that fails
  await sql`alter table send_recipients rename to send_recipients_kept`.execute(db);
  await sql
    .raw(`
    create view send_recipients as select send_id, phone, account_id, id, name, content, media_id, metadata, position,
      attempts, case when phone = '${rows[1_200]}' then (1 / (length(phone) - length(phone)))::text::jsonb else error end as error
    from send_recipients_kept`)
    .execute(db);
  try {
    await expect(drafts.call('GET', `/${id}/recipients.csv`)).rejects.toThrow();
  } finally {
    await sql`drop view send_recipients`.execute(db);
    await sql`alter table send_recipients_kept rename to send_recipients`.execute(db);
  }
  expect((await drafts.call('GET', `/${id}/recipients.csv`)).text.split('\r\n')).toHaveLength(1_502);
});
