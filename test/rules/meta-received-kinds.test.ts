// The WhatsApp Cloud API's inbound messages: which kind they are, which open a reply window, and what an edit is about.
import { expect, it } from 'vitest';
import { readCallback } from '../../src/adapters/meta/callback.ts';

const media = { id: '1027', mime_type: 'image/jpeg', sha256: 'Jd8+=' };

function one(message: object) {
  const whole = { from: '15551234567', id: 'wamid.A', timestamp: '1751142888', ...message };
  const value = { metadata: { phone_number_id: '11' }, messages: [whole] };
  const body = { entry: [{ id: '1', changes: [{ field: 'messages', value }] }] };
  return readCallback(Buffer.from(JSON.stringify(body))).received[0];
}

it('has the kind of its only member if the platform names none', () => {
  const place = { latitude: 1, longitude: 2 };
  expect(one({ location: place })).toMatchObject({
    ...{ type: 'location', isFromPerson: true, content: { location: place } },
  });
  expect(one({ contacts: [{ name: { formatted_name: 'Bob' } }] })?.type).toBe('contacts');
  expect(one({ errors: [{ code: 1 }] })).toMatchObject({ type: 'unknown', isFromPerson: false });
});

it.each<[string, object, boolean]>([
  ['of a kind that the platform does not pass on', { type: 'unknown', errors: [{ code: 130_501 }] }, true],
  ['in a group', { type: 'text', group_id: 'G' }, false],
  ['that was edited', { type: 'edit', edit: { message: { type: 'text' } } }, false],
  ['that was deleted', { type: 'revoke', revoke: { original_message_id: 'wamid.B' } }, false],
])('%s opens a reply window: %j %s', (_what, message, opens) => {
  expect(one(message)?.isFromPerson).toBe(opens);
});

it('names the earlier message that an edit or a deletion is about, and the file of an edit', () => {
  const edit = {
    original_message_id: 'wamid.B',
    message: { type: 'image', image: media, context: { id: 'M0' } },
  };
  expect(one({ type: 'edit', edit })).toMatchObject({ contextRef: 'wamid.B', mediaRef: '1027' });
  expect(one({ type: 'revoke', revoke: { original_message_id: 'wamid.B' } })?.contextRef).toBe('wamid.B');
});
