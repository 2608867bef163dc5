// What needs a person, from the overview. Pure.
import type { OperatorHealth, Overview } from '../../../client/src/generated.ts';

export interface HomeProblem {
  kind: 'sender' | 'check' | 'endpoint' | 'calendar' | 'template' | 'templates' | 'health';
  id: string;
  /** As in design/states.ts. */
  state: string;
  /** What it is about: the number's name, the endpoint's host, the staff member, the template. */
  name: string;
  /** The reason in the words of the platform, calendar or receiver. */
  reason: string | null;
  code: number | null;
  since: string | null;
  /** What to do, in the gateway's words. */
  fix: string | null;
  /** When the gateway tries again by itself. */
  nextAt: string | null;
}

const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};

const none = { reason: null, code: null, since: null, fix: null, nextAt: null };

/** One problem for each number, with its first failed check. Halted numbers say so themselves. */
function checksOf({ failedChecks, haltedSenders }: Overview): HomeProblem[] {
  const halted = new Set(haltedSenders?.map(({ _id }) => _id));
  const first = new Map(
    (failedChecks ?? [])
      .filter(({ senderId }) => !halted.has(senderId))
      .toReversed()
      .map((check) => [check.senderId, check]),
  );
  return [...first.values()].map(({ senderId, senderName, detail, fix, checkedAt }) => ({
    ...{ ...none, kind: 'check', id: senderId, state: 'failed', name: senderName },
    ...{ reason: detail, fix, since: checkedAt },
  }));
}

const endpointState = (status: string, restingUntil: string | null, nowMs: number): string => {
  if (status === 'disabled') return 'disabled';
  return restingUntil !== null && Date.parse(restingUntil) > nowMs ? 'resting' : 'failing';
};

/** A paused endpoint is a person's decision. Endpoints of one host are told apart by their paths. */
function endpointsOf({ failingEndpoints }: Overview, nowMs: number): HomeProblem[] {
  const failing = (failingEndpoints ?? []).filter(({ status }) => status !== 'paused');
  const hosts = failing.map(({ url }) => hostOf(url));
  const isOnly = (host: string) => hosts.indexOf(host) === hosts.lastIndexOf(host);
  return failing.map(({ _id, url, status, disabledReason, failingSince, restingUntil }) => ({
    ...{ ...none, kind: 'endpoint', id: _id, state: endpointState(status, restingUntil, nowMs) },
    name: isOnly(hostOf(url)) ? hostOf(url) : url.replace(/^https?:\/\//, ''),
    ...{ reason: disabledReason, since: failingSince, nextAt: restingUntil },
  }));
}

const templateStates: Record<string, string> = { PAUSED: 'paused', DISABLED: 'disabled', DELETED: 'deleted' };

/** More of them are one problem: old ones that nobody deletes must not hide the others. */
const templatesMax = 3;

function templatesOf({ stoppedTemplates }: Overview): HomeProblem[] {
  const stopped = stoppedTemplates ?? [];
  if (stopped.length > templatesMax)
    return [{ ...none, kind: 'templates', id: 'templates', state: 'rejected', name: String(stopped.length) }];
  return stopped.map(({ _id, name, language, providerStatus, rejectedReason }) => ({
    ...{ ...none, kind: 'template', id: _id, state: templateStates[providerStatus] ?? 'rejected' },
    name: `${name} ${language}`,
    reason: rejectedReason === 'NONE' ? null : rejectedReason,
  }));
}

/** The problems of the account, what stops most first: numbers, calendars, endpoints, templates. */
export function problemsOf(overview: Overview, nowMs: number): HomeProblem[] {
  const senders = (overview.haltedSenders ?? []).map(
    ({ _id, name, haltedReason, haltedCode, haltedAt }): HomeProblem => ({
      ...{ ...none, kind: 'sender', id: _id, state: 'halted', name },
      ...{ reason: haltedReason, code: haltedCode, since: haltedAt },
    }),
  );
  const calendars = (overview.disconnectedCalendars ?? []).map(
    ({ appointmentUserId, name, error, disconnectedAt }): HomeProblem => ({
      ...{ ...none, kind: 'calendar', id: appointmentUserId, state: 'disconnected', name },
      ...{ reason: error, since: disconnectedAt },
    }),
  );
  return [
    ...senders,
    ...checksOf(overview),
    ...calendars,
    ...endpointsOf(overview, nowMs),
    ...templatesOf(overview),
  ];
}

/** What `doctor` found to be broken, for operators: one problem that leads to all. */
export function healthProblemOf(health: OperatorHealth): HomeProblem[] {
  const failed = health.findings.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (!first) return [];
  return [
    {
      ...{ ...none, kind: 'health', id: 'health', state: 'failed', name: String(failed.length) },
      ...{ reason: `${first.check}: ${first.text}`, fix: first.fix },
    },
  ];
}
