// Settings that would have no effect or a wrong one: misspelt names, and values that look right.
import { expect, test } from 'vitest';
import { misspeltSettings } from '../../src/base/misspelt-settings.ts';
import { settings } from '../../src/base/settings.ts';
import { readConfig } from '../../src/config.ts';
import { settingsFinding } from '../../src/operator/settings-finding.ts';

test.each([
  ['BACKUP_KEY', 'BACKUP_KEYS'],
  ['RETENTION_DAYS_MESAGES', 'RETENTION_DAYS_MESSAGES'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['ENCRYPTION_KEY_FILE', 'ENCRYPTION_KEYS_FILE'],
  ['PUBLICURL', 'PUBLIC_URL'],
  ['backup_to', 'BACKUP_TO'],
  ['HOSR', undefined],
  ['HXSTS', undefined],
  ['XREDIS_URL', 'REDIS_URL'],
  ['ENXCRYPTIONKEYS', 'ENCRYPTION_KEYS'],
  ['GOOGLE_CLIENTID', 'GOOGLE_CLIENT_ID'],
  ['RETENTON_DAY_MESSAGE', 'RETENTION_DAYS_MESSAGES'],
  ['RETENTON_DAY_MESAGE', undefined],
])('%s is probably %s', (name, setting) => {
  expect(misspeltSettings([name])).toEqual(setting === undefined ? [] : [{ name, setting }]);
});

test('settings, their files and names of other programs are not misspelt', () => {
  const others = [
    ...[
      'HOME',
      'PATH',
      'HOSTNAME',
      'LOGNAME',
      'LANG',
      'TZ',
      'PWD',
      'MAIL',
      'TERM',
      'NODE_ENV',
      'NODE_OPTIONS',
    ],
    ...[
      'DATABASE_USER',
      'DATABASE_NAME',
      'DATABASE_HOST',
      'REDIS_HOST',
      'REDIS_PORT',
      'GATEWAY_PORT',
      'PGDATA',
    ],
    ...['AWS_ACCESS_KEY_ID', 'AWS_REGION', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS', 'LOG_FILE'],
    ...['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_SERVICE_NAME', 'ICU_TIMEZONE_FILES_DIR', 'CREDENTIALS_DIRECTORY'],
  ];
  expect(misspeltSettings([...Object.keys(settings), 'BACKUP_KEYS_FILE', ...others])).toEqual([]);
});

test('doctor names them, because without a word the setting has no effect', () => {
  const config = readConfig({ DATA_DIR: '/data', BACKUP_KEY: 'k1:secret' });
  expect(settingsFinding(config)).toEqual({
    status: 'note',
    text: 'data in /data, role all; not a setting: BACKUP_KEY (BACKUP_KEYS?)',
    fix: 'Correct these names, or remove the variables: .env.example lists all settings.',
  });
  expect(settingsFinding(readConfig({ DATA_DIR: '/data' }))).toMatchObject({ status: 'ok' });
});

test.each([
  ['MESSAGING_API_VERSION', '23.0', 'v and a version'],
  ['MESSAGING_API_VERSION', 'v23', 'v and a version'],
  ['PUBLIC_URL', 'https://ada:secret@gateway.example.com', 'paths are appended'],
  ['PUBLIC_URL', 'https://gateway.example.com/?from=mail', 'paths are appended'],
  ['PUBLIC_URL', 'https://gateway.example.com/#docs', 'paths are appended'],
])('%s=%s is rejected', (name, value, why) => {
  expect(() => readConfig({ [name]: value })).toThrow(why);
});

test.each(['0x50', '1e3', '8080.0', '+80', '-1', '65536', 'http'])('PORT=%s is rejected', (value) => {
  const problem = `PORT must be a whole number from 0 to 65535, not "${value}".`;
  expect(() => readConfig({ PORT: value })).toThrow(problem);
});

test.each([
  'ftp://host/a',
  'gs://bucket',
  'S3://bucket',
  's3://',
  's3:/bucket',
  'https://bucket.s3.amazonaws.com',
])('BACKUP_TO=%s is not the name of a directory', (text) => {
  expect(() => readConfig({ BACKUP_TO: text })).toThrow('BACKUP_TO must be a path or a bucket, as in s3://');
});

test.each([
  '/var/backups',
  'backups',
  './a:b',
  'file:///var/backups',
  'file:backups',
  's3://bucket/prefix?region=x',
])('BACKUP_TO=%s is a place', (text) => {
  expect(readConfig({ BACKUP_TO: text }).backup.to).toBe(text);
});

test('a bucket without a name stores no files', () => {
  expect(() => readConfig({ OBJECT_STORE_URL: 's3://' })).toThrow('OBJECT_STORE_URL must be');
});
