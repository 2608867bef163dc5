// Findings of "doctor" about disks, backups and clocks.
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { clockFinding } from '../../src/operator/clock-finding.ts';
import { diskFinding } from '../../src/operator/disks.ts';
import { findingText } from '../../src/operator/finding.ts';
import { backupFinding } from '../../src/operator/findings.ts';

const gb = 1e9;

test.each([
  ['half of a disk', 50, 100, 'ok'],
  ['less than a tenth', 9, 100, 'note'],
  ['less than 2 %', 1.9, 100, 'failed'],
  ['less than 1 GB', 0.9, 20, 'failed'],
  ['100 GB of 10 TB', 100, 10_000, 'ok'],
  ['three quarters of a small disk', 0.75, 1, 'ok'],
])('%s: %f of %f GB is %s', (_what, free, total, status) => {
  const disk = { use: 'data', path: '/d', freeBytes: free * gb, totalBytes: total * gb };
  expect(diskFinding([disk]).status).toBe(status);
});

test('space is said in powers of 1,000, as disks are sold', () => {
  const disk = { use: 'data', path: '/d', freeBytes: 50e9, totalBytes: 100e9 };
  expect(diskFinding([disk]).text).toBe('data 50.0 of 100.0 GB free in /d');
});

test('the worst of several disks counts', () => {
  const disk = (free: number) => ({ use: 'data', path: '/d', freeBytes: free * gb, totalBytes: 100 * gb });
  expect(diskFinding([disk(50), disk(1)]).status).toBe('failed');
});

test.each([
  ['none', null, 0, 'note'],
  ['of 20 hours', 20, 0, 'ok'],
  ['of 26 hours', 26, 0, 'note'],
  ['of 20 hours, and a failed one since', 20, 1, 'note'],
])('a good backup: %s', (_what, hours, failures, status) => {
  const state = {
    ...{
      goodSeconds: hours && hours * 3_600,
      tookSeconds: 1,
      bytes: 1,
      beganSeconds: 1,
      snapshotSeconds: null,
    },
    ...{ failures, lastFailure: failures > 0 ? 'no space' : null },
  };
  expect(backupFinding(state, readConfig({ BACKUP_TO: '/backups' })).status).toBe(status);
});

test('clocks that differ by two seconds are a note, with what to do', () => {
  const at = (databaseMs: number) => clockFinding(0, { databaseMs, machineMs: 0, steps: [] });
  expect(at(1_900).status).toBe('ok');
  expect(at(-2_000)).toMatchObject({
    status: 'note',
    text: expect.stringContaining('2.0 s behind'),
    fix: expect.stringContaining('NTP'),
  });
});

test('a terminal shows the fix below its finding', () => {
  expect(findingText({ check: 'disks', status: 'failed', text: 'full', fix: 'Free space.' })).toBe(
    'FAIL  disks: full\n      Fix: Free space.',
  );
});
