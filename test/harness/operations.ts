// All operations under /v1, from the OpenAPI document of the running gateway, each with a valid sample body.
import { randomUUID } from 'node:crypto';
import type { Gateway } from './gateway.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  additionalProperties?: boolean | Schema;
  maxItems?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  patternProperties?: Record<string, Schema>;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  examples?: unknown[];
  minimum?: number;
  format?: string;
  pattern?: string;
  minLength?: number;
  minItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
}

export interface Operation {
  method: string;
  /** The path with `{name}` for ids. */
  path: string;
  query: { name: string; required: boolean; schema: Schema }[];
  body: Schema | undefined;
  needsKey: boolean;
}

interface Described {
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** Reads the document. */
export async function operationsOf(gateway: Gateway): Promise<Operation[]> {
  const { text } = await gateway.call('GET', '/openapi.json');
  const { paths, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, Schema> };
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      query: parameters
        .filter((one) => one.in === 'query')
        .map(({ name, required = false, schema }) => ({ name, required, schema })),
      body: inlined(requestBody?.content['application/json']?.schema, components.schemas),
      needsKey: parameters.some((one) => one.name === 'Idempotency-Key'),
    })),
  );
}

/** Headers that the operation requires. */
export const headersFor = (operation: Operation, { url }: Gateway): Record<string, string> => ({
  ...(operation.needsKey ? { 'Idempotency-Key': randomUUID() } : {}),
  ...(/^\/v1\/session(?:\/link)?$/.test(operation.path)
    ? { Origin: url, 'X-Requested-With': 'chatbot-gateway' }
    : {}),
});

/** A schema with its references resolved, optional nulls as unions, and maps by the pattern of their keys. */
function inlined(schema: Schema | undefined, shared: Record<string, Schema>): Schema | undefined {
  if (!schema) return undefined;
  const { $ref, type, additionalProperties: values, ...rest } = schema;
  if ($ref) return inlined(shared[$ref.split('/').at(-1) ?? ''], shared);
  const [first, ...others] = [type ?? []].flat();
  if (others.length > 0) {
    const anyOf = [inlined({ ...schema, type: String(first) }, shared), { type: 'null' }];
    return { anyOf: anyOf as Schema[] };
  }
  const members = (record: Record<string, Schema> = {}) =>
    Object.fromEntries(Object.entries(record).map(([key, one]) => [key, inlined(one, shared) as Schema]));
  return {
    ...rest,
    ...(type === undefined ? {} : { type }),
    ...(rest.anyOf ? { anyOf: rest.anyOf.map((one) => inlined(one, shared) as Schema) } : {}),
    ...(rest.items ? { items: inlined(rest.items, shared) as Schema } : {}),
    ...(rest.properties ? { properties: members(rest.properties) } : {}),
    ...(typeof values === 'object' ? { patternProperties: members({ '^.*$': values }) } : {}),
    ...(typeof values === 'boolean' ? { additionalProperties: values } : {}),
  };
}

/** A valid value for the schema, with all optional members. */
export function sampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([key, one]) => [key, sampleOf(one)]));
  if (schema.examples?.length) return structuredClone(schema.examples[0]);
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0]);
  switch (schema.type) {
    case 'array':
      return schema.items ? Array(Math.max(1, schema.minItems ?? 1)).fill(sampleOf(schema.items)) : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'object':
      return {};
    default:
      return sampleText(schema);
  }
}

function sampleText({ format, pattern, minLength = 4 }: Schema): string {
  if (format === 'date-time') return '2027-01-01T00:00:00Z';
  if (format === 'idn-email') return 'ada@example.com';
  if (format === 'phone') return '15551234567';
  if (format === 'uri') return 'http://127.0.0.1:9/';
  if (pattern?.startsWith('^https://')) return 'https://example.com/file';
  return pattern?.includes('[0-9]') ? '1234567' : 'text'.padEnd(minLength, '.');
}

/** Every location in a sample body where a value can be replaced, up to six levels deep. */
export function placesIn(value: unknown, at: (string | number)[] = []): (string | number)[][] {
  if (value === null || typeof value !== 'object' || at.length === 6) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([key, member]) =>
      placesIn(member, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

/** A copy of `value` with `other` at a location. */
export function withAt(value: unknown, [first, ...rest]: (string | number)[], other: unknown): unknown {
  if (first === undefined) return other;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[first] = withAt(copy[first], rest, other);
  return copy;
}

/** An array or object of a body, and its location in the sample. */
export interface Container {
  at: (string | number)[];
  schema: Schema;
}

/** Every array, map and object of a schema, including those of unions. */
export function containersIn(schema: Schema, at: (string | number)[] = []): Container[] {
  const { anyOf = [], properties = {}, patternProperties = {}, items } = schema;
  return [
    ...(schema.type === 'array' || schema.type === 'object' ? [{ at, schema }] : []),
    ...anyOf.flatMap((one) => containersIn(one, at)),
    ...(items ? containersIn(items, [...at, 0]) : []),
    ...Object.entries(properties).flatMap(([key, one]) => containersIn(one, [...at, key])),
    ...Object.values(patternProperties).flatMap((one) => containersIn(one, [...at, '1'])),
  ];
}
