// The log line of a request: who, from where, what it was about, and how it ended. No text of the caller but its checked id.
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../base/ids.ts';

/** The field for the object that a path names, by the segment before `:id`. */
const fieldBySegment: Record<string, string> = {
  bookings: 'bookingId',
  contacts: 'contactId',
  deliveries: 'deliveryId',
  endpoints: 'endpointId',
  media: 'mediaId',
  messages: 'messageId',
  senders: 'senderId',
  sends: 'sendId',
  templates: 'templateId',
  users: 'staffId',
};

/** The id in a field near the beginning of a JSON response that was stored as text. */
export const idInBody = (body: string, field: string): string | undefined =>
  new RegExp(`"${field}":"([\\da-f-]{36})"`).exec(body.slice(0, 500))?.[1];

/** The log field of the object in a route's path, such as `bookingId`; undefined if the path has none. */
export function subjectField(url: string): string | undefined {
  const segments = url.split('/');
  const at = segments.findIndex((segment) => segment.startsWith(':'));
  return at < 1 ? undefined : (fieldBySegment[segments[at - 1] ?? ''] ?? 'subjectId');
}

/** The object of the request: the one that it made, or the one that its path names, if that is an id. */
function subjectOf({ subjectId, routeOptions: { config }, params }: FastifyRequest): Record<string, string> {
  if (config.subject === undefined) return {};
  const id = subjectId ?? Object.values((params ?? {}) as Record<string, string>)[0];
  return id !== undefined && isUuid(id) ? { [config.subject]: id } : {};
}

/** The line of a finished request. `address` is the client's, as far as trusted proxies report it. */
export function requestLine(request: FastifyRequest, reply: FastifyReply): Record<string, unknown> {
  const { caller, errorCode: code, ip } = request;
  return {
    reqId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    // X-Forwarded-For may contain any text
    address: isIP(ip) === 0 ? 'invalid' : ip,
    ...(caller ? { accountId: caller.accountId, [`${caller.kind}Id`]: caller.id } : {}),
    ...subjectOf(request),
    ...(code === undefined ? {} : { code }),
  };
}
