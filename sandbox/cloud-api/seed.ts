// Creation of apps, business accounts, numbers, tokens and templates for tests and demonstrations.
import { randomBytes } from 'node:crypto';
import { ControlError } from '../server.ts';
import type { Platform } from './call.ts';
import type { App, Component, NumberHealth, PhoneNumber, Template, TokenFacts, Waba } from './model.ts';
import { countryCodeOf } from './recipient.ts';
import { templateKey } from './state.ts';
import { management, messaging } from './tokens.ts';
import { newNumericId } from './wamid.ts';

type Given = Record<string, unknown>;

function text(given: Given, key: string, otherwise?: string): string {
  const value = given[key] ?? otherwise;
  if (typeof value !== 'string' || value === '') throw new ControlError(400, `${key}: text is required`);
  return value;
}

/** Adds an app, or changes the one with that id. Missing fields are generated, or stay. */
export function addApp({ state }: Platform, given: Given): App {
  const id = text(given, 'id', newNumericId());
  const old = state.apps.get(id);
  const app: App = {
    id,
    secret: text(given, 'secret', old?.secret ?? randomBytes(16).toString('hex')),
    tokens: (given.tokens as string[] | undefined) ?? old?.tokens ?? [newToken()],
    revokedTokens: old?.revokedTokens ?? [],
    tokenFacts: old?.tokenFacts ?? {},
    requiresProof: (given.requiresProof as boolean | undefined) ?? old?.requiresProof ?? false,
    subscription: old?.subscription ?? null,
  };
  state.record(['app', app]);
  return app;
}

/** Issues a token, the one given or a new one, or changes what it may do: `scopes`, `expiresAt`, `wabaIds`. */
export function addToken({ state }: Platform, id: string, given: Given): { token: string } {
  const app = appOf(state.apps, id);
  const token = text(given, 'token', newToken());
  const facts: TokenFacts = {
    scopes: (given.scopes as string[] | undefined) ?? [messaging, management],
    expiresAt: (given.expiresAt as number | null | undefined) ?? null,
    wabaIds: (given.wabaIds as string[] | null | undefined) ?? null,
  };
  const tokenFacts = { ...app.tokenFacts, [token]: facts };
  const revokedTokens = app.revokedTokens.filter((revoked) => revoked !== token);
  state.record(['app', { ...app, tokens: [...new Set([...app.tokens, token])], revokedTokens, tokenFacts }]);
  return { token };
}

/** Revokes the given token, or all tokens of the app. */
export function revokeTokens({ state }: Platform, id: string, given: Given): App {
  const app = appOf(state.apps, id);
  const gone = given.token === undefined ? app.tokens : app.tokens.filter((token) => token === given.token);
  const tokens = app.tokens.filter((token) => !gone.includes(token));
  const revoked: App = { ...app, tokens, revokedTokens: [...app.revokedTokens, ...gone] };
  state.record(['app', revoked]);
  return revoked;
}

export function appOf(apps: Map<string, App>, id: string): App {
  const app = apps.get(id);
  if (!app) throw new ControlError(404, `no app ${id}`);
  return app;
}

export function addWaba({ state }: Platform, given: Given): Waba {
  const id = text(given, 'id', newNumericId());
  const appId = text(given, 'appId', state.wabas.get(id)?.appId);
  appOf(state.apps, appId);
  const old = state.wabas.get(id);
  const waba: Waba = {
    id,
    appId,
    name: text(given, 'name', old?.name ?? 'Sandbox Business'),
    isSubscribed: old?.isSubscribed ?? false,
    override: old?.override ?? null,
  };
  state.record(['waba', waba]);
  return waba;
}

export function addNumber({ state }: Platform, given: Given): PhoneNumber {
  const id = text(given, 'id', newNumericId());
  const old = state.numbers.get(id);
  const wabaId = text(given, 'wabaId', old?.wabaId);
  if (!state.wabas.has(wabaId)) throw new ControlError(404, `no business account ${wabaId}`);
  const displayPhoneNumber = text(given, 'displayPhoneNumber', old?.displayPhoneNumber ?? '+91 22 5550 0100');
  const number: PhoneNumber = {
    id,
    wabaId,
    displayPhoneNumber,
    verifiedName: text(given, 'verifiedName', old?.verifiedName ?? 'Sandbox Business'),
    countryCode: text(given, 'countryCode', countryCodeOf(displayPhoneNumber.replace(/\D/g, ''))),
    qualityRating: text(
      given,
      'qualityRating',
      old?.qualityRating ?? 'GREEN',
    ) as PhoneNumber['qualityRating'],
    messagesPerSecond: (given.messagesPerSecond as number | undefined) ?? old?.messagesPerSecond ?? null,
    status: text(given, 'status', old?.status ?? 'CONNECTED'),
    codeVerificationStatus: text(given, 'codeVerificationStatus', old?.codeVerificationStatus ?? 'VERIFIED'),
    nameStatus: text(given, 'nameStatus', old?.nameStatus ?? 'APPROVED'),
    messagingLimit: text(given, 'messagingLimit', old?.messagingLimit ?? 'TIER_UNLIMITED'),
    pin: given.pin === undefined ? (old?.pin ?? null) : (given.pin as string | null),
    registrations: old?.registrations ?? [],
    health: given.health === undefined ? (old?.health ?? null) : (given.health as NumberHealth | null),
  };
  state.record(['number', number]);
  return number;
}

/** Adds a template that is already reviewed; replaces one with the same name and language. */
export function addTemplate({ state }: Platform, given: Given): Template {
  const wabaId = text(given, 'wabaId');
  if (!state.wabas.has(wabaId)) throw new ControlError(404, `no business account ${wabaId}`);
  const name = text(given, 'name');
  const language = text(given, 'language', 'en_US');
  if (!Array.isArray(given.components)) throw new ControlError(400, 'components: a list is required');
  const old = state.templateByName.get(templateKey(wabaId, name, language));
  const template: Template = {
    id: text(given, 'id', old?.id ?? newNumericId()),
    wabaId,
    name,
    language,
    category: text(given, 'category', 'UTILITY'),
    status: text(given, 'status', 'APPROVED'),
    parameterFormat: text(given, 'parameterFormat', 'POSITIONAL') as Template['parameterFormat'],
    components: given.components as Component[],
    quality: text(given, 'quality', 'GREEN') as Template['quality'],
    rejectedReason: text(given, 'rejectedReason', 'NONE'),
    reviewAt: null,
    ...(given.ttlSeconds === undefined ? {} : { ttlSeconds: Number(given.ttlSeconds) }),
  };
  if (old && old.id !== template.id) state.record(['template-gone', old.id]);
  state.record(['template', template]);
  return template;
}

function newToken(): string {
  return `EAA${randomBytes(48).toString('base64url')}`;
}
