// The generator of the client's file: one type per shared schema, one method per operation. Pure.

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; in: string; required: boolean; description: string; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Json }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Json>;
    responses: Record<string, { content: Record<string, { schema: Json }> }>;
  };
}

const nameOf = ($ref: unknown): string => String($ref).split('/').at(-1) ?? '';
const comment = (text: unknown, indent = '') =>
  typeof text === 'string'
    ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n\n', ' ')} */\n`
    : '';

/** The TypeScript type of a schema. */
function typeOf(schema: Json, indent = ''): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.format === 'binary') return 'Blob';
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  for (const [key, sign] of [
    ['anyOf', ' | '],
    ['allOf', ' & '],
  ] as const) {
    const parts = schema[key];
    if (Array.isArray(parts)) return parts.map((one) => typeOf(one as Json, indent)).join(sign);
  }
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'array':
      return `Array<${typeOf(schema.items as Json, indent)}>`;
    case 'object':
      return objectType(schema, indent);
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

function objectType({ properties, required, additionalProperties: others }: Json, indent: string): string {
  const values = typeof others === 'object' && others !== null ? typeOf(others as Json, indent) : 'unknown';
  const members = Object.entries((properties ?? {}) as Record<string, Json>);
  if (members.length === 0) return `Record<string, ${values}>`;
  const needed = new Set((required ?? []) as string[]);
  const inner = `${indent}  `;
  const lines = members.map(
    ([name, one]) =>
      `${comment(one.description, inner)}${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${needed.has(name) ? '' : '?'}: ${typeOf(one, inner)};\n`,
  );
  const open = others === true ? `${inner}[other: string]: unknown;\n` : '';
  return `{\n${lines.join('')}${open}${indent}}`;
}

interface Described {
  operation: Operation;
  method: string;
  path: string;
}

/** `data` of the first success; undefined for a file. */
function dataOf({ responses }: Operation): Json | undefined {
  const content = responses['200']?.content?.['application/json'];
  return (content?.schema.properties as Record<string, Json> | undefined)?.data;
}

function itemOf(data: Json | undefined): Json | undefined {
  const { items, pagination } = (data?.properties ?? {}) as Record<string, Json>;
  return items && pagination ? (items.items as Json) : undefined;
}

const takesCsv = (body: Operation['requestBody']): boolean => 'text/csv' in (body?.content ?? {});

/** The type of a body. A CSV file is its text or a file. */
function bodyType(body: Operation['requestBody'], schema: Json): string {
  const types = [typeOf(schema, '      '), ...(takesCsv(body) ? ['string', 'Blob'] : [])];
  return [...new Set(types)].join(' | ');
}

function inputOf({ operation: { parameters = [], requestBody } }: Described): {
  type: string;
  needed: boolean;
} {
  const named = parameters.filter((one) => one.in !== 'header');
  const lines = named.map(
    ({ name, required, description, schema }) =>
      `${comment(description, '      ')}      ${name}${required ? '' : '?'}: ${typeOf(schema, '      ')};\n`,
  );
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  if (body) lines.push(`      body${requestBody?.required ? '' : '?'}: ${bodyType(requestBody, body)};\n`);
  const needed =
    named.some(({ required }) => required) || (body !== undefined && requestBody?.required === true);
  return { type: lines.length === 0 ? 'Record<never, never>' : `{\n${lines.join('')}    }`, needed };
}

function methodOf(described: Described): string {
  const { operation } = described;
  const { type, needed } = inputOf(described);
  const data = dataOf(operation);
  const item = itemOf(data);
  const pagination = nameOf(((data?.properties as Record<string, Json>)?.pagination as Json)?.$ref);
  const result = item
    ? `Pages<${typeOf(item, '  ')}, ${pagination}>`
    : `Promise<${data ? typeOf(data, '  ') : 'Response'}>`;
  const text = comment(`${operation.summary}. ${operation.description}`, '  ');
  return `${text}  ${operation.operationId}(\n    input${needed ? '' : '?'}: ${type},\n    options?: CallOptions,\n  ): ${result};\n`;
}

/** The codes that an operation can fail with. */
function codesOf({ responses }: Operation, document: Document): string[] {
  return Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([, response]) => {
      const { content } = response.$ref
        ? (document.components.responses[nameOf(response.$ref)] ?? { content: {} })
        : response;
      const [, own] = (content?.['application/json']?.schema.allOf ?? []) as Json[];
      return ((own?.properties as Record<string, Json> | undefined)?.code?.enum ?? []) as string[];
    });
}

/** The flag of a deletion that returns nothing but the id. */
function deletedFlag(operation: Operation, document: Document): string[] {
  const [only = '', ...others] = Object.keys(
    document.components.schemas[nameOf(dataOf(operation)?.$ref)]?.properties ?? {},
  );
  return /^_id$|Id$/.test(only) && others.length === 0 ? [`deleted:${only}`] : [];
}

/** Method, path and flags: `key` takes an Idempotency-Key, `form` is a multipart form, `csv` takes a CSV file, `file` returns a file, `list` is paged, `deleted:_id` deletes by id and returns only that. */
function entryOf({ operation, method, path }: Described, document: Document): string {
  const { parameters = [], requestBody } = operation;
  const flags = [
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['key'] : []),
    ...(requestBody && 'multipart/form-data' in requestBody.content ? ['form'] : []),
    ...(takesCsv(requestBody) ? ['csv'] : []),
    ...(dataOf(operation) ? [] : ['file']),
    ...(itemOf(dataOf(operation)) ? ['list'] : []),
    ...(method === 'delete' && path.endsWith('}') ? deletedFlag(operation, document) : []),
  ];
  return `  ${operation.operationId}: '${[method.toUpperCase(), path, ...flags].join(' ')}',\n`;
}

/** The text of the file. */
export function generatedClient(document: Document): string {
  const all: Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ operation, method, path })),
  );
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const events = Object.values(document.webhooks).map(({ post }) =>
    typeOf(post.requestBody?.content['application/json']?.schema ?? {}),
  );
  const codes = [...new Set(all.flatMap(({ operation }) => codesOf(operation, document)))].sort();
  const quoted = (list: string[]) => list.map((one) => `'${one}'`).join(' | ');
  const errors = all.map(
    ({ operation }) => `  ${operation.operationId}: ${quoted(codesOf(operation, document).sort())};\n`,
  );
  return `// Generated from the OpenAPI document by \`npm run client:types\`. Do not edit.
import type { CallOptions } from './client.ts';
import type { Pages } from './pages.ts';

${schemas.join('\n')}
/** The body of a webhook. */
export type WebhookEvent = ${events.join(' | ')};

/** Every error code of the API. */
export type ErrorCode = ${quoted(codes)};

/** The error codes of each operation. */
export interface OperationErrors {
${errors.join('')}}

/** Every operation of the API. */
export interface Operations {
${all.map(methodOf).join('\n')}}

/** Method, path and kind of each operation. */
export const operations = {
${all.map((one) => entryOf(one, document)).join('')}} as const;
`;
}
