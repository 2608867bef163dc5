// Validation of every gateway response that a test gets by `fetch`, against the gateway's OpenAPI document.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, expect, inject } from 'vitest';
import type { InterfaceDocument, openInterface } from './interface-document.ts';

/** `fetch` without the checks: this file is evaluated for each test file, and files share a worker. */
interface CheckedFetch {
  (...args: Parameters<typeof fetch>): ReturnType<typeof fetch>;
  plain?: typeof fetch;
}
const plainFetch = (globalThis.fetch as CheckedFetch).plain ?? globalThis.fetch;
/** One document for the whole run, written by the first test file that needs it. */
const cachePath = inject('interfaceDocumentPath');
let opened: ReturnType<typeof openInterface> | undefined;
const problems: string[] = [];

let loaded: typeof import('./interface-document.ts') | undefined;
/** The checks, for which a file without responses has no use. An import for each response would ask the test runner each time. */
const checks = async () => {
  loaded ??= await import('./interface-document.ts');
  return loaded;
};

/** The document; undefined if the gateway has none, like a worker or a stopping process. */
async function interfaceOf(origin: string): Promise<typeof opened> {
  if (opened) return opened;
  const text = existsSync(cachePath) ? readFileSync(cachePath, 'utf8') : await fetched(origin);
  if (text === undefined) return undefined;
  const { openInterface } = await checks();
  opened ??= openInterface(JSON.parse(text));
  return opened;
}

async function fetched(origin: string): Promise<string | undefined> {
  const response = await plainFetch(`${origin}/openapi.json`).catch(() => undefined);
  const text = await response?.text();
  if (!text?.includes('"/v1/templates"')) return undefined;
  // renamed when it is complete, because other test files read it at any time
  const part = `${cachePath}.${process.pid}`;
  writeFileSync(part, text);
  renameSync(part, cachePath);
  return text;
}

/** The document's path that matches a literal path; paths without parameters take precedence. */
function documentedPath(document: InterfaceDocument, path: string): string | undefined {
  if (document.paths[path]) return path;
  const parts = path.split('/');
  return Object.keys(document.paths).find((one) => {
    const known = one.split('/');
    return (
      known.length === parts.length &&
      known.every((part, index) => part.startsWith('{') || part === parts[index])
    );
  });
}

async function check(method: string, url: URL, response: Response): Promise<void> {
  const found = await interfaceOf(url.origin);
  if (!found) return;
  const { responsePlace } = await checks();
  const { document, problemAt } = found;
  const path = documentedPath(document, url.pathname);
  const known = path === undefined ? undefined : document.paths[path];
  if (path === undefined || !known?.[method]) return;
  const { status } = response;
  const where = `${method.toUpperCase()} ${path} → ${status}`;
  const place = responsePlace(document, [path, method], status);
  if (!place) return void problems.push(`${where}: the status is not documented`);
  if (!response.headers.get('content-type')?.includes('json')) return;
  const text = await response.text();
  const problem = problemAt(place, JSON.parse(text));
  if (problem) problems.push(`${where}: ${problem}: ${text.slice(0, 300)}`);
}

const checkedFetch: CheckedFetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const url = new URL(response.url || String(input));
  if (!url.pathname.startsWith('/v1/') || !response.headers.has('x-request-id')) return response;
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toLowerCase();
  const type = response.headers.get('content-type');
  if (method !== 'head' && type?.includes('json')) await check(method, url, response.clone());
  return response;
};
checkedFetch.plain = plainFetch;
globalThis.fetch = checkedFetch;

const noProblem = () => {
  expect(problems.splice(0), 'responses that the OpenAPI document does not allow').toEqual([]);
};
// fails the test that got the response, or the file for responses after the last test
afterEach(noProblem);
afterAll(noProblem);
