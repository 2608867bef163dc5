// The control API of the simulated platform (`/sandbox/…`): creates its objects, changes settings, injects faults, reads the ledger.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Faults } from '../faults.ts';
import { ControlError, type ControlRequest, type ControlRoute, routeControl } from '../server.ts';
import type { Platform } from './call.ts';
import { envelope, isPlatformCode, rejectionWith } from './errors.ts';
import { changeIdentity, writeToNumber } from './inbound.ts';
import { magicRecipients, magicTemplateNames } from './magic.ts';
import type { Settings } from './model.ts';
import { actOnPhone, clearPhones, listPhones, readPhone } from './phones.ts';
import { changePreference } from './preferences.ts';
import { addApp, addNumber, addTemplate, addToken, addWaba, revokeTokens } from './seed.ts';
import { subscribe, unsubscribe } from './subscription.ts';
import { changeTemplate, postCallback, reportProblem, type TemplateChange } from './template-changes.ts';

export const faultKinds = ['messages', 'templates', 'media', 'uploads', 'objects', 'downloads'] as const;

interface PlatformRequest extends ControlRequest {
  platform: Platform;
  faults: Faults;
}

const routes: ReadonlyArray<ControlRoute<PlatformRequest>> = [
  ['GET', /^state$/, ({ platform }) => readState(platform)],
  ['POST', /^apps$/, ({ platform, body }) => addApp(platform, body)],
  ['POST', /^apps\/([^/]+)\/tokens$/, ({ platform, id, body }) => addToken(platform, id, body)],
  ['POST', /^apps\/([^/]+)\/revoke$/, ({ platform, id, body }) => revokeTokens(platform, id, body)],
  ['PUT', /^apps\/([^/]+)\/subscription$/, ({ platform, id, body }) => subscribe(platform, id, body)],
  ['DELETE', /^apps\/([^/]+)\/subscription$/, ({ platform, id }) => unsubscribe(platform, id)],
  ['POST', /^wabas$/, ({ platform, body }) => addWaba(platform, body)],
  ['POST', /^wabas\/([^/]+)\/notice$/, ({ platform, id, body }) => notice(platform, id, body)],
  ['POST', /^numbers$/, ({ platform, body }) => addNumber(platform, body)],
  ['POST', /^numbers\/([^/]+)\/problem$/, ({ platform, id, body }) => problem(platform, id, body)],
  [
    'POST',
    /^numbers\/([^/]+)\/write$/,
    ({ platform, id, body }) => writeToNumber(platform, id, body as never),
  ],
  [
    'POST',
    /^numbers\/([^/]+)\/identity$/,
    ({ platform, id, body }) => changeIdentity(platform, id, body as never),
  ],
  [
    'POST',
    /^numbers\/([^/]+)\/preferences$/,
    ({ platform, id, body }) => changePreference(platform, id, body as never),
  ],
  ['POST', /^templates$/, ({ platform, body }) => addTemplate(platform, body)],
  ['POST', /^templates\/([^/]+)\/change$/, ({ platform, id, body }) => change(platform, id, body)],
  ['GET', /^media$/, ({ platform }) => ({ media: [...platform.state.media.values()] })],
  ['DELETE', /^media\/([^/]+)$/, ({ platform, id }) => platform.state.record(['media-gone', id])],
  ['GET', /^settings$/, ({ platform }) => platform.state.settings],
  ['PATCH', /^settings$/, ({ platform, body }) => patchSettings(platform, body)],
  ['DELETE', /^settings$/, ({ platform }) => patchSettings(platform, { ...platform.state.initialSettings })],
  ['POST', /^clock$/, ({ platform, body }) => moveClock(platform, body)],
  ['GET', /^faults$/, ({ faults }) => ({ faults: faults.list() })],
  ['POST', /^faults$/, ({ platform, faults, body }) => faults.add(withPlatformError(platform, body))],
  ['DELETE', /^faults$/, ({ faults }) => faults.clear()],
  ['GET', /^ledger$/, ({ platform, query }) => readLedger(platform, query)],
  ['DELETE', /^ledger$/, ({ platform }) => clearLedger(platform)],
  ['GET', /^calls$/, ({ platform, query }) => readCalls(platform, query)],
  ['DELETE', /^calls$/, ({ platform }) => platform.calls.clear()],
  ['GET', /^reads$/, ({ platform }) => ({ reads: platform.state.conversations.reads })],
  ['GET', /^phones$/, ({ platform, query }) => listPhones(platform, query)],
  ['DELETE', /^phones$/, ({ platform, query }) => clearPhones(platform, query)],
  ['GET', /^phones\/([^/]+)\/messages$/, ({ platform, id, query }) => readPhone(platform, id, query)],
  [
    'POST',
    /^phones\/([^/]+)\/messages$/,
    ({ platform, id, body }) => actOnPhone(platform, id, body as never),
  ],
  ['GET', /^counts$/, ({ platform }) => platform.state.ledger.counts()],
  ['GET', /^magic$/, () => ({ recipients: magicRecipients, templateNames: magicTemplateNames })],
];

