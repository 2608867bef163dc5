// The parser of JSON request bodies.
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { AppError, invalidRequest, listedProblemsMax } from '../base/errors.ts';
import { jsonLimitProblem } from './json-limits.ts';
import type { Server } from './request.ts';

/** Accepts only JSON. An empty body counts as absent, so operations without required fields do not need `{}`. */
export function readJson(server: Server): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // decoding would replace invalid bytes: Latin-1 names would be stored and sent garbled
    if (!isUtf8(body as Buffer)) {
      done(new AppError('malformed_json', 'The body is not valid UTF-8. Send one JSON object in UTF-8.'));
      return;
    }
    const text = (body as Buffer).toString();
    const problem = jsonLimitProblem(text);
    if (problem) {
      done(
        new AppError('invalid_request', `The body ${problem}.`, { errors: [{ path: '', message: problem }] }),
      );
    } else if (text === '') done(null, undefined);
    else
      parse(request, text, (error, value) =>
        error && isJson(text) ? done(dangerousKey()) : done(error, value),
      );
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** The parser rejects keys that would change the prototype of objects to which they are copied. */
const dangerousKey = () =>
  invalidRequest([
    {
      path: '',
      message: 'has a key `__proto__`, or `constructor` with `prototype`; no field has such a name',
    },
  ]);

/** The 400 for fields in the body of an operation that takes none; undefined: there are none. */
export function unexpectedFields({ body, headers, routeOptions }: FastifyRequest): AppError | undefined {
  const isJson = headers['content-type']?.toLowerCase().startsWith('application/json') === true;
  if (!isJson || routeOptions.schema?.body || typeof body !== 'object' || body === null) return undefined;
  const fields = Object.keys(body).slice(0, listedProblemsMax);
  const message = 'is not allowed: this operation takes no body';
  return fields.length === 0 ? undefined : invalidRequest(fields.map((path) => ({ path, message })));
}

/** The 415 for a compressed body, which no operation takes; undefined for others. */
export function compressedBody({ method, headers }: FastifyRequest): AppError | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  if (method === 'GET' || method === 'HEAD') return undefined;
  return new AppError(
    'unsupported_media_type',
    'The request has the header Content-Encoding, but compressed bodies are not accepted. Send the body uncompressed, without this header.',
  );
}
