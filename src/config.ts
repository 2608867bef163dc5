// The settings: reads the environment into one frozen Config and reports all problems together. The only reader of process.env.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type MisspeltSetting, misspeltSettings } from './base/misspelt-settings.ts';
import { type Environment, type SettingsReader, settingsReader } from './base/read-settings.ts';
import type { RetentionDays } from './base/retention-days.ts';
import { readSecretFiles } from './base/secret-files.ts';
import {
  isNetwork,
  isOrigin,
  keyProblems,
  placeProblem,
  redisProblems,
  severalHostsProblem,
} from './base/setting-checks.ts';
import { secretSettings, settings } from './base/settings.ts';

export type Role = 'all' | 'api' | 'worker';

export interface Config {
  port: number;
  host: string;
  /** The public URL of the gateway; null: `http://HOST:PORT`. */
  publicUrl: string | null;
  role: Role;
  /** Name of this cell, which new keys contain; null: there are no cells. */
  cell: string | null;
  /** What time a partition of messages and webhooks covers. */
  partitionBy: 'month' | 'day';
  databaseUrl: string | null;
  /** Connections to the database that a process opens at most. */
  databaseConnections: number;
  dataDir: string;
  objectStoreUrl: string;
  /** `id:base64,…`, newest first; null: the keys are in a file in DATA_DIR. */
  encryptionKeys: string | null;
  /** The form of `base/redis-address.ts`. */
  redisUrl: string | null;
  messaging: { apiUrl: string; apiVersion: string };
  google: {
    clientId: string | null;
    clientSecret: string | null;
    apiUrl: string;
    authUrl: string;
    tokenUrl: string;
    revokeUrl: string;
  };
  /** Base of fallback meeting rooms (Jitsi). */
  meetingUrl: string;
  /** Non-public networks that outgoing calls may reach. */
  allowPrivateAddresses: string[];
  /** Whether receivers and servers of customers may use plain HTTP. */
  allowHttpReceivers: boolean;
  sendWaitMs: number;
  webhookTimeoutMs: number;
  rateLimitPerMinute: number;
  accountRateLimitPerMinute: number;
  sessionRateLimitPerMinute: number;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  corsOrigins: string[];
  backup: {
    /** Where the worker writes backups; null: it writes none. */
    to: string | null;
    everyHours: number;
    keep: number;
    /** `id:base64,…`, newest first; null: backups are not encrypted. */
    keys: string | null;
    snapshotMinutes: number;
    megabytesPerSecond: number;
  };
  retentionDays: RetentionDays;
  /** The collector to which spans are sent by OTLP over HTTP; null: none are made. */
  tracesTo: string | null;
  /** How long a stopping process still accepts requests; null: the default, which depends on the environment. */
  shutdownDelayMs: number | null;
  /** The gateway that commands call; the key is null if they create one themselves. */
  gateway: { url: string; isLocal: boolean; apiKey: string | null };
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** Variables that are no settings, but almost named like one. */
  misspelt: MisspeltSetting[];
}

const cellPattern = /^[a-z0-9]{1,16}$/;

/** All problems of the environment, one per line. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Adds the settings of `.env` in the working directory to the environment of this process. Existing variables take precedence.
 * Does nothing without such a file. Throws if it cannot be read: without its settings, a command would create a new database.
 * A file without read permission is ignored if the environment has settings, because service managers read it as root.
 */
