// Routes of sessions.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError, invalidRequest } from '../base/errors.ts';
import { Deleted, page, pageProperties, success } from '../contract/envelope.ts';
import {
  CurrentCaller,
  EndedSession,
  LinkToken,
  OfferedLinkItem,
  SessionItem,
  SignInBody,
} from '../contract/sessions.ts';
import { limitBodyTime } from '../http/close-unread.ts';
import { pageOf, pageWindow } from '../http/paging.ts';
import { ok } from '../http/reply.ts';
import type { Caller, Server } from '../http/request.ts';
import {
  type BrowserOrigins,
  removedCookie,
  requireHost,
  requireOrigin,
  sessionCookie,
  sessionTokenOf,
} from '../http/session-cookie.ts';
import type { Admission } from './admit.ts';
import {
  describeLink,
  endSession,
  type SessionsDeps,
  sessionSeconds,
  signInWithKey,
  signInWithLink,
} from './sessions.ts';
import { findSessionById, listSessions, type SessionRow } from './sessions-store.ts';
import { findAccount } from './store.ts';

export interface SessionRoutesDeps extends SessionsDeps {
  browserOrigins: () => BrowserOrigins;
}

const SessionParams = Type.Object({ id: Type.String() }, { additionalProperties: false });
const signInMaxBytes = 4_096;

/** POST, GET and DELETE /v1/session, POST /v1/session/link, GET /v1/sessions, DELETE /v1/sessions/:id. */
export function sessionRoutes(server: Server, deps: SessionRoutesDeps, admission: Admission): void {
  signInRoute(server, deps, admission);
  offeredLinkRoute(server, deps, admission);
  currentRoutes(server, deps);
  listRoutes(server, deps);
}

function sessionItem(row: SessionRow, caller: Pick<Caller, 'id'>) {
  return {
    _id: row.id,
    name: row.name,
    key: row.key_id === null ? null : { _id: row.key_id, name: row.key_name },
    scopes: row.scopes,
    address: row.address,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
    isCurrent: row.id === caller.id,
  };
}

/** The account, scopes, key and session of a caller. */
async function describe(deps: SessionsDeps, caller: Caller) {
  const { accountId, kind, id, keyId, name } = caller;
  const row =
    kind === 'session'
      ? await findSessionById(deps.db, accountId, id, new Date(deps.clock.now()))
      : undefined;
  const account = await findAccount(deps.db, accountId);
  const keyName = kind === 'key' ? name : (row?.key_name ?? null);
  return {
    account: { _id: accountId, name: account?.name ?? '' },
    scopes: [...caller.scopes],
    key: keyId === null ? null : { _id: keyId, name: keyName },
    session: row ? sessionItem(row, caller) : null,
  };
}

const browserRequest = ({ method, host, headers }: FastifyRequest) => ({ method, host, headers });

/** Checks before the body is read that a page of the gateway asks. */
const fromOwnPage =
  ({ browserOrigins }: SessionRoutesDeps) =>
  (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    requireHost(browserOrigins(), browserRequest(request));
    requireOrigin(browserOrigins(), browserRequest(request));
    done();
  };

const isUnauthenticated = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'api_key_invalid' || error.code === 'link_used');

/** Runs what somebody without a session may try; keys and links that are not valid count as failures of the address. */
async function countingFailures<T>(
  admission: Admission,
  request: FastifyRequest,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isUnauthenticated(error)) await admission.rejectFailure(request, error);
    throw error;
  }
}

function signInRoute(server: Server, deps: SessionRoutesDeps, admission: Admission): void {
  server.post(
    '/v1/session',
    {
      schema: { body: SignInBody, response: { 200: success(CurrentCaller) } },
      config: { scope: 'none' },
      bodyLimit: signInMaxBytes,
      onRequest: [fromOwnPage(deps), limitBodyTime()],
    },
    async (request, reply) => {
      const origins = deps.browserOrigins();
      const how = { address: request.ip, previous: sessionTokenOf(origins, browserRequest(request)) };
      const { key, link } = request.body;
      if ((key === undefined) === (link === undefined))
        throw invalidRequest([{ path: 'key', message: 'send either key or link' }]);
      await countingFailures(admission, request, async () => {
        if (key !== undefined) {
          request.caller = await deps.authenticator.authenticate(key);
          await admission.limit(request, reply);
        }
        const session = await (key === undefined
          ? signInWithLink(deps, link ?? '', how)
          : signInWithKey(deps, key, how));
        deps.authenticator.clearCache();
        request.caller = await deps.authenticator.authenticateSession(session.token);
        reply.header('Set-Cookie', sessionCookie(origins, session.token, sessionSeconds));
      });
      return ok('Signed in.', await describe(deps, request.caller));
    },
  );
}

/** What a link gives, before somebody decides to use it. */
function offeredLinkRoute(server: Server, deps: SessionRoutesDeps, admission: Admission): void {
  server.post(
    '/v1/session/link',
    {
      schema: { body: LinkToken, response: { 200: success(OfferedLinkItem) } },
      config: { scope: 'none' },
      bodyLimit: signInMaxBytes,
      onRequest: [fromOwnPage(deps), limitBodyTime()],
    },
    async (request) => {
      const { link } = request.body;
      const row = await countingFailures(admission, request, () => describeLink(deps, link));
      return ok('Link found.', {
        ...{ account: { name: row.account_name }, name: row.name, scopes: row.scopes },
        ...{ madeBy: row.key_name, expiresAt: row.expires_at.toISOString() },
      });
    },
  );
}

function currentRoutes(server: Server, deps: SessionRoutesDeps): void {
  const config = { scope: 'any' } as const;
  server.get(
    '/v1/session',
    { schema: { response: { 200: success(CurrentCaller) } }, config },
    async ({ caller }) => ok('Caller found.', await describe(deps, caller)),
  );
  server.delete(
    '/v1/session',
    { schema: { response: { 200: success(EndedSession) } }, config },
    async ({ caller }, reply) => {
      const { accountId, kind, id } = caller;
      if (kind !== 'session') {
        throw new AppError(
          'session_not_found',
          'This request has an API key, so there is no session to end.',
        );
      }
      await endSession(deps, { accountId, id });
      reply.header('Set-Cookie', removedCookie(deps.browserOrigins()));
      return ok('Signed out.', { _id: id });
    },
  );
}

function listRoutes(server: Server, deps: SessionRoutesDeps): void {
  const config = { scope: 'manage' } as const;
  server.get(
    '/v1/sessions',
    {
      schema: {
        querystring: Type.Object(pageProperties, { additionalProperties: false }),
        response: { 200: success(page(SessionItem)) },
      },
      config,
    },
    async ({ caller, query }) => {
      const window = { ...pageWindow(query), now: new Date(deps.clock.now()) };
      const { rows, total } = await listSessions(deps.db, caller.accountId, window);
      const items = rows.map((row) => sessionItem(row, caller));
      return ok('Sessions listed.', pageOf(items, total, query));
    },
  );
  server.delete(
    '/v1/sessions/:id',
    { schema: { params: SessionParams, response: { 200: success(Deleted) } }, config },
    async ({ caller, params }) => {
      await endSession(deps, { accountId: caller.accountId, id: params.id });
      return ok('Session ended.', { _id: params.id });
    },
  );
}
