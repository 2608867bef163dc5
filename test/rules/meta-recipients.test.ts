// The people of the WhatsApp Cloud API's statuses: numbers and ids that are named together.
import { expect, it } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';

const change = (value: object) => ({ field: 'messages', value: { messaging_product: 'whatsapp', ...value } });
const numbered = (phone_number_id: string, statuses: object[], more: object) =>
  change({ metadata: { phone_number_id }, statuses, ...more });
const read = (...entry: object[]) =>
  readCallback(Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry })));
const sent = { id: 'wamid.A', status: 'sent', timestamp: '1751142888' };

it('are read once for each message, where the number and the id are known', () => {
  const ada = {
    profile: { name: 'Ada' },
    wa_id: '15550100001',
    user_id: 'US.1',
    parent_user_id: 'US.ENT.1',
  };
  const eva = { profile: { name: 'Eva', username: '@eva' }, user_id: 'US.2' };
  const bob = { profile: null, wa_id: '15550100003' };
  const delivered = { ...sent, status: 'delivered' };
  const contacts = [ada, eva, bob, null, 'x', { wa_id: 7, user_id: {} }];
  const { recipients, received, ignored } = read({
    id: '1',
    changes: [numbered('11', [sent], { contacts }), numbered('11', [delivered], { contacts })],
  });
  const names = { phone: '15550100001', userId: 'US.1', name: 'Ada' };
  expect(recipients).toEqual([
    { phoneNumberId: '11', person: { ...names, otherPhones: [], otherUserIds: ['US.ENT.1'] } },
  ]);
  expect([received, ignored]).toEqual([[], 0]);
  const nobody = change({ statuses: [sent], contacts });
  expect(read({ id: '1', changes: [nobody] }).recipients).toEqual([]);
});
