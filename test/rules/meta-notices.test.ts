// The WhatsApp Cloud API's notices about business accounts and their numbers.
import { expect, it } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';

const read = (...entry: object[]) =>
  readCallback(Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry })));

it('are read with the business account that they are about, which is not always that of the entry', () => {
  const display_phone_number = '15550783881';
  const changes = [
    { field: 'account_update', value: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } } },
    { field: 'account_update', value: { event: 'PARTNER_REMOVED', waba_info: { waba_id: '22' } } },
    { field: 'phone_number_quality_update', value: { display_phone_number, event: 'THROUGHPUT_UPGRADE' } },
    { field: 'security', value: { display_phone_number, event: 'PIN_CHANGED' } },
    { field: 'account_alerts', value: 'x'.repeat(5_000) },
  ];
  const { notices, ignored } = read({ id: '1', time: 1, changes }, { changes: changes.slice(0, 1) });
  expect(notices.map(({ businessAccountId, kind }) => [businessAccountId, kind])).toEqual([
    ['1', 'account_update'],
    ['22', 'account_update'],
    ['1', 'phone_number_quality_update'],
    ['1', 'security'],
    ['1', 'account_alerts'],
    ['', 'account_update'],
  ]);
  expect(notices[0]?.content).toBe('{"event":"DISABLED_UPDATE","ban_info":{"waba_ban_state":"DISABLE"}}');
  expect(notices[4]?.content).toBe('{}');
  expect(ignored).toBe(0);
});

it('are cut where they are long', () => {
  const value = { alert_info: { alert_description: 'ä'.repeat(5_000) } };
  const { notices } = read({ id: '1', changes: [{ field: 'account_alerts', value }] });
  expect(notices[0]?.content.length).toBeLessThan(5_000);
});
