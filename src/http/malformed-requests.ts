// Responses to malformed URLs and bytes, which reach no route, in the usual failure form.
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';
import { uuidv7 } from '../base/ids.ts';
import { sendFailure, setCommonHeaders } from './reply.ts';
import type { Server } from './request.ts';

/** 404 for a path that is not a valid URL or has a segment longer than any id. */
function rejectMalformedUrl(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  setCommonHeaders(request, reply);
  sendFailure(new AppError('not_found', 'This path does not exist. See /docs.'), request, reply);
}

/**
 * 400 for a request of HTTP/1.1 without a Host header, which Node itself would reject without a body, and for one with several
 * (RFC 9112 section 3.2), of which a proxy may have read another one.
 */
export function hostProblem({ raw }: FastifyRequest): AppError | undefined {
  if (raw.headers.host === undefined)
    return raw.httpVersion === '1.1'
      ? new AppError('invalid_request', 'The Host header is missing, which HTTP/1.1 requires. Send it.')
      : undefined;
  if (countHosts(raw.rawHeaders) === 1) return undefined;
  return new AppError('invalid_request', 'The request has more than one Host header. Send exactly one.');
}

/** `headersDistinct` would copy every header. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Ignores expectations other than 100-continue (RFC 9110 section 10.1.1), which Node would reject without a body. */
export function ignoreExpectations({ server }: Server): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
}

const clientErrors: Record<string, [status: string, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    // the default of Node
    'The headers are larger than 16 KB together. Send fewer or shorter ones.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request_timeout',
    'The request did not arrive in time. Send it again.',
  ],
};

/** Responds to bytes that are not an HTTP request, on the socket, because there is no request object. */
function rejectMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, message] = clientErrors[error.code ?? ''] ?? [
    '400 Bad Request',
    'invalid_request',
    'The request is not valid HTTP.',
  ];
  const requestId = uuidv7();
  const body = JSON.stringify({ success: false, message, code, requestId });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\n` +
      `Cache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** The server's handlers of what reaches no route. */
export const malformedRequests = {
  frameworkErrors: rejectMalformedUrl,
  clientErrorHandler: rejectMalformedRequest,
};
