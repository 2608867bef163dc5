// The log on standard output: a full disk, a full pipe and a reader that is gone cost lines, never the process.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openOutput } from '../../src/base/log-output.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A descriptor whose writes fail with these codes, or take this many bytes, in turn; then it takes everything. */
function faked(...turns: (string | number)[]) {
  let out = '';
  const write = (data: Uint8Array): number => {
    const turn = turns.shift() ?? data.length;
    if (typeof turn === 'string') throw Object.assign(new Error(turn), { code: turn });
    out += Buffer.from(data.subarray(0, turn)).toString();
    return Math.min(turn, data.length);
  };
  const files = {
    write(
      _fd: number,
      data: Buffer,
      _from: number,
      _length: number,
      _at: null,
      done: (...of: unknown[]) => void,
    ) {
      let written = 0;
      try {
        written = write(data);
      } catch (error) {
        return done(error, 0);
      }
      return done(null, written);
    },
    writeSync: (_fd: number, data: Uint8Array) => write(data),
  };
  return { output: openOutput(1, files as never), out: () => out };
}

test('a full disk delays lines until there is space, without a broken one', () => {
  const { output, out } = faked('ENOSPC', 3, 'ENOSPC');
  output.write('one\ntwo\n');
  output.write('three\n');
  vi.advanceTimersByTime(1_000);
  expect(out()).toBe('one');
  vi.advanceTimersByTime(1_000);
  expect(out()).toBe('one\ntwo\nthree\n');
});

test('while nothing can be written, lines over a limit are lost, not memory', () => {
  const { output, out } = faked('ENOSPC');
  output.write('first\n');
  for (let n = 0; n < 20; n += 1) output.write(`${'x'.repeat(2 ** 20 - 1)}\n`);
  vi.advanceTimersByTime(1_000);
  expect(out().length).toBeLessThanOrEqual(6 + 16 * 2 ** 20);
  output.write('last\n');
  expect(out()).toMatch(/last\n$/);
});

test('a full pipe is tried again', () => {
  const { output, out } = faked('EAGAIN', 'EAGAIN');
  output.write('one\n');
  vi.advanceTimersByTime(200);
  expect(out()).toBe('one\n');
});

test('a reader that is gone gets no more lines', () => {
  const { output, out } = faked('EPIPE');
  output.write('one\n');
  output.write('two\n');
  output.flush();
  expect(out()).toBe('');
});

test('the end of the process writes what waits, and does not wait for space', () => {
  const later = faked('EAGAIN', 'EAGAIN');
  later.output.write('one\n');
  later.output.flush();
  expect(later.out()).toBe('one\n');
  const full = faked('ENOSPC', 'ENOSPC');
  full.output.write('one\n');
  full.output.flush();
  expect(full.out()).toBe('');
});

test('a process whose log cannot be written works and ends', () => {
  const full = openSync('/dev/full', 'w');
  const code = `
    import { openLog } from '${new URL('../../src/base/log.ts', import.meta.url)}';
    const log = openLog('info');
    log.warn('one');
    setTimeout(() => { process.stderr.write('works'); log.warn('two'); process.exit(0); }, 100);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', full, 'pipe'],
    timeout: 20_000,
    encoding: 'utf8',
  });
  closeSync(full);
  expect({ status, stderr }).toEqual({ status: 0, stderr: 'works' });
});
