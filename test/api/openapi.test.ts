// The OpenAPI document: accepted by a linter, complete, and with valid examples.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopes } from '../../src/contract/envelope.ts';
import { type ErrorCode, errorCodes } from '../../src/contract/error-codes.ts';
import { operations as described, tags } from '../../src/contract/operations.ts';
import { httpStatus } from '../../src/http/reply.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import {
  type DocumentedOperation,
  type DocumentedResponse,
  type InterfaceDocument,
  openInterface,
} from '../harness/interface-document.ts';

type Json = Record<string, unknown>;
let gateway: Gateway;
let text: string;
let document: InterfaceDocument;
let operations: { where: string; path: string; method: string; operation: DocumentedOperation }[];

beforeAll(async () => {
  gateway = await startGateway();
  ({ text } = await gateway.call('GET', '/openapi.json', { key: null }));
  document = JSON.parse(text);
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      where: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  );
});
afterAll(() => gateway?.close());

test('Redocly finds nothing', { timeout: 60_000 }, async () => {
  // fixed segments take precedence: `/v1/messages/received/{id}` is not `/v1/messages/{id}/resend`
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
  const found = await lintFromString({ source: text, config });
  expect(
    found.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer} ${message}`),
  ).toEqual([]);
});

test('every operation has a unique id, one of the tags, texts and a scope', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(document.tags).toEqual(tags);
  for (const { where, operation } of operations) {
    expect(operation.operationId, where).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    expect(operation.tags, where).toHaveLength(1);
    expect(
      tags.map(({ name }) => name),
      where,
    ).toContain(operation.tags[0]);
    expect(operation.summary, where).toMatch(/^[A-Z].*[^.]$/);
    const [, scope] = /Scope: `?([a-z:]+)/.exec(operation.description ?? '') ?? [];
    if (/^POST \/v1\/session(?:\/link)?$/.test(where)) expect(operation).toMatchObject({ security: [] });
    else expect([...scopes, 'operator', 'any'], where).toContain(scope);
  }
  expect(operations.map(({ where }) => where).sort()).toEqual(Object.keys(described).sort());
});

test('every parameter, property and shared schema has a description', () => {
  const missing: string[] = [];
  const walk = (schema: Json, at: string) => {
    for (const [name, one] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
      const isReference = '$ref' in one || (one.anyOf as Json[] | undefined)?.some((part) => '$ref' in part);
      if (!one.description && !isReference) missing.push(`${at}.${name}`);
      walk(one, `${at}.${name}`);
    }
    for (const key of ['items', 'additionalProperties'])
      if (typeof schema[key] === 'object') walk(schema[key] as Json, `${at}.${key}`);
    for (const part of [...((schema.anyOf ?? []) as Json[]), ...((schema.allOf ?? []) as Json[])])
      walk(part, at);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!schema.description) missing.push(name);
    walk(schema, name);
  }
  for (const { where, operation } of operations) {
    for (const { name, description } of operation.parameters ?? [])
      if (!description) missing.push(`${where} parameter ${name}`);
    for (const { schema, at } of bodies(operation)) walk(schema, `${where} ${at}`);
  }
  expect(missing).toEqual([]);
});

test('a null is beside an enumeration, and a failure has no members of any name: generators stumble over both', () => {
  const text = JSON.stringify(document);
  const enumerations = [...text.matchAll(/"enum":(\[[^\]]*\])/g)].map(([, list = '[]']) => JSON.parse(list));
  expect(enumerations.length).toBeGreaterThan(100);
  expect(enumerations.filter((list) => list.includes(null))).toEqual([]);
  const { Failure, Delivery } = document.components.schemas as Record<string, Json & { properties: Json }>;
  expect(Failure).not.toHaveProperty('additionalProperties');
  expect(Delivery?.properties.lastFailure).toMatchObject({ anyOf: [{ type: 'string' }, { type: 'null' }] });
});

function bodies(operation: DocumentedOperation): { schema: Json; at: string; type: string }[] {
  const content = [
    ['request', operation.requestBody?.content] as const,
    ...Object.entries(operation.responses).map(([status, one]) => [status, one.content] as const),
  ];
  return content.flatMap(([at, types]) =>
    Object.entries(types ?? {}).map(([type, { schema }]) => ({ schema, at, type })),
  );
}

/** A response, or the shared one that it refers to. */
const resolved = (response: DocumentedResponse): DocumentedResponse =>
  response.$ref
    ? (document.components.responses[response.$ref.split('/').at(-1) ?? ''] as DocumentedResponse)
    : response;

