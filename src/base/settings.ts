// The settings: every environment variable that the program reads, with its description.
import { retentionSettings } from './retention-days.ts';

/** Every setting with its description. A test compares `.env.example` with this list. */
export const settings: Record<string, string> = {
  PORT: 'Port to listen on; 0 for any free one. Default 8080.',
  HOST: 'Address to listen on; 0.0.0.0 for all. Default 127.0.0.1.',
  PUBLIC_URL:
    'Public address of the gateway, from which callback addresses, the OAuth redirect and dashboard links are derived.',
  ROLE: 'all (default), api (serves requests) or worker (runs the workers).',
  CELL: 'Name of this cell (1 to 16 lowercase letters and digits), if there are several: new API keys contain it. Default none.',
  DATABASE_URL: 'A PostgreSQL server, version 15 or later. Without it, an embedded server runs in DATA_DIR.',
  DATABASE_CONNECTIONS:
    'Connections to PostgreSQL that each process opens at most, from 10 to 200. Default 20.',
  PARTITION_BY:
    'month (default) or day: the time that a partition of messages and webhooks covers. day from about a million messages a day.',
  DATA_DIR: 'Folder of the embedded database, the key file and uploaded files. Default ./data.',
  OBJECT_STORE_URL:
    'Where uploaded files are stored, encrypted: file:/path or s3://bucket/prefix?region=…&endpoint=…. Default: DATA_DIR/objects.',
  ENCRYPTION_KEYS:
    'Keys of stored secrets and files: id:base64 of 32 bytes, comma-separated, newest first. Required with DATABASE_URL.',
  REDIS_URL:
    'Shares rate limits between processes: redis://host:port, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port. Without it, each process counts separately.',
  MESSAGING_API_URL: 'Base URL of the messaging platform. Default https://graph.facebook.com.',
  MESSAGING_API_VERSION: "Version of the platform's API. Default v23.0.",
  GOOGLE_CLIENT_ID: 'OAuth client for Google Calendar. Without it, Google calendars cannot be connected.',
  GOOGLE_CLIENT_SECRET: 'Secret of the OAuth client.',
  GOOGLE_API_URL: 'Base URL of the Google Calendar API. Default https://www.googleapis.com.',
  GOOGLE_AUTH_URL: "Google's authorization endpoint. Default https://accounts.google.com/o/oauth2/v2/auth.",
  GOOGLE_TOKEN_URL: "Google's token endpoint. Default https://oauth2.googleapis.com/token.",
  GOOGLE_REVOKE_URL: "Google's revocation endpoint. Default https://oauth2.googleapis.com/revoke.",
  MEETING_URL:
    'Base URL of meeting rooms, for bookings whose calendar creates no meeting link. Default https://meet.jit.si.',
  ALLOW_PRIVATE_ADDRESSES:
    "Private networks (CIDR, comma-separated) in which webhook receivers, CalDAV servers and senders' own apiUrl may be.",
  ALLOW_HTTP_RECEIVERS:
    "true allows plain http for webhook receivers, CalDAV servers and senders' own apiUrl, for trials. Default false.",
  SEND_WAIT_SECONDS: 'How long a send waits for the platform before it responds. Default 20.',
  WEBHOOK_TIMEOUT_SECONDS: 'Timeout of a webhook call. Default 15.',
  RATE_LIMIT_PER_MINUTE: 'Requests per API key and minute; 0 for no limit. Default 600.',
  ACCOUNT_RATE_LIMIT_PER_MINUTE:
    'Requests per account and minute, for all keys together; 0 for no limit. Default 6000 (RATE_LIMIT_PER_MINUTE if that is higher, or 0).',
  SESSION_RATE_LIMIT_PER_MINUTE:
    'Requests per session and minute, which do not count for its key; 0 for no limit. Default 1200.',
  TRUSTED_PROXIES:
    'Addresses and networks (CIDR, comma-separated) of your reverse proxies: only their X-Forwarded-For is trusted. Default none.',
  CORS_ORIGINS: 'Origins (comma-separated) whose pages may call the API. Default none.',
  BACKUP_TO:
    'Directory or s3://bucket/prefix?… to which a worker writes backups. Without it, none are written.',
  BACKUP_EVERY_HOURS: 'Hours between two backups of the worker. Default 24.',
  BACKUP_KEEP: 'How many backups the worker keeps in BACKUP_TO. Default 7.',
  BACKUP_KEYS:
    'Keys that encrypt backups, in the form of ENCRYPTION_KEYS. Store them apart from backups. Default none.',
  BACKUP_SNAPSHOT_MINUTES:
    'Minutes after which a backup gives up its snapshot of the database, and fails. Default 120.',
  BACKUP_MB_PER_SECOND: 'Megabytes that a backup reads per second at most; 0 for no limit. Default 8.',
  ...retentionSettings,
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'Collector of OpenTelemetry, such as http://127.0.0.1:4318, to which traces are sent. Without it, none are made.',
  SHUTDOWN_DELAY_SECONDS:
    'Seconds for which a stopping process still serves requests while readiness is 503. If unset: 5, but 0 on a terminal and in the sandbox.',
  GATEWAY_URL:
    'For commands that call a running gateway: its address. Default: the one of this machine, from HOST and PORT.',
  GATEWAY_API_KEY:
    'For commands that call a running gateway: an API key. Without it, they create one in the database and revoke it when they end.',
  LOG_LEVEL: 'fatal, error, warn, info (default), debug, trace or silent.',
};

/** Settings with secrets. `NAME_FILE` names a file with the value, for Docker's secrets; systemd's credentials of these names are read too. */
export const secretSettings: readonly string[] = [
  'DATABASE_URL',
  'ENCRYPTION_KEYS',
  'REDIS_URL',
  'GOOGLE_CLIENT_SECRET',
  'BACKUP_KEYS',
  'GATEWAY_API_KEY',
];
