// What needs a person, from the overview. Pure.
import type { OperatorHealth, Overview } from '../../../client/src/generated.ts';

export interface HomeProblem {
  kind: 'sender' | 'endpoint' | 'calendar' | 'health';
  id: string;
  /** As in design/states.ts. */
  state: string;
  /** What it is about: the number's name, the endpoint's host, the staff member. */
  name: string;
  /** The reason in the words of the platform, calendar or receiver. */
  reason: string | null;
  code: number | null;
  since: string | null;
}

const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};

/** The problems of the account, what stops most first: numbers, then calendars, then endpoints. */
export function problemsOf(overview: Overview): HomeProblem[] {
  const senders = (overview.haltedSenders ?? []).map(
    ({ _id, name, haltedReason, haltedCode, haltedAt }): HomeProblem => ({
      ...{ kind: 'sender', id: _id, state: 'halted', name },
      ...{ reason: haltedReason, code: haltedCode, since: haltedAt },
    }),
  );
  const calendars = (overview.disconnectedCalendars ?? []).map(
    ({ appointmentUserId, name, error, disconnectedAt }): HomeProblem => ({
      ...{ kind: 'calendar', id: appointmentUserId, state: 'disconnected', name },
      ...{ reason: error, code: null, since: disconnectedAt },
    }),
  );
  const endpoints = (overview.failingEndpoints ?? []).map(
    ({ _id, url, status, disabledReason, failingSince }): HomeProblem => ({
      ...{
        kind: 'endpoint',
        id: _id,
        state: status === 'disabled' ? 'disabled' : 'failing',
        name: hostOf(url),
      },
      ...{ reason: disabledReason, code: null, since: failingSince },
    }),
  );
  return [...senders, ...calendars, ...endpoints];
}

/** What `doctor` found to be broken, for operators: one problem that leads to all. */
export function healthProblemOf(health: OperatorHealth): HomeProblem[] {
  const failed = health.findings.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (!first) return [];
  return [
    {
      ...{ kind: 'health', id: 'health', state: 'failed', name: String(failed.length) },
      ...{ reason: `${first.check}: ${first.text}`, code: null, since: null },
    },
  ];
}
