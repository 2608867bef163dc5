// The campaign's points and those of bookings name statements of the gateway.
import { expect, test } from 'vitest';
import { readSources } from '../harness/source.ts';
import { sharedStatements } from './booking-points.ts';
import { backgroundStatements } from './frozen-gateways.ts';
import { points, statementName } from './points.ts';

const named = readSources(['src']).flatMap(({ text }) =>
  [...text.matchAll(/\/\* (\w+) \*\//g)].map(([, name]) => name),
);

test('every statement that a point names is one statement of the gateway', () => {
  const ofMessages = points.flatMap(({ at }) =>
    'statement' in at ? at.statement : 'commitOf' in at ? at.commitOf : [],
  );
  const ofBookings = [...sharedStatements, ...backgroundStatements, 'occupyPending', 'setPendingCancel'];
  const names = [...ofMessages, ...ofBookings];
  expect(names.length).toBeGreaterThan(10);
  for (const name of names)
    expect(
      named.filter((one) => one === name),
      name,
    ).toHaveLength(1);
});

test('a statement is recognized by the comment that it begins with', () => {
  expect(statementName('\n    /* beginDispatch */ update messages')).toBe('beginDispatch');
  expect(statementName('update messages /* beginDispatch */')).toBeUndefined();
});
