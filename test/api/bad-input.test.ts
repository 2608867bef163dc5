// Invalid values in every field, query parameter and path of every operation: always a failure response that names the problem, never a 500.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestValidator } from '../../src/http/validation.ts';
import { type Answer, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { oddTexts, oddValues } from '../harness/odd-values.ts';
import {
  containersIn,
  headersFor,
  type Operation,
  operationsOf,
  placesIn,
  sampleOf,
  withAt,
} from '../harness/operations.ts';
import { counted, oversized } from '../harness/oversized.ts';

let gateway: Gateway;
let operations: Operation[];
let templateId: string;

beforeAll(async () => {
  gateway = await startGateway({ settings: { SEND_WAIT_SECONDS: '0', WEBHOOK_TIMEOUT_SECONDS: '1' } });
  const components = [{ type: 'BODY', text: 'Hi {{1}}, welcome.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  templateId = (await addSender(gateway, [{ name: 'hello', ...seed }])).templateIds.hello as string;
  operations = await operationsOf(gateway);
});
afterAll(() => gateway?.close());

/** The problems of a response: a 5xx, leaked internals, or a failure in another form. */
function wrongWith(answer: Answer): string | undefined {
  if (answer.status === 500 || answer.status > 503) return `status ${answer.status}`;
  if (/node_modules|\.ts:\d|\bat async\b/.test(answer.text)) return 'shows our inside';
  if (answer.status < 400) return undefined;
  const { success, message, code } = answer.body ?? {};
  return success === false && message && code ? undefined : 'not in the failure form';
}

const keyHeader = (operation: Operation) => headersFor(operation, gateway);
const pathOf = (operation: Operation, id = '019a0b5e-7c00-7000-8000-000000000000') =>
  operation.path.replace(/\{\w+\}/g, id);

async function findings(
  requests: { operation: Operation; path: string; body?: unknown; note: string }[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { operation, path, body, note } of requests) {
    const answer = await gateway.call(operation.method, path, { body, headers: keyHeader(operation) });
    const wrong = wrongWith(answer);
    if (wrong) found.push(`${operation.method} ${path} ${note}: ${wrong} ${answer.text.slice(0, 200)}`);
  }
  return found;
}

test('wrong values at every location of every body get a 4xx failure', { timeout: 120_000 }, async () => {
  const compile = requestValidator();
  let bodies = 0;
  const requests = operations.flatMap((operation) => {
    if (!operation.body) return [];
    const { body: schema, method, path: url } = operation;
    const validate = compile({ schema, httpPart: 'body', method, url });
    const sample = sampleOf(schema);
    return placesIn(sample).flatMap((where, at) =>
      oddValues.flatMap((odd, kind) => {
        const body = JSON.stringify(withAt(sample, where, odd));
        const result = validate(JSON.parse(body)) as true | { error: { length: number } };
        bodies += 1;
        // sent if more than the schema must reject it; of the others, each value at one place and one value at each place
        if (result !== true && result.error.length > 0 && at > 0 && at % oddValues.length !== kind) return [];
        const note = `${where.join('.')} = ${JSON.stringify(odd)?.slice(0, 40)}`;
        return [{ operation, path: pathOf(operation), body, note }];
      }),
    );
  });
  expect(bodies).toBeGreaterThan(5_000);
  expect(requests.length).toBeGreaterThan(1_000);
  expect(await findings(requests)).toEqual([]);
});

test('malformed, repeated and unknown query parameters of every operation get a 4xx failure', {
  timeout: 60_000,
}, async () => {
  const requests = operations.flatMap((operation) =>
    operation.query.flatMap(({ name }) =>
      [...oddTexts.map((text) => `${name}=${text}`), `${name}=1&${name}=2`].map((query) => ({
        operation,
        path: `${pathOf(operation)}?${query}`,
        note: '',
      })),
    ),
  );
  expect(requests.length).toBeGreaterThan(300);
  expect(await findings(requests)).toEqual([]);
  for (const operation of operations) {
    // no key has its scope
    if (operation.path === '/v1/operator/health') continue;
    const sample = operation.body && sampleOf(operation.body);
    const answer = await gateway.call(operation.method, `${pathOf(operation)}?misspelt=1`, {
      body: sample,
      headers: keyHeader(operation),
    });
    expect([operation.path, answer.status]).toEqual([operation.path, expect.toBeOneOf([400, 415])]);
    if (answer.status === 400) expect(answer.text).toContain('misspelt');
  }
});

test('every operation with a body rejects an unknown field', async () => {
  for (const operation of operations) {
    if (!operation.body || operation.path.endsWith('/recipients')) continue; // streamed after the send is found
    const sample = sampleOf(operation.body);
    const where = Array.isArray(sample) ? [0, 'misspelt'] : ['misspelt'];
    const body = withAt(sample, where, 1);
    const answer = await gateway.call(operation.method, pathOf(operation), {
      body,
      headers: keyHeader(operation),
    });
    expect([operation.path, answer.status, answer.text]).toEqual([
      operation.path,
      400,
      expect.stringContaining('misspelt'),
    ]);
  }
});

test('a body with far too many items or members gets at most 100 errors and 100 KB', {
  timeout: 60_000,
}, async () => {
  let truncated = 0;
  const wrong: string[] = [];
  for (const operation of operations.filter(({ body }) => body)) {
    const sample = sampleOf(operation.body ?? {}) as Record<string, unknown>;
    // an existing one, so that later checks are reached
    if ('templateId' in sample) sample.templateId = templateId;
    for (const container of containersIn(operation.body ?? {}))
      for (const value of oversized(container)) {
        const answer = await gateway.call(operation.method, pathOf(operation), {
          body: withAt(sample, container.at, value),
          headers: keyHeader(operation),
        });
        const {
          errors = [],
          errorsTruncated = false,
          message,
        } = answer.body as Answer['body'] & {
          errorsTruncated?: boolean;
        };
        if (errorsTruncated) truncated += 1;
        const isBounded =
          errors.length <= 100 &&
          Buffer.byteLength(answer.text) <= 100_000 &&
          errorsTruncated === (/more than \d+ others/.test(message) && errors.length > 0);
        if (!isBounded || wrongWith(answer) !== undefined)
          wrong.push(
            `${operation.method} ${operation.path} ${container.at.join('.')}: ${answer.text.slice(0, 300)}`,
          );
      }
  }
  expect(wrong).toEqual([]);
  expect(truncated).toBeGreaterThan(10);
});

test('reads no item of an array that is too long, and a limited number of invalid items', () => {
  const compile = requestValidator();
  let arrays = 0;
  for (const { body, path } of operations) {
    if (!body) continue;
    const validate = compile({ schema: body, httpPart: 'body', method: 'POST', url: path });
    for (const { at, schema } of containersIn(body).filter((one) => one.schema.type === 'array')) {
      arrays += 1;
      const lengths: [number, number][] = [
        [300_000, 0],
        [schema.maxItems ?? 300_000, 500],
      ];
      for (const [length, most] of lengths) {
        const reads = { count: 0 };
        const items = counted(length, { no: ['such', 'item'] }, reads);
        const holder: unknown = at.length === 0 ? items : withAt(sampleOf(body), at, 'here');
        const parent = at.slice(0, -1).reduce((value, key) => (value as never)[key] as unknown, holder);
        if (at.length > 0) (parent as Record<string | number, unknown>)[at.at(-1) ?? ''] = items;
        const { error } = validate(holder) as { error: { length: number } };
        const where = `${path} ${at.join('.')} ${length}`;
        expect([where, error.length > 0 && error.length <= 101]).toEqual([where, true]);
        expect([where, reads.count <= most]).toEqual([where, true]);
      }
    }
  }
  expect(arrays).toBeGreaterThan(8);
});

test('every array and map of a body has a maximum size, and uniqueness is only required of scalars', () => {
  for (const { body, path } of operations)
    for (const { at, schema } of containersIn(body ?? {})) {
      const where = `${path} ${at.join('.')}`;
      if (schema.type === 'array') expect([where, schema.maxItems]).toEqual([where, expect.any(Number)]);
      if (schema.patternProperties)
        expect([where, schema.maxProperties]).toEqual([where, expect.any(Number)]);
      if (schema.uniqueItems) expect([where, schema.items?.type]).toEqual([where, 'string']);
    }
});

test('rejects extremely deep nesting in any field, with and without an API key', async () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  for (const levels of [70, 5_000, 100_000]) {
    const send = `{"templateId":"${templateId}","recipients":[{"phone":"15550100001","variables":{"1":${deep(levels)}}}]}`;
    for (const headers of [{}, { 'Idempotency-Key': randomUUID() }]) {
      const answer = await gateway.call('POST', '/v1/templates/send', { body: send, headers });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    }
    const draft = `{"providerTemplateName":"deep","language":"en","category":"UTILITY","components":[{"type":"BODY","text":"x","y":${deep(levels)}}]}`;
    const answer = await gateway.call('POST', '/v1/templates', { body: draft });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('nested deeper')]);
  }
});

