// The HTML pages: the consent page, its errors, and the page of an event.
import type { StoredEvent } from './resources.ts';
import type { StoredCalendar } from './state.ts';

const scopeTexts: Record<string, string> = {
  'https://www.googleapis.com/auth/calendar': 'See, edit, share and delete all your calendars',
  'https://www.googleapis.com/auth/calendar.events': 'View and edit events on all your calendars',
  'https://www.googleapis.com/auth/calendar.events.owned':
    'See, create, change and delete events on calendars you own',
  'https://www.googleapis.com/auth/calendar.freebusy': 'See when you are free or busy',
};

/** The consent page with accounts and permissions to choose. The form posts to the page's own address. */
export function consentPage(shown: { query: URLSearchParams; accounts: string[]; scopes: string[] }): string {
  const hint = shown.query.get('login_hint');
  const accounts =
    hint === null || shown.accounts.includes(hint) ? shown.accounts : [hint, ...shown.accounts];
  const chosen = hint ?? accounts[0];
  const choices = accounts.map(
    (email) =>
      `<label><input type="radio" name="account" value="${escaped(email)}"${email === chosen ? ' checked' : ''}> ${escaped(email)}</label>`,
  );
  const permissions = shown.scopes
    .filter((scope) => scope.startsWith('https://'))
    .map(
      (scope) =>
        `<label><input type="checkbox" name="scope" value="${escaped(scope)}" checked> ${escaped(scopeTexts[scope] ?? scope)}</label>`,
    );
  return html(
    'Sign in (sandbox)',
    `<h1>Allow access to your calendar?</h1>
<p>This is the sandbox's own consent page: no real account is touched.</p>
<form method="post" action="/o/oauth2/v2/auth?${escaped(shown.query.toString())}">
<fieldset><legend>Account</legend>${choices.join('')}
<label>Another account <input type="email" name="other_account"></label></fieldset>
<fieldset><legend>What it may do</legend>${permissions.join('')}</fieldset>
<button name="choice" value="allow">Allow</button> <button name="choice" value="deny">Deny</button>
</form>`,
  );
}

export function errorPage(status: number, error: string, text: string): string {
  return html(
    `Error ${status}`,
    `<h1>Access blocked</h1><p>${escaped(text)}</p><p>Error ${status}: ${escaped(error)}</p>`,
  );
}

/** The page of an event's `htmlLink`. */
export function eventPage(calendar: StoredCalendar, event: StoredEvent): string {
  const lines: [string, string][] = [
    ['When', `${event.start.dateTime ?? event.start.date} to ${event.end.dateTime ?? event.end.date}`],
    ['Calendar', `${calendar.summary} (${calendar.timeZone})`],
    ['Status', event.status],
    ['Where', event.location ?? ''],
    ['Video meeting', event.hangoutLink ?? ''],
    ['Guests', (event.attendees ?? []).map((guest) => guest.email).join(', ')],
    ['Description', event.description ?? ''],
  ];
  const rows = lines.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`);
  return html(
    event.summary ?? '(No title)',
    `<h1>${escaped(event.summary ?? '(No title)')}</h1><dl>${rows.join('')}</dl>`,
  );
}

function html(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}label{display:block}
fieldset{margin:1rem 0}button{font:inherit;padding:.4rem 1.2rem}dt{font-weight:600}dd{margin:0 0 .6rem;white-space:pre-wrap}</style>
<body>${body}</body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
