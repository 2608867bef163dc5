// Typed clients of the sandbox's control APIs, for tests, demonstrations and benchmarks.
import type { SendCall } from './cloud-api/calls.ts';
import type { Read } from './cloud-api/conversations.ts';
import type { IdentityChange, InboundWrite, Written } from './cloud-api/inbound.ts';
import type { Accepted, LedgerCounts, LedgerFilter } from './cloud-api/ledger.ts';
import type {
  App,
  Component,
  Media,
  PhoneNumber,
  Settings,
  Template,
  TokenFacts,
  Waba,
} from './cloud-api/model.ts';
import type { PreferenceChange } from './cloud-api/preferences.ts';
import type { TemplateChange } from './cloud-api/template-changes.ts';
import type { Fault } from './faults.ts';
import type { Received, ReceivedCounts, ReceivedFilter } from './receiver/ledger.ts';

/** A fault of the platform: `code` responds with that platform error, in its envelope and with its HTTP status. */
export type PlatformFault =
  | (Fault & { on?: 'messages' | 'templates' | 'media' | 'uploads' | 'objects' | 'downloads' })
  | (Omit<Fault, 'does' | 'body'> & { code: number; details?: string; subcode?: number; message?: string });

export type TemplateSeed = Pick<Template, 'wabaId' | 'name'> &
  Partial<Omit<Template, 'components'>> & { components: Component[] };

/** An event that the receiver got, with its parsed body if it is JSON. */
export type ReceivedEvent = Received & { json: unknown };

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** The control API of the cloud API at `url`; a call rejects with the API's error message. */
export function cloudApiControl(url: string) {
  const call = caller(url);
  return {
    /** All objects; `pendingCallbacks` counts unacknowledged callbacks, without those for statuses of messages. */
    state: () =>
      call<{
        apps: App[];
        wabas: Waba[];
        numbers: PhoneNumber[];
        templates: Template[];
        pendingCallbacks: number;
      }>('GET', 'state'),
    addApp: (app: Partial<Pick<App, 'id' | 'secret' | 'tokens' | 'requiresProof'>> = {}) =>
      call<App>('POST', 'apps', app),
    /** Issues a token, or changes what a token may do. */
    addToken: (appId: string, token?: string, facts: Partial<TokenFacts> = {}) =>
      call<{ token: string }>('POST', `apps/${appId}/tokens`, { token, ...facts }),
    /** Revokes one token, or all. */
    revoke: (appId: string, token?: string) => call<App>('POST', `apps/${appId}/revoke`, { token }),
    /** Does the handshake with the address, then posts callbacks there, of all business accounts that the app has now. */
    subscribe: (appId: string, callbackUrl: string, verifyToken: string) =>
      call<App>('PUT', `apps/${appId}/subscription`, { callbackUrl, verifyToken }),
    unsubscribe: (appId: string) => call<App>('DELETE', `apps/${appId}/subscription`),
    addWaba: (waba: { appId: string; id?: string; name?: string }) => call<Waba>('POST', 'wabas', waba),
    addNumber: (number: { wabaId: string } & Partial<PhoneNumber>) =>
      call<PhoneNumber>('POST', 'numbers', number),
    /** Posts a notice about a business account or its numbers, such as `account_update`. */
    notify: (wabaId: string, field: string, value: object) =>
      call<object>('POST', `wabas/${wabaId}/notice`, { field, value }),
    /** Reports an error of a whole number by a callback (`value.errors`). */
    reportProblem: (numberId: string, code: number) =>
      call<object>('POST', `numbers/${numberId}/problem`, { code }),
    /** People write to a number; the callbacks come until they are acknowledged. */
    write: (numberId: string, write: InboundWrite) =>
      call<Written>('POST', `numbers/${numberId}/write`, write),
    /** A person has another phone or id. */
    /** Lets a person stop or resume the marketing messages of the business. */
    changePreference: (numberId: string, change: PreferenceChange) =>
      call<object>('POST', `numbers/${numberId}/preferences`, change),
    changeIdentity: (numberId: string, change: IdentityChange) =>
      call<Written>('POST', `numbers/${numberId}/identity`, change),
    /** The newest calls that marked messages as read. */
    reads: async () => (await call<{ reads: Read[] }>('GET', 'reads')).reads,
    addTemplate: (template: TemplateSeed) => call<Template>('POST', 'templates', template),
    /** Changes a template as the platform would, with callbacks. */
    changeTemplate: (id: string, change: TemplateChange) =>
      call<Template>('POST', `templates/${id}/change`, change),
    /** Deletes an upload before it expires, without notice. */
    forgetMedia: (id: string) => call<object>('DELETE', `media/${id}`),
    media: async () => (await call<{ media: Media[] }>('GET', 'media')).media,
    settings: (change: Partial<Settings> = {}) => call<Settings>('PATCH', 'settings', change),
    /** Moves the clock by which media and links expire. */
    advanceClock: (advanceMs: number) =>
      call<{ now: string; aheadMs: number }>('POST', 'clock', { advanceMs }),
    addFault: (fault: PlatformFault) => call<Fault>('POST', 'faults', fault),
    /** Active faults, with the number of calls that each still affects. */
    faults: async () => (await call<{ faults: Fault[] }>('GET', 'faults')).faults,
    clearFaults: () => call<object>('DELETE', 'faults'),
    ledger: async (filter: LedgerFilter = {}) =>
      (await call<{ messages: Accepted[] }>('GET', `ledger?${queryOf(filter)}`)).messages,
    /** The log of send calls, as many as the setting `keepCalls` keeps. */
    calls: async (filter: { after?: number; limit?: number } = {}) =>
      (await call<{ calls: SendCall[] }>('GET', `calls?${queryOf(filter)}`)).calls,
    clearCalls: () => call<object>('DELETE', 'calls'),
    counts: () => call<LedgerCounts>('GET', 'counts'),
    clearLedger: () => call<object>('DELETE', 'ledger'),
  };
}

/** The control API of the receiver at `url`. */
export function receiverControl(url: string) {
  const call = caller(url);
  return {
    /** The URL to register for a hook. */
    hookUrl: (hook: string) => `${url}/hooks/${hook}`,
    setSecrets: (hook: string, ...secrets: string[]) =>
      call<object>('PUT', `hooks/${hook}/secrets`, { secrets }),
    addSecret: (hook: string, secret: string) => call<object>('POST', `hooks/${hook}/secrets`, { secret }),
    settings: (change: { signatureHeader?: string; keepEntries?: number }) =>
      call<object>('PATCH', 'settings', change),
    /** `on` names a hook. */
    addFault: (fault: Fault) => call<Fault>('POST', 'faults', fault),
    clearFaults: () => call<object>('DELETE', 'faults'),
    /** Received events; with `waitSeconds`, waits until one matches. */
    events: async (filter: ReceivedFilter & { waitSeconds?: number } = {}) => {
      const { waitSeconds, ...rest } = filter;
      const query = queryOf(waitSeconds === undefined ? rest : { ...rest, wait: waitSeconds });
      return (await call<{ events: ReceivedEvent[] }>('GET', `events?${query}`)).events;
    },
    counts: () => call<ReceivedCounts>('GET', 'counts'),
    clear: () => call<object>('DELETE', 'events'),
  };
}

function queryOf(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
}

function caller(url: string): Call {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/sandbox/${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const reply = (await response.json()) as T & { error?: string };
    if (!response.ok) throw new Error(`${method} /sandbox/${path}: ${response.status} ${reply.error}`);
    return reply;
  };
}
