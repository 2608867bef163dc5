// Templates that the platform no longer has while messages wait: they are kept, and nothing of theirs is called.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDrafts } from '../harness/campaigns.ts';
import { addSender, app, type Gateway, readTemplates, startGateway, waba } from '../harness/gateway.ts';
import { messageOf, send } from '../harness/sends.ts';

const template = (name: string) => ({
  ...{ name, category: 'UTILITY', language: 'en_US', status: 'APPROVED' },
  components: [{ type: 'BODY', text: 'Hello there.' }],
});

let gateway: Gateway;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids } = await addSender(
    gateway,
    ['queued', 'planned', 'cancelled', 'unused'].map(template),
  ));
  await gateway.platform.settings({ keepCalls: 1_000 });
});
afterAll(() => gateway?.close());

/** Deletes a template as on the platform's own pages, and reads the list. */
async function deleteThere(name: string): Promise<void> {
  const url = `${gateway.urls.cloudApi}/v23.0/${waba}/message_templates?name=${name}`;
  const { status } = await fetch(url, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${app.token}` },
  });
  expect(status).toBe(200);
  expect((await readTemplates(gateway)).status).toBe(200);
}
const shown = async (name: string) => {
  type Item = { status: string; providerStatus: string };
  const { status, body } = await gateway.call<Item>('GET', `/v1/templates/${ids[name]}`);
  return status === 200 ? `${body.data.status} ${body.data.providerStatus}` : status;
};
const callsTo = async (phone: string) =>
  (await gateway.platform.calls()).filter((call) => call.phone === `+${phone}`).length;
/** Sends a message whose first call finds no template, so that it is queued. */
async function queued(name: string, phone: string): Promise<string> {
  await gateway.platform.addFault({ code: 132001, on: 'messages', times: 1 });
  const { body } = await send(gateway, { templateId: ids[name] ?? '', recipients: [phone] });
  expect(body.data).toMatchObject({ queued: 1 });
  return body.data.messages[0]?.id ?? '';
}

it('keeps one with queued messages, which wait without calls until it is there again', async () => {
  const id = await queued('queued', '15550240001');
  await deleteThere('queued');
  expect(await shown('queued')).toBe('submitted DELETED');
  const { body } = await gateway.call<{ stoppedTemplates: object[] }>('GET', '/v1/overview');
  expect(body.data.stoppedTemplates).toMatchObject([{ name: 'queued', providerStatus: 'DELETED' }]);
  // a second reading changes nothing
  await readTemplates(gateway);
  expect(await messageOf(gateway, id)).toMatchObject({ status: 'queued' });
  expect(await callsTo('15550240001')).toBe(1);

  await gateway.platform.addTemplate({ ...template('queued'), wabaId: waba });
  await readTemplates(gateway);
  await expect.poll(async () => (await messageOf(gateway, id)).status, { timeout: 20_000 }).toBe('read');
  expect(await shown('queued')).toBe('approved APPROVED');
});

it('keeps one that a draft names, and removes it once the draft is gone', async () => {
  const { draft, add, call } = openDrafts(gateway, ids, 15550241000);
  const id = await draft('planned');
  await add(id, [{ phone: '15550241001' }]);
  await deleteThere('planned');
  expect((await call('POST', `/${id}/start`)).body.code).toBe('template_not_approved');
  expect((await call('DELETE', `/${id}`)).status).toBe(200);
  await readTemplates(gateway);
  expect(await shown('planned')).toBe(404);
});

it('is deleted here with its messages, without a call that the platform would reject', async () => {
  const id = await queued('cancelled', '15550240002');
  await deleteThere('cancelled');
  const path = `/v1/templates/${ids.cancelled}`;
  expect((await gateway.call('DELETE', path)).body.code).toBe('template_in_use');
  expect((await gateway.call('DELETE', `${path}?cancelQueued=true`)).status).toBe(200);
  expect(await messageOf(gateway, id)).toMatchObject({ status: 'failed', error: { code: 900003 } });
  expect(await shown('cancelled')).toBe(404);
});

it('removes one that nothing waits for', async () => {
  await deleteThere('unused');
  expect(await shown('unused')).toBe(404);
});
