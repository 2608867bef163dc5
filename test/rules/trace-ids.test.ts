// The ids of traces, and what callers send.
import { expect, test } from 'vitest';
import { parseTraceparent, rootSpanIdOf, traceIdOf, traceparentOf } from '../../src/base/trace-ids.ts';

const id = '01A1FE1F-42F1-769B-BEE7-86DAFE4A635A';

test('a message has one trace in every process', () => {
  expect(traceIdOf(id)).toBe('01a1fe1f42f1769bbee786dafe4a635a');
  expect(rootSpanIdOf(id)).toBe('bee786dafe4a635a');
  expect(parseTraceparent(traceparentOf(id, '00000000000000ab'))).toEqual({
    traceId: traceIdOf(id),
    spanId: '00000000000000ab',
  });
});

test.each([
  undefined,
  '',
  'x'.repeat(10_000),
  `00-${'0'.repeat(32)}-${'a'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  `ff-${'a'.repeat(32)}-${'a'.repeat(16)}-01`,
  `00-${'A'.repeat(32)}-${'a'.repeat(16)}-01`,
])('%j is no traceparent', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
