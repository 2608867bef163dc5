// The dashboard's pages for sending and answering, in a real browser, against the real gateway and sandbox.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirm, type Dashboard, flawsOf, signIn, startDashboard } from '../harness/dashboard.ts';
import { addBooking, addStaff } from '../harness/dashboard-staff.ts';
import { comingMonday } from '../harness/dates.ts';
import { addEndpoint, number } from '../harness/gateway.ts';
import { checkupCards as cards, checkups, offer, visit } from '../harness/phone-templates.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard([offer, visit, checkups], { sandbox: true });
}, 60_000);
afterAll(async () => dashboard?.close());

test('a campaign goes from a file with faults to its results', { timeout: 30_000 }, async () => {
  const { gateway, openAt } = dashboard;
  await gateway.call('PUT', '/v1/opt-outs/15557770003', { body: { scope: 'marketing' } });
  const { page, problems } = await openAt('/sends');
  await page.getByRole('link', { name: 'New campaign' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Week 48');
  await page.getByRole('radio', { name: /diwali_offer/ }).check();
  await page.locator('.phone').waitFor();
  await page.getByRole('button', { name: 'Continue to recipients' }).click();
  const rows = [
    ...[
      'Mobile;Full name;greeting;until',
      '+1 555 777 0001;Ada;Ada;Friday',
      '15557770001;Ada again;Ada;Friday',
    ],
    ...['15557770003;Opted;Out;Friday', '0555 777 0004;Zero;Zed;Friday', '15557770005;Empty;;Friday'],
  ];
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) };
  await page.locator('input[type=file]').first().setInputFiles(file);
  await page.getByLabel('Column greeting goes to').selectOption('body.1');
  await page.getByLabel('Column until goes to').selectOption('body.2');
  await page.locator('.phone').getByText('Hi Ada, 20 % off until Friday.').waitFor();
  await page.getByRole('button', { name: 'Add 5 rows' }).click();
  const figures = page.locator('.sum dd');
  await page.getByRole('heading', { name: '2 rows have a problem' }).waitFor();
  expect(await figures.allTextContents()).toEqual(['1', '1', '1', '2']);
  await page.getByRole('textbox', { name: 'Country code' }).first().fill('1');
  await page
    .getByRole('row', { name: /0555 777 0004/ })
    .getByRole('button', { name: 'Fix it' })
    .click();
  await page.getByRole('heading', { name: '1 row has a problem' }).waitFor();
  await page.getByRole('button', { name: 'Continue with 3 recipients' }).click();
  await page.getByRole('radio', { name: /Test/ }).waitFor();
  await page.getByRole('button', { name: 'Save and check' }).click();
  await page.getByText('3 recipients were checked: all fit.').waitFor();
  await page.getByRole('button', { name: 'Send to 3 people' }).click();
  await page.getByText('3 of 3').waitFor();
  await page.getByRole('heading', { level: 1, name: /Week 48 Done/ }).waitFor();
  await page.getByRole('region', { name: 'Why messages failed' }).getByText('900005').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'All as CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  expect(problems).toEqual([]);
});

test('a person who writes is answered within the window, and opted out', { timeout: 30_000 }, async () => {
  const { gateway, openAt } = dashboard;
  const from = { phone: '15557770020', name: 'Wanjirũ Kamau' };
  const write = (body: string) =>
    gateway.platform.write(number.id, { messages: [{ from, kind: 'text', with: { text: { body } } }] });
  const { page, problems } = await openAt('/conversations');
  await write('When do you open?');
  await page.getByRole('link', { name: /Wanjirũ Kamau/ }).click();
  const thread = page.getByRole('region', { name: 'Conversation' });
  await thread.getByText('When do you open?').waitFor();
  await thread.getByText(/ left$/).waitFor();
  await thread.getByRole('textbox', { name: 'Reply' }).fill('At nine.');
  await page.keyboard.press('Control+Enter');
  await thread.getByText('At nine.').waitFor();
  await write('Thank you!');
  await thread.getByText('Thank you!').waitFor();
  const person = page.getByRole('complementary', { name: 'Person' });
  await person.getByRole('button', { name: 'Opt out of marketing' }).click();
  await person.getByText('No marketing').waitFor();
  await person.getByRole('button', { name: 'Lift the opt-out' }).click();
  await person.getByText('Everything').waitFor();
  expect(problems).toEqual([]);
});

