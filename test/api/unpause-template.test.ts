// Ending a pause of a template: what its queued messages do then, and what is rejected.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { messageOf, templateKinds } from '../harness/sends.ts';
import { type TemplateState, templateBecomes, templateState } from '../harness/template-state.ts';

let gateway: Gateway;
let id: string;
beforeAll(async () => {
  gateway = await startGateway();
  const { templateIds } = await addSender(gateway, templateKinds);
  id = templateIds.plain ?? '';
});
afterEach(() => gateway.platform.clearFaults());
afterAll(() => gateway?.close());

const detail = () => templateState(gateway, id);
const unpause = (of = id) => gateway.call<TemplateState>('POST', `/v1/templates/${of}/unpause`);
const becomes = (providerStatus: string) => templateBecomes(gateway, id, providerStatus);

it('sends its queued messages once the platform has ended the pause', async () => {
  await gateway.platform.addFault({ code: 132015, on: 'messages', times: 1 });
  const { body } = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', {
    headers: { Prefer: 'respond-async' },
    body: { templateId: id, recipients: [{ phone: '15550100001' }] },
  });
  const { providerTemplateId } = await detail();
  await gateway.platform.changeTemplate(providerTemplateId, { status: 'PAUSED' });
  await becomes('PAUSED');
  const answer = await unpause();
  expect([answer.status, answer.body.data.providerTemplateId]).toEqual([200, providerTemplateId]);
  await becomes('APPROVED');
  await expect
    .poll(async () => (await messageOf(gateway, body.data.messages[0]?.id ?? '')).status, { timeout: 20_000 })
    .toBe('read');
});

it('reads the template even if no callback says that the pause has ended', async () => {
  const { providerTemplateId } = await detail();
  await gateway.platform.changeTemplate(providerTemplateId, { status: 'PAUSED' });
  await becomes('PAUSED');
  await gateway.platform.settings({ holdCallbacks: true });
  expect((await unpause()).status).toBe(200);
  await becomes('APPROVED');
  await gateway.platform.settings({ holdCallbacks: false });
});

it('returns 409 for a template that is not paused, and 404 for none', async () => {
  const answer = await unpause();
  expect([answer.status, answer.body.code]).toEqual([409, 'template_not_paused']);
  expect((await unpause('00000000-0000-7000-8000-000000000000')).status).toBe(404);
});

it('returns 502 with the reason for which the platform does not end the pause', async () => {
  const { providerTemplateId } = await detail();
  await gateway.platform.changeTemplate(providerTemplateId, { status: 'PAUSED' });
  await becomes('PAUSED');
  const reason = 'The template was paused less than five minutes ago.';
  const refusal = { does: 'answer', status: 200, body: { success: false, reason } } as const;
  await gateway.platform.addFault({ ...refusal, on: 'objects', times: 1 });
  const answer = await unpause();
  expect([answer.status, answer.body.code]).toEqual([502, 'provider_rejected']);
  expect(answer.text).toContain(reason);
  expect((await detail()).providerStatus).toBe('PAUSED');
});
