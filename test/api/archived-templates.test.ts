// Templates that the platform archives after a year without use, and the end of an archival, which restores their earlier status.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';
import { templateBecomes, templateState } from '../harness/template-state.ts';

let gateway: Gateway;
let id: string;
beforeAll(async () => {
  gateway = await startGateway();
  const { templateIds } = await addSender(gateway, templateKinds);
  id = templateIds.plain ?? '';
});
afterAll(() => gateway?.close());

const detail = () => templateState(gateway, id);
const becomes = (providerStatus: string) => templateBecomes(gateway, id, providerStatus);

it.each([
  ['REJECTED', 'submitted'],
  ['APPROVED', 'approved'],
])('a template that was %s before is so again', async (before, status) => {
  const { providerTemplateId } = await detail();
  for (const one of [before, 'ARCHIVED']) {
    await gateway.platform.changeTemplate(providerTemplateId, { status: one });
    await becomes(one);
  }
  expect((await detail()).status).toBe('submitted');
  await gateway.platform.changeTemplate(providerTemplateId, { status: 'UNARCHIVED' });
  await becomes(before);
  expect((await detail()).status).toBe(status);
});
