// Logs during an outage: repeated errors are logged once and counted, and files are rotated by size.
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { flushLog, openLog } from '../../src/base/log.ts';
import { openLogFile } from '../../src/base/log-file.ts';
import { gatherLines } from '../../src/base/log-lines.ts';
import { rotateServerLog } from '../../src/db/embedded/log.ts';
import { until } from '../harness/until.ts';

type Line = Record<string, unknown> & { msg: string; err?: { stack?: string } };

function opened(everyMs = 60_000) {
  const lines: Line[] = [];
  const log = openLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) }, { everyMs });
  return { log, lines };
}
const away = (id: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 10.0.0.1:${id}`), { code: 'ECONNREFUSED' });

describe('a repeated error', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is logged once, summarized each minute, and logged again when it recurs after its end', () => {
    const { log, lines } = opened();
    const fails = () => log.error({ err: away(5432), reqId: 'r' }, 'request.failed');
    for (let n = 0; n < 1_000; n += 1) fails();
    expect(lines.map(({ msg }) => msg)).toEqual(['request.failed']);
    expect(lines[0]?.err?.stack).toMatch(/ at /);
    vi.advanceTimersByTime(60_000);
    expect(lines[1]).toMatchObject({ msg: 'error.repeated', of: 'request.failed', times: 999, total: 999 });
    expect(lines[1]?.examples).toHaveLength(5);
    expect(JSON.stringify(lines[1])).not.toMatch(/ at /);
    fails();
    vi.advanceTimersByTime(120_000);
    expect(lines.slice(2).map(({ times, ended }) => [times, ended])).toEqual([
      [1, undefined],
      [0, true],
    ]);
    fails();
    expect(lines.at(-1)).toMatchObject({ msg: 'request.failed' });
    vi.advanceTimersByTime(600_000);
    expect(lines).toHaveLength(5);
  });

  test('is matched despite other numbers and ids, but not for another location, kind of work or cause', () => {
    const { log, lines } = opened();
    for (const n of [1, 2, 3]) log.warn({ err: away(n) }, 'work.failed');
    log.warn({ err: new Error('connect ECONNREFUSED 10.0.0.1:4') }, 'work.failed');
    for (const work of ['settle', 'follow', 'settle']) log.error({ err: away(1), work }, 'work.failed');
    const caused = (cause: string) =>
      new Error('storage', { cause: Object.assign(new Error(cause), { stack: '' }) });
    for (const cause of ['full', 'gone', 'full']) log.error({ err: caused(cause) }, 'upload.failed');
    expect(lines).toHaveLength(6);
  });

  test('is summarized before the process exits', () => {
    const { log, lines } = opened();
    for (let n = 0; n < 3; n += 1) log.child({ reqId: n }).error({ err: away(n) }, 'request.failed');
    flushLog(log);
    expect(lines.at(-1)).toMatchObject({ msg: 'error.repeated', times: 2, ended: true });
  });

  test('has no summary without a repetition, and lines without an error are not counted', () => {
    const { log, lines } = opened();
    log.error({ err: away(1) }, 'request.failed');
    for (let n = 0; n < 3; n += 1) log.warn({ senderId: n }, 'sender.halted');
    vi.advanceTimersByTime(600_000);
    expect(lines.map(({ msg }) => msg)).toEqual(['request.failed', ...Array(3).fill('sender.halted')]);
  });
});

describe('lines on their way to standard output', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function gathered() {
    const writes: string[] = [];
    const log = openLog(
      'info',
      gatherLines((text) => void writes.push(text)),
    );
    const messages = () =>
      writes.map((text) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).msg),
      );
    return { log, messages };
  }

  test('share one write for 10 ms, in order', () => {
    const { log, messages } = gathered();
    log.info('a');
    log.child({ reqId: '1' }).info('b');
    vi.advanceTimersByTime(9);
    expect(messages()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(messages()).toEqual([['a', 'b']]);
    log.info('c');
    vi.advanceTimersByTime(10);
    expect(messages()).toEqual([['a', 'b'], ['c']]);
  });

  test('are written immediately with a warning, and beyond 64 KiB', () => {
    const { log, messages } = gathered();
    log.info('a');
    log.warn('b');
    expect(messages()).toEqual([['a', 'b']]);
    log.info({ text: 'x'.repeat(65 * 1024) }, 'c');
    expect(messages()).toEqual([['a', 'b'], ['c']]);
  });

  test('are complete when the process exits, or ends with an uncaught error', () => {
    const file = new URL('../../src/base/log.ts', import.meta.url).href;
    const run = (end: string) =>
      spawnSync(process.execPath, [
        ...['--input-type=module', '--eval'],
        `const { openLog } = await import('${file}'); const log = openLog('info'); log.info('last'); ${end}`,
      ]).stdout.toString();
    expect(run('process.exit(1)')).toMatch(/"msg":"last"/);
    expect(run('throw new Error("bug")')).toMatch(/"msg":"last"/);
  });
});

describe('a log file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-test-'));
  });
  // the last rotation may still be creating a file
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  test('of the gateway is rotated by size, keeps three older files, and is readable only by its owner', async () => {
    const file = openLogFile(join(folder, 'gateway.log'), 10_000);
    const settled = async () => (await readdir(folder)).sort();
    for (let n = 0; n < 100; n += 1) {
      file.write(`${String(n).padEnd(999)}\n`);
      if (n % 10 === 9) await until(async () => expect((await settled()).length).toBeGreaterThan(0));
    }
    await until(async () => {
      expect(await settled()).toEqual(['gateway.log', 'gateway.log.1', 'gateway.log.2', 'gateway.log.3']);
      for (const name of await settled()) expect((await stat(join(folder, name))).size).toBeLessThan(12_000);
    });
    expect((await stat(join(folder, 'gateway.log.1'))).mode & 0o777).toBe(0o600);
    await file.close();
  });

  test('of the embedded server is truncated at its limit while the server keeps appending', async () => {
    const path = join(folder, 'postgres.log');
    appendFileSync(path, 'x'.repeat(1_000));
    expect(await rotateServerLog(path, 1_000)).toBe(false);
    appendFileSync(path, 'y');
    expect(await rotateServerLog(path, 1_000)).toBe(true);
    appendFileSync(path, 'after');
    expect(await readFile(path, 'utf8')).toBe('after');
    expect((await stat(`${path}.1`)).size).toBe(1_001);
  });
});
