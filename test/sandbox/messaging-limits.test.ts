// The simulated platform's messaging limit: people whom a business may write to first within 24 hours.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { numberId, plain, startPlatform, wabaId } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  platform = await startPlatform();
  await platform.control.addTemplate(plain);
});
afterAll(() => platform.close());

const phoneAt = (position: number) => `+9198111${10_000 + position}`;
const codeTo = async (phone: string) => {
  const { status, json } = await platform.send(phone);
  return status === 200 ? 'accepted' : json.error.code;
};
const status = async () => (await platform.call('GET', `${numberId}?fields=status`)).json.status;

it('rejects templates to more people with 131048, and shows the number as RESTRICTED', async () => {
  await platform.control.addNumber({ id: numberId, wabaId, messagingLimit: 'TIER_250' });
  for (let sent = 0; sent < 249; sent++) expect(await codeTo(phoneAt(sent))).toBe('accepted');
  expect(await status()).toBe('CONNECTED');
  expect(await codeTo(phoneAt(249))).toBe('accepted');
  expect(await status()).toBe('RESTRICTED');
  expect(await codeTo(phoneAt(250))).toBe(131048);
  expect(await codeTo(phoneAt(0))).toBe('accepted');
});

it('does not count people in an open window, and ends as the 24 hours go on', async () => {
  const from = { phone: phoneAt(251).slice(1) };
  await platform.control.write(numberId, {
    messages: [{ from, kind: 'text', with: { text: { body: 'Hello' } } }],
  });
  expect(await codeTo(phoneAt(251))).toBe('accepted');
  expect(await codeTo(phoneAt(252))).toBe(131048);
  await platform.control.advanceClock(86_400_000);
  expect(await status()).toBe('CONNECTED');
  expect(await codeTo(phoneAt(252))).toBe('accepted');
});
