// Every page for sending and answering in light, dark, on a phone and right to left: accessible, without overflow, and as pictures.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appearances, type Dashboard, flawsOf, pictures, startDashboard } from '../harness/dashboard.ts';
import { addEndpoint, number } from '../harness/gateway.ts';
import { checkupCards as cards, checkups } from '../harness/phone-templates.ts';
import { until } from '../harness/until.ts';

let dashboard: Dashboard;
let paths: Record<string, string>;

const seed = { language: 'en_US', status: 'APPROVED', category: 'MARKETING' as const };
const offer = [
  { type: 'HEADER', format: 'TEXT', text: 'Light up your health' },
  { type: 'BODY', text: 'Hi {{1}}, our full check-up is 20 % off until {{2}}.' },
  { type: 'FOOTER', text: 'Reply STOP to end' },
  { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Book a check-up' }] },
];
const card = (text: string) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://example.com/a.png'] } },
    { type: 'BODY', text },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Book', url: 'https://example.com/{{1}}' }] },
  ],
});
const carousel = [
  { type: 'BODY', text: 'Hi {{1}}, winter check-ups for the whole family. Which one fits you?' },
  {
    type: 'CAROUSEL',
    cards: [card('Adult: 90 minutes, 42 values.'), card('Family: two adults and all children.')],
  },
];
const names = ['Oluwaseun Adeyemi', 'अंजलि देशमुख', 'يوسف الهاشمي', 'Nguyễn Thị Mai', 'Jürgen Weiß'];

beforeAll(async () => {
  dashboard = await startDashboard(
    [
      { name: 'diwali_offer', ...seed, components: offer },
      { name: 'family_checkups', ...seed, components: carousel },
      checkups,
    ],
    { sandbox: true },
  );
  const { gateway, templateIds } = dashboard;
  const templateId = templateIds.diwali_offer as string;
  const recipients = names.map((name, index) => ({
    ...{ phone: `1555888000${index}`, name },
    variables: { 1: name, 2: 'Friday' },
  }));
  const send = async (more: object) => {
    const body = { templateId, recipients, ...more };
    return (await gateway.call<{ sendId: string }>('POST', '/v1/templates/send', { body })).body.data.sendId;
  };
  const done = await send({ name: 'Flu clinic reminder, week 48' });
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await send({ name: 'Diwali check-up offer', sendAt });
  const paused = await send({ name: 'Paused one', sendAt });
  await gateway.call('POST', `/v1/sends/${paused}/pause`);
  const draft = await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body: { templateId } });
  const { sendId } = draft.body.data;
  await gateway.call('POST', `/v1/sends/${sendId}/recipients`, { body: { recipients } });
  const write = (
    kind: string,
    with_: Record<string, unknown>,
    from = { phone: '15558880002', name: 'يوسف الهاشمي' },
  ) => gateway.platform.write(number.id, { messages: [{ from, kind, with: with_ }] });
  await write(
    'text',
    { text: { body: 'Tack! Jag kommer 10 minuter sent.' } },
    { phone: '15558880008', name: 'Mathilde' },
  );
  await write('text', { text: { body: 'هل يمكنني تغيير الموعد إلى الساعة الثانية عشرة؟' } });
  await write('image', {});
  await gateway.call('PUT', '/v1/opt-outs/15558880008', { body: { scope: 'marketing' } });
  const reply = { phone: '15558880002', text: 'نعم بالتأكيد، الساعة 12:00 متاحة.' };
  await until(async () => {
    const { text, status } = await gateway.call('POST', '/v1/messages/reply', { body: reply });
    if (status !== 200) throw new Error(text);
  });
  const rows = [{ id: 'noon', title: 'الساعة 12:00', description: 'الطابق الثاني' }];
  const list = { button: 'المواعيد', sections: [{ title: 'اليوم', rows }] };
  await gateway.call('POST', '/v1/messages/reply', { body: { ...reply, list } });
  await gateway.call('POST', '/v1/templates/send', {
    body: { templateId: templateIds.checkups, recipients: [{ phone: reply.phone, cards }] },
  });
  const { body: people } = await gateway.call<{ items: { _id: string }[] }>(
    'GET',
    '/v1/contacts?phone=15558880002',
  );
  const { endpointId } = await addEndpoint(gateway);
  const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() };
  await gateway.call('POST', `/v1/webhooks/endpoints/${endpointId}/replay`, { body: range });
  await gateway.call('POST', `/v1/webhooks/endpoints/${endpointId}/rotate-secret`, {});
  paths = {
    ...{ conversations: '/conversations', conversation: `/conversations/${people.data.items[0]?._id}` },
    sandbox: '/sandbox',
    endpoint: `/webhooks/endpoints/${endpointId}`,
    ...{ templates: '/templates', 'template-offer': `/templates/${templateId}` },
    'template-carousel': `/templates/${templateIds.family_checkups}`,
    'template-statistics': `/templates/${templateId}?tab=statistics`,
    'template-history': `/templates/${templateId}?tab=history`,
    'template-api': `/templates/${templateId}?tab=api`,
    ...{ 'template-new': '/templates/new', 'template-edit': `/templates/${templateId}/edit` },
    'template-edit-json': `/templates/${templateIds.family_checkups}/edit`,
    ...{ sends: '/sends', 'send-new': `/sends/new?template=${templateId}`, 'send-done': `/sends/${done}` },
    ...{ 'send-scheduled': `/sends/${scheduled}`, 'send-paused': `/sends/${paused}` },
    'send-timing': `/sends/${sendId}?step=timing`,
    'send-check': `/sends/${sendId}?step=check`,
    'send-recipients': `/sends/${sendId}?step=recipients`,
  };
}, 60_000);
afterAll(async () => dashboard?.close());

