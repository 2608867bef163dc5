// The OpenAPI document for tests: validators of its bodies, compiled when first needed.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formats } from '../../src/http/formats.ts';

type Json = Record<string, unknown>;
interface Content {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}
export interface DocumentedResponse {
  $ref?: string;
  description: string;
  headers?: Record<string, Json>;
  content?: Record<string, Content>;
}
export interface DocumentedOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags: string[];
  parameters?: { name: string; in: string; required: boolean; description: string; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, DocumentedResponse>;
}
export interface InterfaceDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, { post: DocumentedOperation }>;
  components: {
    securitySchemes: object;
    schemas: Record<string, Json>;
    responses: Record<string, DocumentedResponse>;
    headers: Record<string, Json>;
    examples: Record<string, { summary: string; value: unknown }>;
  };
  security: object[];
  tags: { name: string }[];
}

/** The document without additional properties: a response must not have undocumented fields. */
function closed(value: unknown, isMember = false): unknown {
  if (Array.isArray(value)) return value.map((one) => closed(one));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  for (const [key, one] of Object.entries(value)) {
    if (key === 'example' || key === 'examples' || key === 'enum' || key === 'const') copy[key] = one;
    else if (key === 'allOf' && Array.isArray(one)) {
      // the parts of an allOf are closed together
      copy.allOf = one.map((part) => (part.$ref ? part : { ...(closed(part, true) as Json) }));
      copy.unevaluatedProperties = false;
    } else copy[key] = closed(one, key === 'properties');
  }
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined && !isMember)
    copy.additionalProperties = false;
  return copy;
}

const pointer = (...parts: string[]) =>
  `#/${parts
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/')}`;

/** Validators of the document's bodies. */
export function openInterface(document: InterfaceDocument) {
  const ajv = new Ajv2020({
    code: { optimize: false },
    strict: false,
    allErrors: false,
    validateSchema: false,
  });
  addFormats.default(ajv);
  for (const [name, problem] of Object.entries(formats))
    ajv.addFormat(name, (text) => problem(text) === undefined);
  ajv.addFormat('binary', true);
  const { paths, webhooks, components } = closed(document) as InterfaceDocument;
  for (const [, name = ''] of JSON.stringify(paths).matchAll(
    /"allOf":\[\{"\$ref":"#\/components\/schemas\/(\w+)"/g,
  ))
    delete components.schemas[name]?.additionalProperties;
  ajv.addSchema({ $id: 'document:', paths, webhooks, components } as Json, 'document:');
  const compiled = new Map<string, ValidateFunction>();

  function validator(...at: string[]): ValidateFunction {
    const $ref = `document:${pointer(...at)}`;
    const known = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, known);
    return known;
  }

  /** The problem of a body with the schema at a location of the document; undefined if it is valid. */
  function problemAt(at: string[], body: unknown): string | undefined {
    const validate = validator(...at);
    return validate(body) ? undefined : ajv.errorsText(validate.errors);
  }

  return { document, problemAt };
}

/** The location of a response's schema; undefined if its status or type is not documented. */
export function responsePlace(
  document: InterfaceDocument,
  [path, method]: [path: string, method: string],
  status: number,
): string[] | undefined {
  const response = document.paths[path]?.[method]?.responses[status];
  if (!response) return undefined;
  const base = response.$ref
    ? ['components', 'responses', response.$ref.split('/').at(-1) ?? '']
    : ['paths', path, method, 'responses', String(status)];
  return [...base, 'content', 'application/json', 'schema'];
}
