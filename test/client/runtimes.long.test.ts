// The packed client in Node 18, Bun, Deno and two edge runtimes: the same journey against a running gateway in each.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ChatbotGateway } from '../../client/src/client.ts';
import type { Demo } from '../../demo/seed.ts';
import { receiverControl } from '../../sandbox/control.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';
import { installPackages } from '../harness/registry-packages.ts';
import { installPackedClient } from './packed.ts';
import { runtimes, writeJourney } from './runtimes.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

let workspace: ProgramFolder;
let demo: Demo;
let folder: string;
let webhook: object;

beforeAll(async () => {
  workspace = await openProgramFolder();
  ({ demo } = await workspace.startDemo());
  folder = await mkdtemp(join(tmpdir(), 'client-runtimes-'));
  installPackedClient(folder);
  writeJourney(folder);
  const gateway = new ChatbotGateway(demo);
  const { items } = await gateway.listTemplates({ search: 'order_update' });
  const recipients = [{ phone: '15550100011', variables: { '1': 'Ada', '2': 'A-1', '3': 'on Friday' } }];
  await gateway.sendTemplate({ body: { templateId: items[0]?._id ?? '', recipients } });
  const [event] = await receiverControl(demo.sandbox.receiverUrl).events({ waitSeconds: 10 });
  webhook = { body: event?.body, headers: event?.headers, secret: demo.webhookSecret };
});
afterAll(async () => {
  await workspace?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test.each(runtimes)('sends, pages, books and verifies in $name', async ({ name, packages, run }) => {
  const modules = await installPackages(packages, `the client in ${name}`);
  if (!modules) return;
  const input = JSON.stringify({ baseUrl: demo.baseUrl, apiKey: demo.apiKey, webhook });
  const { items } = await new ChatbotGateway(demo).listTemplates({ limit: 100 });
  expect(JSON.parse(await run(modules, folder, input))).toEqual({
    accepted: 3,
    phones: ['15550100021', '15550100022', '15550100023'],
    templates: items.length,
    downloaded: 'A file of plain text.',
    status: 'confirmed',
    isSame: true,
    isTaken: true,
    isUnreachable: true,
    verified: ['messages.status', 'WebhookVerificationError'],
  });
});
