// Reading JSON bodies.
import { AppError } from '../base/errors.ts';
import { shapeProblem } from './json-shape.ts';
import type { Server } from './request.ts';

/** JSON alone is read; an empty body is none, so that operations without required fields need not be sent `{}`. */
export function readJson(server: Server): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    const problem = shapeProblem(text);
    if (problem) {
      done(
        new AppError('invalid_request', `The body ${problem}.`, { errors: [{ path: '', message: problem }] }),
      );
    } else if (text === '') done(null, undefined);
    else parse(request, text, done);
  });
}
