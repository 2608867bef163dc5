// The contact of an inbound message among those of its callback.
import { describe, expect, it } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';

const head = { from: '15551234567', from_user_id: 'US.1349', id: 'wamid.A', timestamp: '1751142888' };
const read = (messages: object[], contacts: object[]) => {
  const value = { metadata: { phone_number_id: '11' }, contacts, messages };
  const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
  return readCallback(Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry }))).received;
};

describe('the contact of a message', () => {
  const name = (of: object[]) => read([head], of)[0]?.person?.name ?? null;
  const contact = (formatted: string, ids: object) => ({ profile: { name: formatted }, ...ids });

  it('is the first with its number or its id, in the order of the list', () => {
    const others = contact('Other', { wa_id: '15550000000', user_id: 'US.1' });
    const [phone, id] = [contact('Phone', { wa_id: '15551234567' }), contact('Id', { user_id: 'US.1349' })];
    expect(name([others, phone, id])).toBe('Phone');
    expect(name([others, id, phone])).toBe('Id');
    expect(name([others, { ...phone, profile: { name: 'First' } }, phone])).toBe('First');
    expect(name([others, contact('No one', {}), others])).toBeNull();
  });

  it('is found in bounded time among as many as a callback can have', () => {
    const people = Array.from({ length: 60_000 }, (_, index) => `${15_550_000_000 + index}`);
    const of = people.map((phone) => contact(phone, { wa_id: phone }));
    const messages = people.map((phone) => ({ from: phone, id: phone, timestamp: '1751142888' }));
    const startedMs = performance.now();
    const found = read(messages, of);
    expect(found.map(({ person }) => person?.name)).toEqual(people);
    expect(performance.now() - startedMs).toBeLessThan(15_000);
  });
});