test('rejects a draft with parts of the wrong kind and names them', async () => {
  const body = { type: 'BODY', text: 'Hello there.' };
  const carousel = (...cards: unknown[]) => ({ type: 'CAROUSEL', cards });
  const card = (...components: unknown[]) => ({ components });
  const links = (...buttons: unknown[]) => ({ type: 'BUTTONS', buttons });
  const inCarousel = 'components[1].cards[0]';
  const odd: [object[], string][] = [
    [[{ type: 'BODY', text: 5 }], 'components[0].text'],
    [[body, { type: 'BUTTONS', buttons: 'x' }], 'components[1].buttons'],
    [[body, { type: 'BUTTONS', buttons: [null] }], 'components[1].buttons[0]'],
    [[body, { type: 'BUTTONS', buttons: [{}] }], 'components[1].buttons[0].type'],
    [[body, { type: 'BUTTONS', buttons: [{ type: 'URL', url: 5 }] }], 'components[1].buttons[0].url'],
    [[body, { type: 'HEADER', format: 5 }], 'components[1].format'],
    [[{ ...body, example: 5 }], 'components[0].example'],
    [[body, { type: 'CAROUSEL', cards: 'x' }], 'components[1].cards'],
    [[body, carousel(null)], inCarousel],
    [[body, carousel({})], `${inCarousel}.components`],
    [[body, carousel(card(null))], `${inCarousel}.components[0]`],
    [[body, carousel(card({ ...body, text: 5 }))], `${inCarousel}.components[0].text`],
    [[body, carousel(card(links(null)))], `${inCarousel}.components[0].buttons[0]`],
    [[body, carousel(card(links({ type: 'URL', url: [] })))], `${inCarousel}.components[0].buttons[0].url`],
  ];
  for (const [components, path] of odd) {
    const answer = await gateway.call('POST', '/v1/templates', {
      body: { providerTemplateName: 'odd', language: 'en', category: 'UTILITY', components },
    });
    expect([answer.status, answer.body.errors?.map((problem) => problem.path)]).toEqual([400, [path]]);
  }
  const withOddSample = await gateway.call('POST', '/v1/templates', {
    body: {
      providerTemplateName: 'odd_sample',
      language: 'en',
      category: 'UTILITY',
      components: [{ ...body, text: 'Hi {{name}}!', example: { body_text_named_params: [null] } }],
    },
  });
  expect([withOddSample.status, withOddSample.body.errors?.at(-1)?.path]).toEqual([
    400,
    'components[0].example.body_text_named_params',
  ]);
});

