// Access tokens: whose they are, what they may do, and what the platform says of them (debug_token).
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Call, type Platform, respond } from './call.ts';
import { badParam, badProof, badToken, Rejection } from './errors.ts';
import type { App, TokenFacts } from './model.ts';
import type { State } from './state.ts';

export const messaging = 'whatsapp_business_messaging';
export const management = 'whatsapp_business_management';

const allFacts: TokenFacts = { scopes: [messaging, management], expiresAt: null, wabaIds: null };

/** Who calls: an app, by a token of its system user, or by its own token `APP_ID|APP_SECRET`. */
export interface Caller {
  app: App;
  token: string;
  isAppToken: boolean;
}

/** Rejects a call of the graph with a wrong `appsecret_proof`, or with none if the app requires it. */
export function checkProof({ app, token }: Caller, query: URLSearchParams): void {
  const proof = query.get('appsecret_proof');
  if (proof === null) {
    if (app.requiresProof) throw badProof('missing');
  } else if (proof !== createHmac('sha256', app.secret).update(token).digest('hex')) throw badProof('wrong');
}

/** Finds the caller by the token of the header or query; rejects a missing, unknown, revoked or expired one. */
export function authenticate({ state }: Platform, req: IncomingMessage, query: URLSearchParams): Caller {
  const header = req.headers.authorization;
  const space = header?.indexOf(' ') ?? -1;
  const token = space > 0 ? header?.slice(space + 1).trim() : query.get('access_token');
  if (!token) throw badToken('missing');
  if (token.includes('|')) return appCaller(state, token);
  const app = state.tokens.get(token);
  if (!app) throw badToken(isRevoked(state, token) ? 'revoked' : 'unknown');
  if (isExpired(state, app, token)) throw badToken('expired');
  return { app, token, isAppToken: false };
}

function appCaller(state: State, token: string): Caller {
  const [id = '', secret] = token.split('|');
  const app = state.apps.get(id);
  if (!app || app.secret !== secret) throw badToken('unsigned');
  return { app, token, isAppToken: true };
}

const isRevoked = (state: State, token: string) =>
  [...state.apps.values()].some(({ revokedTokens }) => revokedTokens.includes(token));

const factsOf = (app: App, token: string): TokenFacts => app.tokenFacts?.[token] ?? allFacts;

function isExpired(state: State, app: App, token: string): boolean {
  const { expiresAt } = factsOf(app, token);
  return expiresAt !== null && expiresAt <= state.clock.now();
}

/** Rejects a token without the permission (10), or whose system user may not use the business account (200). */
export function requirePermission(call: Call, scope: string, wabaId?: string): void {
  const { scopes, wabaIds } = factsOf(call.app, call.token);
  if (!scopes.includes(scope))
    throw new Rejection({
      status: 403,
      code: 10,
      message: '(#10) Application does not have permission for this action',
    });
  if (wabaId === undefined || wabaIds === null || wabaIds.includes(wabaId)) return;
  throw new Rejection({
    status: 403,
    code: 200,
    message:
      '(#200) You do not have the necessary permissions required to send messages on behalf of this WhatsApp Business Account',
  });
}

/** GET /debug_token: what a token is; only tokens of the caller's own app are reported. */
export function tokenNode(platform: Platform, call: Call): void {
  const { state } = platform;
  const token = call.query.get('input_token') ?? '';
  const owner = state.tokens.get(token);
  if (!owner) {
    const error = { code: 190, message: 'Invalid OAuth access token.' };
    respond(call, 200, { data: { error, is_valid: false, scopes: [] } });
    return;
  }
  if (owner.id !== call.app.id) throw badParam('The App_id in the input_token did not match the Viewing App');
  const { scopes, expiresAt, wabaIds } = factsOf(owner, token);
  const isValid = !isExpired(state, owner, token);
  const granular = scopes.map((scope) => ({ scope, ...(wabaIds === null ? {} : { target_ids: wabaIds }) }));
  respond(call, 200, {
    data: {
      app_id: owner.id,
      type: 'SYSTEM_USER',
      application: `App ${owner.id}`,
      data_access_expires_at: 0,
      expires_at: expiresAt === null ? 0 : Math.floor(expiresAt / 1000),
      is_valid: isValid,
      ...(isValid
        ? {}
        : {
            error: {
              code: 190,
              subcode: 463,
              message: 'Error validating access token: Session has expired.',
            },
          }),
      issued_at: 1_767_225_600,
      scopes,
      granular_scopes: granular,
      user_id: '122100000000000',
    },
  });
}
