// A first start with the sandbox: its printed commands work when pasted, and the demo account has data for every feature.
import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Demo } from '../../demo/seed.ts';
import { cloudApiControl, receiverControl } from '../../sandbox/control.ts';
import { bookFirst, type Question, type Staff } from '../harness/demo-account.ts';
import { type Call, gatewayClient } from '../harness/gateway-client.ts';
import { openProgramFolder, type Program, type ProgramFolder } from '../harness/program.ts';
import { samples } from '../harness/sample-files.ts';
import { commandsSuite } from './gateway-commands.suite.ts';

// several whole starts each
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let workspace: ProgramFolder;
let program: Program;
let demo: Demo;
let gateway: Call;

beforeAll(async () => {
  workspace = await openProgramFolder();
  ({ program, demo } = await workspace.startDemo());
  gateway = gatewayClient(demo.baseUrl, demo.apiKey);
});
afterAll(() => workspace?.close());

/** The printed commands: a title that ends with a colon, and the lines below it. */
function blocks(): { title: string; command: string }[] {
  return [...program.out().matchAll(/^(.+):\n((?:(?:curl| {2}-).*\n)+)/gm)].map(
    ([, title = '', command = '']) => ({ title, command }),
  );
}

/** Pastes a block into a shell; returns curl's response, which must be a success. */
function paste(title: RegExp) {
  const block = blocks().find((one) => title.test(one.title));
  if (!block) throw new Error(`No block ${title} in: ${program.out()}`);
  const { status, stdout, stderr } = spawnSync('bash', ['-c', block.command], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('the printed text', () => {
  test('contains a link to the sandbox first, the URL, the key, the receiver and four blocks to paste', async () => {
    const [, link = ''] = /^The sandbox is at {7}(\S+)/m.exec(program.out()) ?? [];
    const { origin, pathname, hash } = new URL(link);
    expect(pathname).toBe('/sandbox');
    const signedIn = await fetch(`${origin}/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: origin, 'X-Requested-With': 'chatbot-gateway' },
      body: JSON.stringify({ link: hash.slice('#link='.length) }),
    });
    expect(signedIn.status).toBe(200);
    expect(program.out()).toContain(`The gateway answers at  ${demo.baseUrl} `);
    expect(program.out()).toContain(`Its API key is          ${demo.apiKey}\n`);
    expect(program.out()).toContain(`Webhooks arrive at      ${demo.sandbox.receiverUrl} `);
    expect(blocks().map(({ title }) => title.split(' ')[0])).toEqual(['Send', 'See', 'List', 'Book']);
    expect(program.err()).not.toMatch(/error|warn/i);
  });

  test('sends a template whose stages reach the receiver as webhooks with a valid signature', async () => {
    const sent = paste(/^Send/);
    expect(sent).toMatchObject({ success: true, data: { total: 1, accepted: 1 } });
    const { messageId } = sent.data.messages[0];
    const receiver = receiverControl(demo.sandbox.receiverUrl);
    while ((await receiver.events({ messageId, status: 'read', waitSeconds: 5 })).length === 0);
    const seen = paste(/^See/).events.filter((event: { body: string }) => event.body.includes(messageId));
    expect(seen.map((event: { body: string }) => JSON.parse(event.body).data.status)).toEqual([
      'sent',
      'delivered',
      'read',
    ]);
    expect(seen.every((event: { verified: boolean }) => event.verified)).toBe(true);
  });

  test('lists slots and books one with a meeting link; pasted twice, it is one booking', async () => {
    const { slots } = paste(/^List/).data;
    expect(slots.length).toBeGreaterThan(3);
    const first = paste(/^Book/);
    expect(first).toMatchObject({ success: true, data: { status: 'confirmed' } });
    expect(first.data.meetingLink).toMatch(/^https:\/\/meet\.google\.com\//);
    expect(paste(/^Book/).data).toEqual(first.data);
    const { items } = await gateway<{ items: unknown[] }>('GET', '/v1/appointments/bookings');
    expect(items).toHaveLength(1);
    expect(paste(/^List/).data.slots.length).toBeLessThan(slots.length);
  });
});

test('demo.json is readable only by its owner and contains only what a script needs', async () => {
  const file = join(workspace.dataDir, 'demo.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const kept = JSON.parse(await readFile(file, 'utf8'));
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(kept).toEqual({
    baseUrl: url,
    apiKey: expect.stringMatching(/^cgw_/),
    accountId: expect.any(String),
    senderId: expect.any(String),
    webhookSecret: expect.stringMatching(/^whsec_/),
    sandbox: { cloudApiUrl: url, googleUrl: url, receiverUrl: url },
  });
  const senders = await gateway<{ items: { _id: string }[] }>('GET', '/v1/senders');
  expect(senders.items.map(({ _id }) => _id)).toEqual([kept.senderId]);
});

interface Template {
  _id: string;
  status: string;
  category: string;
  providerTemplateName: string;
  components: { type: string; format?: string; text?: string; buttons?: Record<string, string>[] }[];
}

const templates = async () => (await gateway<{ items: Template[] }>('GET', '/v1/templates?limit=100')).items;

interface Variables {
  header: string[];
  body: string[];
  buttons: { index: number; variables: string[] }[];
  headerMedia: string | null;
}

/** A value for each placeholder, by its qualified key. */
function filled({ header, body, buttons }: Variables): Record<string, string> {
  const keys = [
    ...header.map((name) => `header.${name}`),
    ...body.map((name) => `body.${name}`),
    ...buttons.flatMap(({ index, variables }) => variables.map((name) => `buttons.${index}.${name}`)),
  ];
  return Object.fromEntries(keys.map((key) => [key, 'A1']));
}

async function upload(name: string, type: string, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type }), name);
  const answer = await fetch(`${demo.baseUrl}/v1/templates/media`, {
    method: 'POST',
    headers: { 'X-API-Key': demo.apiKey },
    body: form,
  });
  return ((await answer.json()) as { data: { mediaId: string } }).data.mediaId;
}

describe('the account', () => {
  test('has templates of every status, category and form', async () => {
    const items = await templates();
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['approved', 'submitted', 'draft']));
    expect(new Set(items.map(({ category }) => category))).toEqual(
      new Set(['UTILITY', 'MARKETING', 'AUTHENTICATION']),
    );
    const approved = items.filter(({ status }) => status === 'approved');
    const has = (fits: (component: Template['components'][number]) => boolean) =>
      approved.some(({ components }) => components.some(fits));
    const button = (fits: (button: Record<string, string>) => boolean) =>
      has(({ buttons }) => buttons?.some(fits) ?? false);
    expect({
      plain: approved.some(
        ({ components }) =>
          components.every(({ type }) => type === 'BODY' || type === 'FOOTER') &&
          components.some(({ text }) => text?.includes('{{3}}')),
      ),
      textHeader: has(
        ({ type, format, text }) => type === 'HEADER' && format === 'TEXT' && /\{\{/.test(text ?? ''),
      ),
      imageHeader: has(({ format }) => format === 'IMAGE'),
      documentHeader: has(({ format }) => format === 'DOCUMENT'),
      urlButton: button(({ type, url }) => type === 'URL' && /\{\{1\}\}/.test(url ?? '')),
      copyCode: button(({ type }) => type === 'COPY_CODE'),
    }).toEqual({
      plain: true,
      textHeader: true,
      imageHeader: true,
      documentHeader: true,
      urlButton: true,
      copyCode: true,
    });
  });

  test('can send each of its approved templates with sample values', async () => {
    const image = await upload('sample.png', 'image/png', samples.png);
    const document = await upload('sample.pdf', 'application/pdf', samples.pdf);
    const approved = (await templates()).filter(({ status }) => status === 'approved');
    expect(approved.length).toBeGreaterThanOrEqual(7);
    const statuses: Record<string, unknown> = {};
    for (const [index, { _id, providerTemplateName, category }] of approved.entries()) {
      const { variables } = await gateway<{ variables: Variables }>('GET', `/v1/templates/${_id}`);
      const { headerMedia } = variables;
      const recipient = {
        phone: `1555020${1000 + index}`,
        variables: category === 'AUTHENTICATION' ? { '1': '123456' } : filled(variables),
        ...(headerMedia === 'image' ? { mediaId: image } : {}),
        ...(headerMedia === 'document' ? { mediaId: document } : {}),
        ...(headerMedia === 'location'
          ? { location: { latitude: 12.97, longitude: 77.59, name: 'Us', address: '1 Main Road' } }
          : {}),
      };
      const body = { templateId: _id, recipients: [recipient] };
      const sent = await gateway<{ messages: { status: string }[] }>('POST', '/v1/templates/send', body);
      statuses[providerTemplateName] = sent.messages[0]?.status;
    }
    expect(statuses).toEqual(
      Object.fromEntries(approved.map(({ providerTemplateName }) => [providerTemplateName, 'accepted'])),
    );
    const ledger = await cloudApiControl(demo.sandbox.cloudApiUrl).ledger();
    expect(ledger.filter(({ phone }) => phone.startsWith('1555020'))).toHaveLength(approved.length);
  });

  test('has two departments and three connected staff members with different zones and hours', async () => {
    const departments = await gateway<{ items: { _id: string }[] }>('GET', '/v1/appointments/departments');
    expect(departments.items).toHaveLength(2);
    const staff = await gateway<{ items: Staff[] }>('GET', '/v1/appointments/users');
    expect(staff.items).toHaveLength(3);
    expect(new Set(staff.items.map(({ timezone }) => timezone)).size).toBe(3);
    const hours = new Set<string>();
    for (const { _id, calendarConnected } of staff.items) {
      expect(calendarConnected).toBe(true);
      const path = `/v1/appointments/ext-calendar/status?appointmentUserId=${_id}`;
      expect(await gateway('GET', path)).toMatchObject({ connected: true, provider: 'google', error: null });
      const { weekly } = await gateway<{ weekly: unknown }>('GET', `/v1/appointments/users/${_id}/schedule`);
      hours.add(JSON.stringify(weekly));
    }
    expect(hours.size).toBe(3);
    for (const { _id } of departments.items) {
      const path = `/v1/appointments/users?departmentId=${_id}`;
      const { items } = await gateway<{ items: Staff[] }>('GET', path);
      expect(items.length).toBeGreaterThan(0);
      expect(items.length).toBeLessThan(3);
    }
  });

  test('has questions of many kinds, and every staff member can be booked', async () => {
    const { items } = await gateway<{ items: Staff[] }>('GET', '/v1/appointments/users');
    const kinds = new Set<string>();
    for (const { _id } of items) {
      const path = `/v1/appointments/form-questions?appointmentUserId=${_id}`;
      const { items: questions } = await gateway<{ items: Question[] }>('GET', path);
      for (const { questionType } of questions) kinds.add(questionType);
      expect(await bookFirst(gateway, _id)).toMatchObject({ status: 'confirmed' });
    }
    expect(kinds.size).toBeGreaterThanOrEqual(6);
  });
});

commandsSuite(() => ({ workspace, demo, gateway }));
