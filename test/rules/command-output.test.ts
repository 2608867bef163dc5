// What commands print: texts of other systems cannot control the operator's terminal.
import { afterEach, expect, test, vi } from 'vitest';
import { note, say, sayEach } from '../../src/commands/output.ts';

afterEach(() => vi.restoreAllMocks());

test('control characters of a printed text are shown as codes; line breaks and tabs stay', () => {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const hostile = 'title=\x1b]0;owned\x07\x1b[2J\x9b1A\rfailed\tnext\nline \u00e9\u{1f600}';
  say(hostile);
  note(hostile);
  sayEach({}, hostile);
  const shown = 'title=\\u001b]0;owned\\u0007\\u001b[2J\\u009b1A\\u000dfailed\tnext\nline \u00e9\u{1f600}\n';
  expect(written).toEqual([shown, shown, shown]);
});
