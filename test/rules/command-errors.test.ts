// What a failed command prints: what went wrong, and what to do.
import pg from 'pg';
import { expect, test } from 'vitest';
import { errorText } from '../../src/commands/exit-codes.ts';

const withCode = (error: Error, code: string) => Object.assign(error, { code });

test.each([
  ['ENOSPC', 'ENOSPC: no space left on device, write', /write\. The disk is full\. Free space/],
  [
    'EROFS',
    "EROFS: read-only file system, mkdtemp '/data/socket-a'",
    /'\. The file system is read-only\. .* writable/,
  ],
  [
    'EACCES',
    "EACCES: permission denied, open '/data/x'",
    /'\. This user may not do that\. Run as the user who owns/,
  ],
])('says what to do after the system error %s', (code, message, text) => {
  expect(errorText(withCode(new Error(message), code))).toMatch(text);
});

test('says what to do when the disk of the database is full', () => {
  const error = new pg.DatabaseError('could not extend file "base/1/2": No space left on device', 1, 'error');
  expect(errorText(withCode(error, '53100'))).toBe(
    'could not extend file "base/1/2": No space left on device. The disk is full. Free space or enlarge it, then try again.',
  );
});

test('says what to do when the database server has no free connection', () => {
  const reserved = 'remaining connection slots are reserved for roles with the SUPERUSER attribute';
  expect(errorText(withCode(new pg.DatabaseError(reserved, 1, 'error'), '53300'))).toBe(
    `${reserved}. The database server has no free connection. Lower DATABASE_CONNECTIONS of the gateways, or raise max_connections of the server.`,
  );
});

test('adds nothing to an error that says what to do itself', () => {
  const cause = withCode(new Error('EACCES: permission denied'), 'EACCES');
  expect(errorText(new Error('DATA_DIR cannot be used. Set it to another folder.', { cause }))).toBe(
    'DATA_DIR cannot be used. Set it to another folder.',
  );
});