/** Brings a page into the state that the picture shows. */
const prepare: Record<string, (page: import('playwright-core').Page) => Promise<void>> = {
  'template-new': async (page) => {
    await page.locator('#template-name').fill('visit_reminder_v2');
    await page.locator('#body-text').fill('Hi {{1}}, your visit to {{2}} is on {{3}} at {{4}}');
    await page.locator('.example-grid input').first().fill('Mathilde');
    for (const at of [0, 1]) await page.locator('.chip').nth(at).click();
  },
  sandbox: async (page) => {
    await page.locator('.phone-cards button').nth(1).click();
    await page.locator('.phone-list summary').click();
    await page.locator('.phone-told:not(:empty)').waitFor();
  },
  'send-recipients': async (page) => {
    const rows = ['Mobile;1;2', ...names.map((name, index) => `+1 555 888 010${index};${name};Friday`)];
    const faulty = ['0555 888 0001;Zed;Friday', '15558880109;;Friday', '+15558880108;"two\nlines";x'];
    const buffer = Buffer.from([...rows, ...faulty].join('\n'));
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'p.csv', mimeType: 'text/csv', buffer });
    await page.locator('.file-row .button.primary').click();
    await page.locator('.sum').waitFor();
    await page.locator('.fault-text').first().waitFor();
  },
};

describe.each(appearances)('%s', (appearance, options) => {
  test('has no accessibility violation, no error and no overflow', { timeout: 120_000 }, async () => {
    const { gateway, openAt } = dashboard;
    const { page, problems } = await openAt('/', options);
    const wanted = Object.entries(paths).filter(([name]) => name.includes(process.env.PAGE ?? ''));
    for (const [name, path] of wanted) {
      await page.goto(`${gateway.url}${path}`);
      await page.locator('#main h1').waitFor();
      await prepare[name]?.(page);
      await page.waitForLoadState('networkidle').catch(() => undefined);
      await page.screenshot({ path: `${pictures}${name}-${appearance}.png`, fullPage: true });
      expect([path, await flawsOf(page)]).toEqual([path, []]);
    }
    expect(problems).toEqual([]);
  });
});
