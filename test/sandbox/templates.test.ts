// Template management of the simulated platform: pages, filters, deletion, changes and their callbacks; and reading a number.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plain, startPlatform, token, wabaId } from './platform.ts';
import { edge, templateCalls } from './template-calls.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
let create: ReturnType<typeof templateCalls>['create'];
let updateOf: ReturnType<typeof templateCalls>['updateOf'];
beforeAll(async () => {
  platform = await startPlatform();
  ({ create, updateOf } = templateCalls(platform));
});
afterAll(() => platform.close());

test('a list longer than 25 is paged by paging.next, with each template once', async () => {
  const waba = await platform.control.addWaba({ appId: '100200300400500' });
  for (let i = 0; i < 60; i++)
    await platform.control.addTemplate({ ...plain, wabaId: waba.id, name: `t_${i}` });
  const names: string[] = [];
  const sizes: number[] = [];
  let next: string | undefined = `${platform.url}/v23.0/${waba.id}/message_templates`;
  while (next) {
    const page = (await (await fetch(next, { headers: { authorization: `Bearer ${token}` } })).json()) as {
      data: Array<{ name: string }>;
      paging: { cursors: { before: string; after: string }; next?: string };
    };
    names.push(...page.data.map((template) => template.name));
    sizes.push(page.data.length);
    expect(page.paging.cursors).toEqual({ before: expect.any(String), after: expect.any(String) });
    next = page.paging.next;
  }
  expect(sizes).toEqual([25, 25, 10]);
  expect(new Set(names).size).toBe(60);

  const second = await platform.call(
    'GET',
    `${waba.id}/message_templates?limit=10&after=${await cursorAfter(waba.id, 10)}`,
  );
  expect(second.json.data.map((t: { name: string }) => t.name)).toEqual(names.slice(10, 20));
  const back = await platform.call(
    'GET',
    `${waba.id}/message_templates?limit=10&before=${second.json.paging.cursors.before}`,
  );
  expect(back.json.data.map((t: { name: string }) => t.name)).toEqual(names.slice(0, 10));
  expect((await platform.call('GET', `${waba.id}/message_templates?after=nonsense`)).json.error.code).toBe(
    100,
  );
});

async function cursorAfter(id: string, limit: number): Promise<string> {
  return (await platform.call('GET', `${id}/message_templates?limit=${limit}`)).json.paging.cursors.after;
}

test('calls about the templates of an account without a number are limited to 200 an hour', async () => {
  const waba = await platform.control.addWaba({ appId: '100200300400500' });
  const list = () =>
    fetch(`${platform.url}/v23.0/${waba.id}/message_templates`, {
      headers: { authorization: `Bearer ${token}` },
    });
  const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await list()).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  const limited = await list();
  expect([limited.status, await limited.json()]).toMatchObject([400, { error: { code: 80008 } }]);
  const usage = JSON.parse(limited.headers.get('x-business-use-case-usage') ?? '{}');
  expect(usage[waba.id]).toMatchObject([{ estimated_time_to_regain_access: 60 }]);
  await platform.control.addNumber({ wabaId: waba.id, displayPhoneNumber: '+1 555 010 0400' });
  expect((await list()).status).toBe(200);
});

test('the list filters by status (in either case), name, category and language, and returns only the requested fields', async () => {
  const waba = await platform.control.addWaba({ appId: '100200300400500' });
  const add = (name: string, more: object) =>
    platform.control.addTemplate({ ...plain, wabaId: waba.id, name, ...more });
  await add('spring_sale', { category: 'MARKETING', language: 'hi' });
  await add('order', { status: 'PAUSED', quality: 'RED' });
  await add('order', { language: 'fr' });
  const named = async (query: string) =>
    (await platform.call('GET', `${waba.id}/message_templates?${query}`)).json.data.map(
      (t: { name: string; language: string }) => `${t.name} ${t.language}`,
    );
  expect(await named('status=approved&fields=name,language')).toEqual(['order fr', 'spring_sale hi']);
  expect(await named('status=PAUSED')).toEqual(['order en_US']);
  expect(await named('name=order')).toEqual(['order fr', 'order en_US']);
  expect(await named('category=marketing')).toEqual(['spring_sale hi']);
  expect(await named('language=fr')).toEqual(['order fr']);
  const { json } = await platform.call(
    'GET',
    `${waba.id}/message_templates?status=paused&fields=name,quality_score`,
  );
  expect(json.data).toEqual([
    { id: expect.any(String), name: 'order', quality_score: { score: 'RED', date: expect.any(Number) } },
  ]);
  expect((await platform.call('GET', `${waba.id}/message_templates?name=none`)).json).toEqual({ data: [] });
});

test('deletion by name removes every language, with hsm_id only that template', async () => {
  const ids = [];
  for (const language of ['en_US', 'fr', 'hi']) ids.push((await create({ name: 'gone', language })).json.id);
  expect((await platform.call('DELETE', `${edge}?name=gone&hsm_id=${ids[0]}`)).json).toEqual({
    success: true,
  });
  expect((await platform.call('GET', ids[0])).json.error).toMatchObject({ code: 100, error_subcode: 33 });
  expect((await platform.call('GET', ids[1])).status).toBe(200);
  await platform.call('DELETE', `${edge}?name=gone`);
  expect((await platform.call('GET', ids[2])).json.error.code).toBe(100);
  expect((await platform.call('DELETE', `${edge}?name=gone`)).json.error.code).toBe(100);
  expect((await platform.call('DELETE', edge)).json.error.code).toBe(100);
});

test('a change of status, category and quality takes effect and posts three callbacks', async () => {
  const { id } = await platform.control.addTemplate({ ...plain, name: 'changing', category: 'UTILITY' });
  await platform.control.changeTemplate(id, { status: 'PAUSED', category: 'MARKETING', quality: 'RED' });
  expect((await updateOf('changing'))?.value).toMatchObject({
    event: 'PAUSED',
    other_info: { title: 'FIRST_PAUSE' },
  });
  expect((await updateOf('changing', 'template_category_update'))?.value).toMatchObject({
    previous_category: 'UTILITY',
    new_category: 'MARKETING',
  });
  expect((await updateOf('changing', 'message_template_quality_update'))?.value).toMatchObject({
    previous_quality_score: 'GREEN',
    new_quality_score: 'RED',
  });
  expect((await platform.call('GET', id)).json).toMatchObject({
    status: 'PAUSED',
    category: 'MARKETING',
    previous_category: 'UTILITY',
  });
  await platform.control.changeTemplate(id, { status: 'REINSTATED' });
  expect((await platform.call('GET', id)).json.status).toBe('APPROVED');
  await platform.control.changeTemplate(id, { status: 'FLAGGED' });
  expect((await platform.call('GET', id)).json.status).toBe('APPROVED');
});

test('reading a number returns only the requested fields', async () => {
  const { json } = await platform.call('GET', '222000222000222');
  expect(json).toEqual({
    id: '222000222000222',
    verified_name: 'Test',
    code_verification_status: 'VERIFIED',
    display_phone_number: '+91 22 5550 0100',
    quality_rating: 'GREEN',
    platform_type: 'CLOUD_API',
    throughput: { level: 'HIGH' },
  });
  expect((await platform.call('GET', '222000222000222?fields=quality_rating')).json).toEqual({
    id: '222000222000222',
    quality_rating: 'GREEN',
  });
  expect((await platform.call('GET', `${wabaId}/phone_numbers`)).json.data).toHaveLength(1);
});
