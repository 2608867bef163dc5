// Types of every route: the server, the caller, and the per-route settings that server.ts applies.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Scope } from '../contract/envelope.ts';

export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The owner of the request's API key. */
export interface Caller {
  accountId: string;
  keyId: string;
  scopes: ReadonlySet<string>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every `/v1` route before its handler runs. */
    caller: Caller;
    /** The UUID of the Idempotency-Key header; set if the route's config has `idempotency` and the header was sent. */
    idempotencyKey: string | undefined;
  }
  interface FastifyContextConfig {
    /** The scope that the caller's key must have; every `/v1` route has one. */
    scope?: Scope;
    /** Whether the route accepts or requires the Idempotency-Key header. */
    idempotency?: 'required' | 'optional';
  }
}
