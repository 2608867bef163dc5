// The operations of sessions and dashboard links.
import type { Operation } from './operation.ts';

const sessions = { tag: 'Sessions' };

export const sessionOperations: Record<string, Operation> = {
  'POST /v1/session': {
    ...sessions,
    id: 'signIn',
    summary: 'Sign in',
    description:
      'For pages of the gateway: makes a session with an API key or a link, and sets its cookie (HttpOnly, SameSite=Strict). The request needs an `Origin` of the gateway itself and `X-Requested-With: chatbot-gateway`, as every later request that changes something. The session ends after 12 hours without use, after 7 days, and within 5 seconds of the revocation or expiry of its key.',
    errors: ['api_key_invalid', 'link_used', 'origin_mismatch', 'host_mismatch', 'request_timeout'],
    message: 'Signed in.',
  },
  'POST /v1/session/link': {
    ...sessions,
    id: 'describeLink',
    summary: 'See what a link gives',
    description:
      'For the sign-in page: the account, the name and the scopes of a link, before somebody uses it. Does not use it. Needs the same headers as signing in.',
    errors: ['link_used', 'origin_mismatch', 'host_mismatch', 'request_timeout'],
    message: 'Link found.',
  },
  'GET /v1/session': {
    ...sessions,
    id: 'getCurrentCaller',
    summary: 'Get who makes this request',
    description: 'The account, the scopes, and the session or the API key of this request.',
    message: 'Caller found.',
  },
  'DELETE /v1/session': {
    ...sessions,
    id: 'signOut',
    summary: 'Sign out',
    description: 'Ends the session of this request and removes its cookie.',
    errors: ['session_not_found'],
    message: 'Signed out.',
  },
  'GET /v1/events/stream': {
    ...sessions,
    id: 'streamEvents',
    summary: 'Follow changes as they happen',
    description:
      'Server-Sent Events for pages: at most once a second `data: {"messages": {"ids": ["…"], "more": false}}` says which objects changed, of the kinds that the caller can read. `ids` has at most 100; `more` says that others changed too. `event: reload` says that everything has to be read again. `id` is a time: with `Last-Event-ID`, a stream continues from there, at most a minute back. It ends when the key or session ends. At most 5 streams a key or session, 50 an account and 1,000 a process (429).',
    errors: ['rate_limited'],
    message: 'Stream opened.',
  },
  'GET /v1/audit': {
    ...sessions,
    id: 'listAudit',
    summary: 'List who changed what',
    description:
      'Changes of the account, newest first: by keys, sessions, the command line (`operator`) and the gateway itself (`system`). Each is written in the transaction of the change. `changes` has the new values of fields that are no secrets and no personal data.',
    message: 'Audit log listed.',
  },
  'GET /v1/sessions': {
    ...sessions,
    id: 'listSessions',
    summary: 'List sessions',
    description: 'Everybody who is signed in to this account.',
    message: 'Sessions listed.',
  },
  'DELETE /v1/sessions/{id}': {
    ...sessions,
    id: 'endSession',
    summary: 'End a session',
    description: 'Every process of the gateway rejects it within 5 seconds.',
    errors: ['session_not_found'],
    message: 'Session ended.',
  },
  'GET /v1/dashboard-links': {
    ...sessions,
    id: 'listDashboardLinks',
    summary: 'List unused links',
    message: 'Links listed.',
  },
  'POST /v1/dashboard-links': {
    ...sessions,
    id: 'createDashboardLink',
    summary: 'Create a link to sign in',
    description:
      'The link is valid once. Its session cannot have more scopes than the caller, and ends with the key of the caller.',
    message: 'Link created. It is shown only once.',
  },
  'DELETE /v1/dashboard-links/{id}': {
    ...sessions,
    id: 'deleteDashboardLink',
    summary: 'Delete an unused link',
    errors: ['link_not_found'],
    message: 'Link deleted.',
  },
};
