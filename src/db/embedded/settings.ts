// Settings of the embedded server: durable, reachable by this user only, and small enough for a small machine.
import { totalmem } from 'node:os';

/** Where the server listens: a socket in a private folder or, where Unix sockets are missing, a loopback port. */
export type ListenAddress = { socketFolder: string } | { port: number };

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)}MB`;
}

/** Memory available to this process: the container's limit if there is one. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

const between = (low: number, value: number, high: number) => Math.min(high, Math.max(low, value));

function listenSettings(reach: ListenAddress): Record<string, string> {
  if ('port' in reach) {
    return { listen_addresses: '127.0.0.1', port: String(reach.port), unix_socket_directories: '' };
  }
  return {
    listen_addresses: '',
    unix_socket_directories: `"${reach.socketFolder}"`,
    unix_socket_permissions: '0700',
  };
}

/** The first major version with `io_method`. */
const asynchronousIo = 18;

/** Every setting that differs from PostgreSQL's default. The PostgreSQL manual describes each. */
export function serverSettings(reach: ListenAddress, major: string): Record<string, string> {
  const memory = memoryBytes();
  return {
    ...listenSettings(reach),
    max_connections: '100',
    fsync: 'on',
    synchronous_commit: 'on',
    shared_buffers: megabytes(between(64 * 2 ** 20, memory / 8, 2 ** 30)),
    effective_cache_size: megabytes(memory / 2),
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    // this build has no lz4 and would not start with it
    wal_compression: 'pglz',
    checkpoint_timeout: '15min',
    max_wal_size: '2GB',
    // the other methods need more processes, or io_uring, which containers often forbid
    ...(Number(major) >= asynchronousIo ? { io_method: 'sync' } : {}),
    huge_pages: 'off',
    // short statements by key gain nothing from parallel workers, and containers have too little shared memory for them
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    autovacuum_max_workers: '2',
    autovacuum_naptime: '20s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.1',
    autovacuum_analyze_scale_factor: '0.05',
    autovacuum_vacuum_cost_limit: '1000',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // the program reports failed statements; their text here would put personal data into the log
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
  };
}

/** The text of a postgresql.conf. */
export function settingsText(settings: Record<string, string>): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  return `# Rewritten at each start of the gateway; changes are lost.\n${lines.join('\n')}\n`;
}

/** The text of pg_hba.conf: every connection needs a password, whichever user of the machine opens it. */
export const hbaText = `# Written again at each start of the gateway; changes made here are lost.
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
`;
