// Types of every route: the server, the caller, and the per-route settings that server.ts applies.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { operatorScope, Scope } from '../contract/envelope.ts';

export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Who makes a request: the owner of an API key, or of a session. */
export interface Caller {
  kind: 'key' | 'session';
  /** Id of the key or session. */
  id: string;
  /** Name of the key or session. */
  name: string;
  accountId: string;
  /** The key, or the one that the session ends with; null: the session was made with a link of the command line. */
  keyId: string | null;
  scopes: ReadonlySet<string>;
}

/** `operator`: sessions of operators only; `any`: every caller; `none`: the route authenticates by itself. */
export type RouteScope = Scope | typeof operatorScope | 'any' | 'none';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every `/v1` route before its handler runs. */
    caller: Caller;
    /** The id of what the request made or changed, for its log line, where the path does not have it. */
    subjectId: string | undefined;
    /** The code of the error that was returned. */
    errorCode: string | undefined;
    /** The UUID of the Idempotency-Key header; set if the route's config has `idempotency` and the header was sent. */
    idempotencyKey: string | undefined;
  }
  interface FastifyContextConfig {
    /** The scope that the caller must have; every `/v1` route has one. */
    scope?: RouteScope;
    /** The response ends only when somebody closes it, so its duration means nothing. */
    isEndless?: boolean;
    /** The field of log lines for the object of the request, such as `sendId`. */
    subject?: string | undefined;
    /** Whether the route accepts or requires the Idempotency-Key header. */
    idempotency?: 'required' | 'optional';
    /** The route is rejected while the gateway is held. Set by the server, for operations with the error `held`. */
    isRejectedWhileHeld?: boolean;
  }
}