test('every JSON body has an example that its schema accepts', () => {
  const { problemAt } = openInterface(document);
  const check = (content: DocumentedResponse['content'], base: string[]) => {
    const json = content?.['application/json'];
    if (!json) return;
    const examples = Object.values(json.examples ?? {}).map(
      ({ $ref = '' }) => document.components.examples[$ref.split('/').at(-1) ?? '']?.value,
    );
    const all = json.example === undefined ? examples : [json.example, ...examples];
    expect(all.length, base.join(' ')).toBeGreaterThan(0);
    for (const example of all)
      expect(
        problemAt([...base, 'content', 'application/json', 'schema'], example),
        base.join(' '),
      ).toBeUndefined();
  };
  for (const { path, method, operation } of operations) {
    check(operation.requestBody?.content, ['paths', path, method, 'requestBody']);
    for (const [status, response] of Object.entries(operation.responses))
      if (!response.$ref) check(response.content, ['paths', path, method, 'responses', status]);
  }
  for (const [name, response] of Object.entries(document.components.responses))
    check(response.content, ['components', 'responses', name]);
  for (const [kind, { post }] of Object.entries(document.webhooks))
    check(post.requestBody?.content, ['webhooks', kind, 'post', 'requestBody']);
  for (const [name, schema] of Object.entries(document.components.schemas))
    for (const example of (schema.examples ?? []) as unknown[])
      expect(problemAt(['components', 'schemas', name], example), name).toBeUndefined();
});

test('every operation lists its failures with their codes and headers', () => {
  const used = new Set<string>();
  for (const { where, method, operation } of operations) {
    const expected = [200, 400, 403, 405, 408, 409, 421, 429, 431, 500, 503, 507];
    // nobody has to be signed in to look at a link
    if (where !== 'POST /v1/session/link') expected.push(401);
    if (method !== 'get') expected.push(413, 415);
    expect(Object.keys(operation.responses), where).toEqual(expect.arrayContaining(expected.map(String)));
    for (const [status, response] of Object.entries(operation.responses)) {
      const { description, headers = {}, content } = resolved(response);
      expect(description, where).toMatch(/\w/);
      expect(headers, `${where} ${status}`).toHaveProperty('X-Request-Id');
      if (status === '429') expect(headers).toHaveProperty('Retry-After');
      if (status === '405') expect(headers).toHaveProperty('Allow');
      if (status.startsWith('2')) continue;
      const parts = content?.['application/json']?.schema.allOf ?? [];
      const [, own] = parts as { properties: { code: { enum: string[] } } }[];
      const codes = own?.properties.code.enum ?? [];
      expect(codes.length, `${where} ${status}`).toBeGreaterThan(0);
      expect(
        codes.map((code) => httpStatus(code)),
        where,
      ).toEqual(codes.map(() => Number(status)));
      for (const code of codes) used.add(code);
    }
  }
  const elsewhere = ['signature_invalid', 'too_many_callbacks', 'not_ready'];
  expect([...used, ...elsewhere].sort()).toEqual((Object.keys(errorCodes) as ErrorCode[]).sort());
});

test('variables and metadata are maps of strings', () => {
  const { Recipient } = document.components.schemas as Record<string, { properties: Record<string, Json> }>;
  expect(Recipient?.properties.variables?.additionalProperties).toEqual({ type: 'string' });
  expect(Recipient?.properties.metadata?.additionalProperties).toMatchObject({ type: 'string' });
});

test('a body is optional only where the operation has a meaning without it', () => {
  const optional = operations.filter(({ operation }) => operation.requestBody?.required === false);
  expect(optional.map(({ where }) => where).sort()).toEqual([
    'POST /v1/appointments/bookings/{id}/cancel',
    'POST /v1/dashboard-links',
    'POST /v1/keys/{id}/rotate',
    'POST /v1/messages/received/{id}/read',
    'POST /v1/messages/{id}/resend',
    'POST /v1/templates/{templateId}/preview',
    'POST /v1/webhooks/endpoints/{id}/rotate-secret',
  ]);
});

test('every operation that reads an Idempotency-Key has it as a parameter', () => {
  const keys = operations.flatMap(({ where, operation }) =>
    (operation.parameters ?? [])
      .filter(({ name }) => name === 'Idempotency-Key')
      .map(({ required }) => [where, required]),
  );
  expect(Object.fromEntries(keys)).toEqual({
    'POST /v1/appointments/book': true,
    'POST /v1/appointments/bookings/{id}/cancel': false,
    'POST /v1/appointments/bookings/{id}/reschedule': false,
    'POST /v1/messages/reply': false,
    'POST /v1/messages/{id}/resend': false,
    'POST /v1/sends': false,
    'POST /v1/templates/media': false,
    'POST /v1/templates/send': false,
  });
});

test('files and streams have their media type, and the headers that they take and have', () => {
  const of = (where: string) => {
    const operation = operations.find((one) => one.where === where)?.operation as DocumentedOperation;
    const { content = {}, headers = {} } = operation.responses['200'] as DocumentedResponse;
    const taken = (operation.parameters ?? []).filter((one) => one.in === 'header').map(({ name }) => name);
    return [Object.keys(content).join(), 'Content-Disposition' in headers, taken.join()];
  };
  expect(of('GET /v1/events/stream')).toEqual(['text/event-stream', false, 'Last-Event-ID']);
  expect(of('GET /v1/opt-outs.csv')).toEqual(['text/csv', true, '']);
  expect(of('GET /v1/messages.csv')).toEqual(['text/csv', true, '']);
  expect(of('GET /v1/sends/{sendId}/recipients.csv')).toEqual(['text/csv', true, '']);
  expect(of('GET /v1/media/{mediaId}/content')).toEqual(['*/*', true, '']);
});
