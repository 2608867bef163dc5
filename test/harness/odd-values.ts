// Values and texts that no field and few query parameters accept.

export const oddValues = [
  null,
  true,
  -1,
  1e308,
  '',
  'a\u0000b',
  '\ud800',
  'x'.repeat(70_000),
  [],
  [null],
  {},
  { type: 5 },
  '2026-02-30',
  '9999-12-31T23:59:59-14:00',
  '\r\nX-Evil: 1',
  'constructor',
];

export const oddTexts = [
  ...['', '0', '-1', '1e9', '1.5', 'NaN', '%00', '%ED%A0%80', 'x'.repeat(3_000), '[]', '2026-02-30'],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:60Z', '9999-12-31T23:59:59-14:00', '-271821-04-20T00:00:00Z'],
  ...['WyJ4Il0', 'eyJhIjoxfQ', "'%22--", '%25', '%5C', '9223372036854775808'],
];