/** Handles one call of the control API. */
export function handleCloudControl(
  platform: Platform,
  faults: Faults,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  return routeControl(routes, { platform, faults }, req, res);
}

function readState({ state }: Platform): unknown {
  return {
    apps: [...state.apps.values()],
    wabas: [...state.wabas.values()],
    numbers: [...state.numbers.values()],
    templates: [...state.templates.values()],
    pendingCallbacks: state.callbacks.size,
    clock: { now: new Date(state.clock.now()).toISOString(), aheadMs: state.clock.aheadMs },
  };
}

function change(platform: Platform, id: string, body: Record<string, unknown>): unknown {
  if (!changeTemplate(platform, id, body as TemplateChange)) throw new ControlError(404, `no template ${id}`);
  return platform.state.templates.get(id);
}

function patchSettings(platform: Platform, body: Record<string, unknown>): Settings {
  const { settings } = platform.state;
  for (const [key, value] of Object.entries(body)) {
    const known = settings[key as keyof Settings];
    if (known === undefined) throw new ControlError(400, `no setting named ${key}`);
    if (typeof value !== typeof known || Array.isArray(value) !== Array.isArray(known))
      throw new ControlError(400, `setting ${key}: must have the type of ${JSON.stringify(known)}`);
  }
  platform.state.record(['settings', body as Partial<Settings>]);
  if (!settings.holdCallbacks) platform.poster.release();
  return settings;
}

function moveClock({ state }: Platform, body: Record<string, unknown>): unknown {
  if (typeof body.advanceMs !== 'number') throw new ControlError(400, 'advanceMs: a number of milliseconds');
  state.record(['ahead', state.clock.aheadMs + body.advanceMs]);
  return { now: new Date(state.clock.now()).toISOString(), aheadMs: state.clock.aheadMs };
}

function problem(platform: Platform, id: string, { code }: Record<string, unknown>): void {
  if (!isPlatformCode(Number(code)))
    throw new ControlError(400, `code: ${code} is not one of the platform's`);
  if (!reportProblem(platform, id, Number(code))) throw new ControlError(404, `no number ${id}`);
}

function notice(platform: Platform, id: string, { field, value }: Record<string, unknown>): void {
  if (!platform.state.wabas.has(id)) throw new ControlError(404, `no business account ${id}`);
  postCallback(platform, id, String(field), value);
}

/** Turns `code`, with optional `subcode` and `message`, into a fault that responds with this platform error. */
function withPlatformError(
  { state }: Platform,
  { code, details, subcode, message, ...fault }: Record<string, unknown>,
): unknown {
  if (code === undefined) return fault;
  if (!isPlatformCode(Number(code)))
    throw new ControlError(400, `code: ${code} is not one of the platform's`);
  const rejected = rejectionWith(Number(code), {
    details: String(details ?? 'A fault that the sandbox was configured to show'),
    plainData: state.settings.plainErrorData,
    ...(subcode !== undefined && { subcode: Number(subcode) }),
    ...(message !== undefined && { message: String(message) }),
  });
  return { does: 'answer', status: rejected.parts.status, ...fault, body: envelope(rejected) };
}

function readLedger({ state }: Platform, query: URLSearchParams): unknown {
  const text = (key: string) => query.get(key) ?? undefined;
  const number = (key: string) => (query.has(key) ? Number(query.get(key)) : undefined);
  const filter = { phone: text('phone'), wamid: text('wamid'), opaque: text('opaque') };
  const range = { after: number('after'), limit: number('limit') };
  const given = Object.fromEntries(
    Object.entries({ ...filter, ...range }).filter(([, value]) => value !== undefined),
  );
  return { messages: state.ledger.find(given) };
}

function readCalls({ calls }: Platform, query: URLSearchParams): unknown {
  return { calls: calls.read(Number(query.get('after') ?? 0), Number(query.get('limit') ?? 1000)) };
}

function clearLedger(platform: Platform): void {
  platform.state.record(['ledger-cleared']);
  platform.rejections.clear();
}
