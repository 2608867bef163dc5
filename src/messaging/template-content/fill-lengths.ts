// The lengths of filled components. Pure.
import type { Problem } from '../../base/errors.ts';
import { percentEncoded } from '../../base/url-value.ts';
import { type PartsPlan, type Placeholder, shortKey, substitute, type TemplatePlan } from './placeholders.ts';

/** WhatsApp's limits on the filled text (Cloud API, "Template components"), in characters. */
const limits = { header: 60, body: 1024, offerBody: 600, cardBody: 160, url: 2000 };

/**
 * The longest code to copy: 20 characters since 2025-12-03 ("Changelog", coupon code templates); 15 for one-time codes and in
 * limited-time offers ("Limited-time offer templates", 2026-09-11).
 */
export const codeMaxLength = (isShort: boolean): number => (isShort ? 15 : 20);

/** The number of characters, counted only if it may be more than `limit`: each has one or two UTF-16 units. */
const lengthUpTo = (text: string, limit: number) => (text.length <= limit ? 0 : [...text].length);

/** How many placeholders a text has at most. */
function placeholdersIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', at + 2)) count += 1;
  return count;
}

/** Checks the lengths of components that have all of their values; `path` is that of the variables. */
export function lengthProblems(
  plan: TemplatePlan,
  values: ReadonlyMap<Placeholder, string>,
  path: string,
  problems: Problem[],
): void {
  const over = (placeholder: Placeholder | undefined, what: string, text: string, limit: number) => {
    const size = lengthUpTo(text, limit);
    if (size <= limit || !placeholder) return;
    const message = `makes the ${what} ${size} characters long; at most ${limit} are allowed`;
    problems.push({ path: `${path}.${shortKey(plan, placeholder)}`, message });
  };
  const isOneTimeCode = plan.category === 'AUTHENTICATION';
  const check = (parts: PartsPlan, bodyLimit: number) => {
    for (const where of ['header', 'body'] as const) {
      const own = parts.placeholders.filter((placeholder) => placeholder.where === where);
      if (!own.every((placeholder) => values.has(placeholder))) continue;
      const text = parts[where]?.text ?? '';
      const limit = where === 'body' ? bodyLimit : limits.header;
      const longest = Math.max(0, ...own.map((placeholder) => values.get(placeholder)?.length ?? 0));
      // nearly every text is short enough whatever is where
      if (text.length + placeholdersIn(text) * longest <= limit) continue;
      const byToken = new Map(own.map((placeholder) => [placeholder.token, values.get(placeholder) ?? '']));
      over(own[0], where, substitute(text, byToken), limit);
    }
    for (const placeholder of parts.placeholders.filter(({ where }) => where === 'button')) {
      const value = values.get(placeholder) ?? '';
      // a one-time code is sent as a URL button
      if (placeholder.subType !== 'url' || isOneTimeCode) {
        over(placeholder, 'code', value, codeMaxLength(isOneTimeCode || plan.offer !== null));
        continue;
      }
      const url = parts.buttons[placeholder.buttonIndex]?.url ?? '';
      const filled = substitute(url, new Map([[placeholder.token, percentEncoded(value)]]));
      over(placeholder, 'address', filled, limits.url);
    }
  };
  check(plan, plan.offer ? limits.offerBody : limits.body);
  for (const card of plan.cards) check(card, limits.cardBody);
}