export function loadEnvFile(): void {
  let text: string;
  try {
    text = readFileSync('.env', 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const names = [...Object.keys(settings), ...secretSettings.map((name) => `${name}_FILE`)];
    const isConfigured = names.some((name) => process.env[name] !== undefined);
    if (code === 'ENOENT' || (code === 'EACCES' && isConfigured)) return;
    throw new ConfigError([`${resolve('.env')} cannot be read: ${message}`]);
  }
  // some editors write a byte order mark
  for (const [name, value] of Object.entries(parseEnv(text.replace(/^\uFEFF/, ''))))
    process.env[name] ??= value;
}

const web = ['http:', 'https:'];

/** The settings of the scheduled backup. */
function backupSettings(read: SettingsReader): Config['backup'] {
  return {
    to: read.text('BACKUP_TO'),
    everyHours: read.integer('BACKUP_EVERY_HOURS', 24, 1, 8_760),
    keep: read.integer('BACKUP_KEEP', 7, 1, 10_000),
    keys: read.text('BACKUP_KEYS'),
    snapshotMinutes: read.integer('BACKUP_SNAPSHOT_MINUTES', 120, 1, 1_440),
    megabytesPerSecond: read.integer('BACKUP_MB_PER_SECOND', 8, 0, 100_000),
  };
}

/** How long what has ended is kept. */
function retentionSettings(read: SettingsReader): RetentionDays {
  return {
    messages: read.days('RETENTION_DAYS_MESSAGES'),
    received: read.days('RETENTION_DAYS_RECEIVED'),
    deliveries: read.days('RETENTION_DAYS_DELIVERIES'),
    bookings: read.days('RETENTION_DAYS_BOOKINGS'),
    audit: read.days('RETENTION_DAYS_AUDIT'),
  };
}

/** The messaging platform. */
function messagingSettings(read: SettingsReader): Config['messaging'] {
  return {
    apiUrl: read.url('MESSAGING_API_URL', 'https://graph.facebook.com', web),
    apiVersion:
      read.matching('MESSAGING_API_VERSION', /^v\d+\.\d+$/, 'v and a version, as in v23.0') ?? 'v23.0',
  };
}

/** Google's OAuth client and addresses. */
function googleSettings(read: SettingsReader): Config['google'] {
  return {
    clientId: read.text('GOOGLE_CLIENT_ID'),
    clientSecret: read.text('GOOGLE_CLIENT_SECRET'),
    apiUrl: read.url('GOOGLE_API_URL', 'https://www.googleapis.com', web),
    authUrl: read.url('GOOGLE_AUTH_URL', 'https://accounts.google.com/o/oauth2/v2/auth', web),
    tokenUrl: read.url('GOOGLE_TOKEN_URL', 'https://oauth2.googleapis.com/token', web),
    revokeUrl: read.url('GOOGLE_REVOKE_URL', 'https://oauth2.googleapis.com/revoke', web),
  };
}

/** The gateway that commands call; `own`: the address of the one of this machine. */
function calledGateway(read: SettingsReader, own: string): Config['gateway'] {
  return {
    url: read.url('GATEWAY_URL', own, web),
    isLocal: read.text('GATEWAY_URL') === null,
    apiKey: read.text('GATEWAY_API_KEY'),
  };
}

/**
 * Reads the settings. `env` defaults to the process environment; `overrides` (the sandbox's addresses) take precedence. Throws
 * ConfigError with all problems.
 */
export function readConfig(env: Environment = process.env, overrides: Environment = {}): Config {
  const secrets = readSecretFiles(secretSettings, env);
  const read = settingsReader({ ...env, ...secrets.values, ...overrides });
  const severalHosts = severalHostsProblem(read.text('DATABASE_URL'));
  const rateLimitPerMinute = read.integer('RATE_LIMIT_PER_MINUTE', 600, 0, 10_000_000);
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  const port = read.integer('PORT', 8080, 0, 65_535);
  const host = read.text('HOST') ?? '127.0.0.1';
  const config: Config = {
    port,
    host,
    publicUrl: read.url('PUBLIC_URL', null, web),
    role: read.oneOf('ROLE', ['all', 'api', 'worker'] as const, 'all'),
    cell: read.matching('CELL', cellPattern, '1 to 16 lowercase letters and digits'),
    partitionBy: read.oneOf('PARTITION_BY', ['month', 'day'] as const, 'month'),
    databaseUrl: severalHosts ? null : read.url('DATABASE_URL', null, ['postgres:', 'postgresql:']),
    databaseConnections: read.integer('DATABASE_CONNECTIONS', 20, 10, 200),
    dataDir,
    objectStoreUrl: read.url('OBJECT_STORE_URL', `file:${dataDir}/objects`, ['file:', 's3:']),
    encryptionKeys: read.text('ENCRYPTION_KEYS'),
    redisUrl: read.text('REDIS_URL'),
    messaging: messagingSettings(read),
    google: googleSettings(read),
    meetingUrl: read.url('MEETING_URL', 'https://meet.jit.si', web),
    allowPrivateAddresses: read.list('ALLOW_PRIVATE_ADDRESSES'),
    allowHttpReceivers: read.oneOf('ALLOW_HTTP_RECEIVERS', ['true', 'false'] as const, 'false') === 'true',
    sendWaitMs: read.integer('SEND_WAIT_SECONDS', 20, 0, 300) * 1000,
    webhookTimeoutMs: read.integer('WEBHOOK_TIMEOUT_SECONDS', 15, 1, 60) * 1000,
    rateLimitPerMinute,
    accountRateLimitPerMinute: read.integer(
      'ACCOUNT_RATE_LIMIT_PER_MINUTE',
      rateLimitPerMinute === 0 ? 0 : Math.max(6_000, rateLimitPerMinute),
      0,
      10_000_000,
    ),
    sessionRateLimitPerMinute: read.integer('SESSION_RATE_LIMIT_PER_MINUTE', 1_200, 0, 10_000_000),
    trustedProxies: read.list('TRUSTED_PROXIES'),
    corsOrigins: read.list('CORS_ORIGINS'),
    backup: backupSettings(read),
    retentionDays: retentionSettings(read),
    tracesTo: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', null, web),
    shutdownDelayMs:
      read.text('SHUTDOWN_DELAY_SECONDS') === null
        ? null
        : read.integer('SHUTDOWN_DELAY_SECONDS', 5, 0, 300) * 1000,
    gateway: calledGateway(read, localUrl(host, port)),
    logLevel: read.oneOf(
      'LOG_LEVEL',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const,
      'info',
    ),
    misspelt: misspeltSettings(Object.keys(env)),
  };
  read.problems.push(
    ...secrets.problems,
    ...(severalHosts ? [severalHosts] : []),
    ...combinedProblems(config),
  );
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return Object.freeze(config);
}

/** The address under which this machine reaches its own gateway. */
function localUrl(host: string, port: number): string {
  const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIP(own) === 6 ? `[${own}]` : own}:${port}`;
}

/** Problems of combinations of valid settings, and of lists. */
function combinedProblems(config: Config): string[] {
  const problems: string[] = [];
  if (config.databaseUrl !== null && config.encryptionKeys === null) {
    problems.push(
      'ENCRYPTION_KEYS is required with DATABASE_URL, because all processes must use the same keys. ' +
        'Create one with: echo "k1:$(openssl rand -base64 32)"',
    );
  }
  const { username, password, search, hash } = new URL(config.publicUrl ?? 'http://localhost');
  if (username + password + search + hash !== '') {
    problems.push(
      'PUBLIC_URL must have neither a user name nor a query nor a fragment: paths are appended to it.',
    );
  }
  if ((config.google.clientId === null) !== (config.google.clientSecret === null)) {
    problems.push('GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET belong together: set both or neither.');
  }
  for (const network of config.allowPrivateAddresses.filter((text) => !isNetwork(text))) {
    problems.push(
      `ALLOW_PRIVATE_ADDRESSES contains "${network}", which is not a network in CIDR notation, such as 10.0.0.0/8 or fd00::/8.`,
    );
  }
  for (const proxy of config.trustedProxies.filter((text) => isIP(text) === 0 && !isNetwork(text))) {
    problems.push(
      `TRUSTED_PROXIES contains "${proxy}", which is neither an address nor a network in CIDR notation, such as 10.0.0.5 or 10.0.0.0/8.`,
    );
  }
  for (const origin of config.corsOrigins.filter((text) => !isOrigin(text))) {
    problems.push(
      `CORS_ORIGINS contains "${origin}", which is not an origin, such as https://app.example.com (without a trailing slash).`,
    );
  }
  const places = { OBJECT_STORE_URL: config.objectStoreUrl, BACKUP_TO: config.backup.to };
  for (const [name, place] of Object.entries(places)) {
    const problem = place === null ? undefined : placeProblem(place);
    if (problem) problems.push(`${name} ${problem}.`);
  }
  return [
    ...problems,
    ...redisProblems(config.redisUrl),
    ...keyProblems('ENCRYPTION_KEYS', config.encryptionKeys),
    ...keyProblems('BACKUP_KEYS', config.backup.keys),
  ];
}
