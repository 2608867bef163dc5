// Whether a status of the WhatsApp Cloud API says that its message is charged.
import { expect, it } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';

it.each([
  [{ billable: true, type: 'regular' }, true],
  [{ billable: false, type: 'free_customer_service' }, false],
  [{ type: 'regular' }, true],
  [{ type: 'free_customer_service' }, false],
  [{ type: 'free_entry_point' }, false],
  [{ type: 'a_new_type' }, null],
  [{}, null],
  [undefined, null],
])('the price %j means billable: %s', (pricing, billable) => {
  const status = { id: 'wamid.A', status: 'sent', timestamp: '1751142888', pricing };
  const value = { metadata: { phone_number_id: '11' }, statuses: [status] };
  const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
  expect(readCallback(Buffer.from(JSON.stringify({ entry }))).statuses[0]?.billable).toBe(billable);
});
