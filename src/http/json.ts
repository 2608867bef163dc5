// The parser of JSON request bodies.
import { AppError } from '../base/errors.ts';
import { jsonLimitProblem } from './json-limits.ts';
import type { Server } from './request.ts';

/** Accepts only JSON. An empty body counts as absent, so operations without required fields do not need `{}`. */
export function readJson(server: Server): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    const problem = jsonLimitProblem(text);
    if (problem) {
      done(
        new AppError('invalid_request', `The body ${problem}.`, { errors: [{ path: '', message: problem }] }),
      );
    } else if (text === '') done(null, undefined);
    else parse(request, text, done);
  });
}