test('an appointment of another year says its year', async () => {
  const { gateway, open } = dashboard;
  const phone = '15557770021';
  const from = { phone, name: 'Kofi' };
  await gateway.platform.write(number.id, {
    messages: [{ from, kind: 'text', with: { text: { body: 'Hello' } } }],
  });
  const date = comingMonday();
  const appointmentUserId = await addStaff(gateway, { name: 'Ana' });
  await addBooking(gateway, { appointmentUserId, date, from: '09:00', to: '09:30', phoneNumber: phone });
  const { page } = await open();
  const year = Number(date.slice(0, 4));
  await page.clock.setSystemTime(`${year - 1}-12-31T12:00:00Z`);
  await signIn(page, gateway, '/conversations');
  await page.getByRole('link', { name: /Kofi/ }).click();
  const person = page.getByRole('complementary', { name: 'Person' });
  await person.getByRole('link', { name: new RegExp(`${year}.*09:00`) }).click();
  const booking = page.locator('.booking-panel');
  await booking
    .getByText(new RegExp(`${year}.*09:00`))
    .first()
    .waitFor();
});

test('the sandbox shows the phone, whose buttons and answers reach the gateway, and faults', {
  timeout: 30_000,
}, async () => {
  const { gateway, openAt } = dashboard;
  await addEndpoint(gateway, { hook: 'sandbox', events: ['messages.status', 'messages.received'] });
  const { page, problems } = await openAt('/sandbox');
  await page.getByRole('combobox', { name: 'Template' }).selectOption({ label: 'visit en_US' });
  await page.getByLabel('To, with country code').fill('15550100001');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const screen = page.getByRole('region', { name: 'Messages on the phone' });
  await screen.getByText('Hi Ada, see you tomorrow.').waitFor();
  await screen.getByRole('button', { name: 'Another time' }).click();
  await screen.locator('.own').getByText('Another time').waitFor();
  await page.getByRole('textbox', { name: 'Answer as the person' }).fill('At noon, please');
  await page.keyboard.press('Enter');
  await screen.locator('.own').getByText('At noon, please').waitFor();
  const receiver = page.getByRole('region', { name: 'Your receiver' });
  await receiver.getByText('messages.received').first().waitFor();
  await receiver.getByText('all signatures are right').waitFor();
  const fault = page.getByRole('switch', { name: 'Answers 500' });
  await fault.click();
  await page.locator('.switch:checked').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Break something' }).locator('.state.ok').waitFor();
  await fault.click();
  await page.locator('.switch:checked').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('on the phone, cards and lists answer, other buttons say where they lead, and the sandbox starts over', async () => {
  const { gateway, templateIds, openAt } = dashboard;
  const phone = '15550100002';
  await gateway.call('POST', '/v1/templates/send', {
    body: { templateId: templateIds.checkups, recipients: [{ phone, cards }] },
  });
  const { page, problems } = await openAt('/sandbox');
  await page.getByLabel('To, with country code').fill(phone);
  const screen = page.getByRole('region', { name: 'Messages on the phone' });
  const family = screen.getByRole('listitem').filter({ hasText: 'Family' });
  await family.getByRole('button', { name: 'Prices' }).click();
  await page.getByText('Opens https://example.com/prices in the browser.').waitFor();
  await family.getByRole('button', { name: 'Book' }).click();
  await screen.locator('.own').getByText('Book').waitFor();
  await expect
    .poll(async () => (await gateway.call('GET', `/v1/messages/received?phone=${phone}`)).body.data)
    .toMatchObject({ items: [{ button: { payload: 'family' } }] });
  const rows = [{ id: 'early', title: 'At nine', description: 'The first one' }];
  const list = { button: 'Choose a time', sections: [{ title: 'Morning', rows }] };
  await gateway.call('POST', '/v1/messages/reply', { body: { phone, text: 'When?', list } });
  await screen.getByText('Choose a time').click();
  await screen.getByRole('button', { name: 'At nine' }).click();
  await screen.locator('.own').getByText('At nine').waitFor();
  const arrives = page.getByRole('slider', { name: 'Delivered after' });
  await arrives.press('End');
  await expect
    .poll(async () => (await gateway.call('GET', '/sandbox/delays')).body.data)
    .toMatchObject({ deliveredMs: 3_600_000 });
  await page.getByRole('button', { name: 'Start over' }).click();
  await confirm(page, 'Start over');
  await page.getByText('Started over').waitFor();
  await screen.getByText('Nothing has arrived yet').waitFor();
  expect(await arrives.getAttribute('aria-valuetext')).toBe('0 ms');
  expect(problems).toEqual([]);
});

test('the phone whose fields a person is in stays, whichever gets a message', async () => {
  const { gateway, templateIds, openAt } = dashboard;
  const { page, problems } = await openAt('/sandbox');
  const to = page.getByLabel('To, with country code');
  const send = async (phone: string) => {
    const body = {
      templateId: templateIds.diwali_offer,
      recipients: [{ phone, variables: { 1: 'Ada', 2: 'Friday' } }],
    };
    await gateway.call('POST', '/v1/templates/send', { body });
    await page.getByRole('option', { name: phone }).waitFor({ state: 'attached' });
  };
  await send('15550100003');
  await expect.poll(() => to.inputValue()).toBe('15550100003');
  await to.selectText();
  await send('15550100004');
  await page.keyboard.insertText('15550100005');
  expect(await to.inputValue()).toBe('15550100005');
  await page.reload();
  await expect.poll(() => to.inputValue()).toBe('15550100004');
  const answer = page.getByRole('textbox', { name: 'Answer as the person' });
  await answer.fill('At noon');
  await send('15550100006');
  await answer.press('Enter');
  await page.locator('.own').getByText('At noon').waitFor();
  expect(await to.inputValue()).toBe('15550100004');
  expect(problems).toEqual([]);
});

test('Ctrl K goes to pages, people, campaigns and messages from anywhere, by keyboard alone', {
  timeout: 30_000,
}, async () => {
  const { gateway, openAt, templateIds } = dashboard;
  const recipients = [{ phone: '15557770031', name: 'Tomoe', variables: { 1: 'Tomoe', 2: 'Friday' } }];
  const body = { templateId: templateIds.diwali_offer, name: 'Winter check-ups', recipients };
  const sent = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', { body });
  await gateway.platform.write(number.id, {
    messages: [
      { from: { phone: '15557770032', name: 'Zainab' }, kind: 'text', with: { text: { body: 'Hello' } } },
    ],
  });
  const loaded: string[] = [];
  const { page, problems } = await openAt('/messages');
  page.on('request', (request) => loaded.push(request.url()));
  const find = async (typed: string, name: string | RegExp) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to or find' }).fill(typed);
    const option = page.getByRole('option', { name }).first();
    await option.waitFor();
    while ((await option.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  await page.getByRole('textbox', { name: /Phone, name/ }).focus();
  expect(loaded.filter((url) => url.includes('palette'))).toEqual([]);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to or find' }).waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  // the focus is back where it was
  expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
  await find('campai', 'Campaigns');
  await page.waitForURL(/\/sends$/);
  await find('winter', /Winter check-ups/);
  await page.waitForURL(/\/sends\/[0-9a-f-]{36}$/);
  await find(sent.body.data.messages[0]?.id ?? '', /Tomoe/);
  await page.waitForURL(/\/messages\/[0-9a-f-]{36}$/);
  await expect
    .poll(async () => (await gateway.call('GET', '/v1/contacts?search=zain')).text)
    .toContain('Zainab');
  await find('zain', /Zainab/);
  await page.waitForURL(/\/conversations\/[0-9a-f-]{36}$/);
  await find('1555 777 0031', /All messages with 1555 777 0031/);
  await page.waitForURL(/\/messages\?phone=15557770031$/);
  await page.getByRole('link', { name: 'Tomoe' }).waitFor();
  expect(problems).toEqual([]);
});