test('rejects an access token that is not valid in a header, before any call', async () => {
  const { _id } = (await gateway.call<{ items: { _id: string }[] }>('GET', '/v1/senders')).body.data
    .items[0] as { _id: string };
  for (const accessToken of ['a\r\nX-Evil: 1', 'ключ', 'a b', '\t']) {
    const answer = await gateway.call('PATCH', `/v1/senders/${_id}`, { body: { accessToken } });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'accessToken']);
    expect(answer.text).not.toContain(JSON.stringify(accessToken).slice(1, -1));
  }
});

test('rejects metadata keys that a response would omit', async () => {
  const recipients = [{ phone: '15550100001', variables: { '1': 'Ada' } }];
  for (const metadata of [
    { 'a\nb': 5 },
    { 'a\nb': 'x' },
    { '\u2028': 'x' },
    { '': 'x' },
    { ['k'.repeat(65)]: 'x' },
  ]) {
    const answer = await gateway.call('POST', '/v1/templates/send', {
      body: { templateId, recipients, metadata },
    });
    expect([answer.status, answer.body.errors?.map((problem) => problem.path)]).toEqual([400, ['metadata']]);
  }
});

test('a time before the epoch as from lists everything, and as to lists nothing', async () => {
  await gateway.call('POST', '/v1/templates/send', {
    body: { templateId, recipients: [{ phone: '15550100007', variables: { '1': 'Ada' } }] },
  });
  const endpoint = await gateway.call<{ _id: string }>('POST', '/v1/webhooks/endpoints', {
    body: { url: gateway.receiver.hookUrl('early') },
  });
  await gateway.call('POST', `/v1/webhooks/endpoints/${endpoint.body.data._id}/test`);
  for (const path of ['/v1/messages', '/v1/webhooks/deliveries']) {
    const list = async (query: string) =>
      (await gateway.call<{ items: unknown[] }>('GET', `${path}?${query}`)).body.data.items.length;
    expect(await list('from=0001-01-01T00:00:00Z')).toBeGreaterThan(0);
    expect(await list('to=0001-01-01T00:00:00Z')).toBe(0);
  }
});
