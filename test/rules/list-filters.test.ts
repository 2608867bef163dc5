// Filters of lists: a value that nothing can match is a problem, not an empty list.
import { expect, test } from 'vitest';
import { ListBookingsQuery } from '../../src/contract/booking-lists.ts';
import { ListSendsQuery } from '../../src/contract/campaigns.ts';
import { ListContactsQuery } from '../../src/contract/contacts.ts';
import { DeliveryListQuery } from '../../src/contract/deliveries.ts';
import { ListMessagesQuery } from '../../src/contract/messages.ts';
import { ListOptOutsQuery } from '../../src/contract/opt-outs.ts';
import { ListReceivedQuery } from '../../src/contract/received.ts';
import { requestValidator } from '../../src/http/validation.ts';
import { validationProblem } from '../../src/http/validation-problem.ts';

const compile = requestValidator();
const problemsOf = (schema: object, query: Record<string, string>): string[] => {
  const validate = compile({ schema, httpPart: 'querystring', method: 'GET', url: '/' });
  const result = validate(query) as true | { error: unknown[] };
  if (result === true) return [];
  return result.error
    .map((issue) => validationProblem(issue, 'querystring'))
    .map(({ path, message }) => `${path} ${message}`);
};

test.each<[string, object, string[]]>([
  ['messages', ListMessagesQuery, ['phone', 'status', 'kind']],
  ['sends', ListSendsQuery, ['state']],
  ['deliveries', DeliveryListQuery, ['status']],
  ['received messages', ListReceivedQuery, ['phone']],
  ['contacts', ListContactsQuery, ['phone']],
  ['opt-outs', ListOptOutsQuery, ['phone']],
  ['bookings', ListBookingsQuery, ['status', 'email']],
])('no list of %s takes a word for a phone, a state or an e-mail address', (_what, schema, names) => {
  for (const name of names)
    expect(problemsOf(schema, { [name]: 'word' })).toEqual([expect.stringContaining(`${name} must`)]);
});

test('no list of instants ends before it begins, or where it begins', () => {
  const [early, late] = ['2026-11-22T00:00:00Z', '2026-11-22T00:00:00.001Z'];
  for (const schema of [ListMessagesQuery, ListSendsQuery, DeliveryListQuery, ListReceivedQuery]) {
    expect(problemsOf(schema, { from: late, to: early })).toEqual(['to must be later than from']);
    expect(problemsOf(schema, { from: early, to: early })).toEqual(['to must be later than from']);
    expect(problemsOf(schema, { from: early, to: late })).toEqual([]);
    expect(problemsOf(schema, { to: early })).toEqual([]);
  }
});
