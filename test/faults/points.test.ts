// The campaign's points and those of bookings name statements of the gateway.
import { RawNode } from 'kysely';
import { expect, test } from 'vitest';
import { thenCommit } from '../../src/db/preparing-client.ts';
import { readSources } from '../harness/source.ts';
import { sharedStatements } from './booking-points.ts';
import { backgroundStatements } from './frozen-gateways.ts';
import { commits, points, statementName } from './points.ts';

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

test('a commit is recognized alone, and with the last statement of its transaction', () => {
  const mark = thenCommit(true).toOperationNode();
  if (!RawNode.is(mark)) throw new Error('thenCommit is no text');
  expect(commits('commit')).toBe(true);
  expect(commits(`select 1 ${mark.sqlFragments.join('')}`)).toBe(true);
  expect(commits('select 1')).toBe(false);
});
