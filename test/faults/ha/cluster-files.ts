// The configuration files of a cluster: Patroni's of each node, and HAProxy's, as docs/high-availability.md recommends them.
import { join } from 'node:path';

/** How commits are replicated: not awaited; awaited while there is a standby; awaited always. */
export type Mode = 'async' | 'sync' | 'strict';

export const password = 'campaign';

/** Patroni's settings of a mode. */
export const replicationSettings = (mode: Mode) => ({
  synchronous_mode: mode !== 'async',
  synchronous_mode_strict: mode === 'strict',
});

/** Seconds that Patroni gives a crashed primary to recover in place; 0: another one takes over. Patroni 3.2 renamed it. */
export const startTimeout = (seconds: number) => ({
  master_start_timeout: seconds,
  primary_start_timeout: seconds,
});

export interface NodeFiles {
  name: string;
  folder: string;
  postgresFolder: string;
  postgresPort: number;
  restPort: number;
  /** Ports of the proxies by which others reach the node, and by which it reaches etcd. */
  replicationPort: number;
  peerRestPort: number;
  etcdPort: number;
}

/** Patroni's configuration of a node. JSON is YAML. */
export function patroniFile(node: NodeFiles, mode: Mode): string {
  const users = { superuser: 'postgres', replication: 'replicator', rewind: 'rewinder' };
  const authentication = Object.entries(users).map(([kind, username]) => [kind, { username, password }]);
  return JSON.stringify({
    scope: 'gateway',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.restPort}`, connect_address: `127.0.0.1:${node.peerRestPort}` },
    // without use_proxies, Patroni learns etcd's own address and passes the proxy by
    etcd3: { host: `127.0.0.1:${node.etcdPort}`, use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        ...startTimeout(0),
        maximum_lag_on_failover: 1_000_000_000,
        ...replicationSettings(mode),
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 200,
            wal_level: 'replica',
            wal_log_hints: 'on',
            shared_buffers: '64MB',
            max_wal_senders: 10,
            wal_keep_size: '256MB',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums', { locale: 'C.UTF-8' }],
      pg_hba: [
        'local all all trust',
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
      ],
    },
    postgresql: {
      listen: `127.0.0.1:${node.postgresPort}`,
      // the address from which others replicate
      connect_address: `127.0.0.1:${node.replicationPort}`,
      data_dir: join(node.folder, 'data'),
      bin_dir: node.postgresFolder,
      pgpass: join(node.folder, 'pgpass'),
      authentication: Object.fromEntries(authentication),
      parameters: { unix_socket_directories: node.folder },
    },
    watchdog: { mode: 'off' },
  });
}

/** HAProxy's configuration: the node that answers 200 at /primary is the primary; a node that no longer does loses its sessions. */
export function haproxyFile(port: number, nodes: readonly NodeFiles[]): string {
  const servers = nodes.map(
    ({ name, postgresPort, restPort }) => `  server ${name} 127.0.0.1:${postgresPort} check port ${restPort}`,
  );
  return `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 3s
  timeout client 30m
  timeout server 30m
  timeout check 2s
  retries 1
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms downinter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
