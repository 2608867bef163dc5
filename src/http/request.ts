// What every route may rely on: the typed server, who is calling, and the per-route settings that server.ts obeys.
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

/** Who holds the key that came with the request. */
export interface Caller {
  accountId: string;
  keyId: string;
  scopes: ReadonlySet<string>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every `/v1` route before its handler runs. */
    caller: Caller;
    /** The bare UUID of the Idempotency-Key header; set where the route's config names `idempotency` and the header came. */
    idempotencyKey: string | undefined;
  }
  interface FastifyContextConfig {
    /** The scope that the caller's key must carry; every `/v1` route names one. */
    scope?: Scope;
    /** Whether the Idempotency-Key header is read on this route, and must be there. */
    idempotency?: 'required' | 'optional';
  }
}
