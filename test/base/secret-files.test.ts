// Secrets of the settings in files: NAME_FILE, and systemd's credentials.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { secretSettings, settings } from '../../src/base/settings.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { readProjectFile } from '../harness/documents.ts';

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const url = 'postgres://gateway:secret@db/gateway';
const keys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

test('every secret setting is read from the file of NAME_FILE, without the line end', () => {
  const env = {
    DATABASE_URL_FILE: file('url', `${url}\n`),
    ENCRYPTION_KEYS_FILE: file('keys', `${keys}\r\n`),
    BACKUP_KEYS_FILE: file('backup-keys', keys),
    REDIS_URL_FILE: file('redis', 'redis://:secret@cache:6379'),
    GOOGLE_CLIENT_ID: 'client',
    GOOGLE_CLIENT_SECRET_FILE: file('google', 'secret'),
    GATEWAY_API_KEY_FILE: file('api-key', 'cgw_x'),
  };
  expect(Object.keys(env).filter((name) => name.endsWith('_FILE'))).toHaveLength(secretSettings.length);
  expect(readConfig(env)).toMatchObject({
    databaseUrl: url,
    encryptionKeys: keys,
    backup: { keys },
    redisUrl: 'redis://:secret@cache:6379',
    google: { clientSecret: 'secret' },
    gateway: { apiKey: 'cgw_x' },
  });
});

test('credentials of a systemd service are read by the names of the settings; a variable takes precedence', () => {
  file('DATABASE_URL', url);
  file('ENCRYPTION_KEYS', keys);
  const env = { CREDENTIALS_DIRECTORY: folder };
  expect(readConfig(env)).toMatchObject({ databaseUrl: url, encryptionKeys: keys, redisUrl: null });
  expect(readConfig({ ...env, DATABASE_URL: 'postgres://other/x' })).toMatchObject({
    databaseUrl: 'postgres://other/x',
  });
});

test('a missing file, an empty file and both forms of a setting are problems that do not show the secret', () => {
  const env = {
    DATABASE_URL: url,
    DATABASE_URL_FILE: file('second', url),
    ENCRYPTION_KEYS_FILE: join(folder, 'none'),
    BACKUP_KEYS_FILE: file('empty', '\n'),
  };
  expect(() => readConfig(env)).toThrow(ConfigError);
  expect(() => readConfig(env)).toThrow(/DATABASE_URL and DATABASE_URL_FILE are both set/);
  expect(() => readConfig(env)).toThrow(/ENCRYPTION_KEYS_FILE: the file .*none cannot be read \(ENOENT\)/);
  expect(() => readConfig(env)).toThrow(/BACKUP_KEYS_FILE: the file .*empty is empty/);
  expect(() => readConfig(env)).not.toThrow(/gateway:secret/);
});

test('every secret setting is a setting, and .env.example names it with its form in a file', () => {
  const [header = ''] = readProjectFile('.env.example').split('\n\n');
  for (const name of secretSettings) {
    expect(Object.keys(settings)).toContain(name);
    expect(header).toContain(name);
  }
});
