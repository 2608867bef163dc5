// A proxy in front of PostgreSQL that reports each statement and can block it, cut the connection, or drop the response.

import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';
import type { Connection } from '../../src/db/db.ts';

/**
 * Called before each writing statement and each commit. True: the statement is blocked forever. `cut`: the connection is closed
 * instead. `lost`: the statement runs, and the connection is closed instead of a response.
 */
export type Intercept = (sql: string) => boolean | 'cut' | 'lost';

export interface PostgresProxy {
  /** The database's URL through the proxy. */
  url: string;
  close(): Promise<void>;
}

const isWrite = (sql: string) => /^commit\b|\b(insert into|delete from|(?<!for )update)\b/i.test(sql);

function target(connection: Connection) {
  if ('connectionString' in connection) {
    const url = new URL(connection.connectionString);
    return {
      dial: () => dial({ host: url.hostname, port: Number(url.port || 5432) }),
      through: (port: number) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    };
  }
  const { host, port, user, password, database } = connection;
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  return {
    dial: () => (host.startsWith('/') ? dial(`${host}/.s.PGSQL.${port}`) : dial({ host, port })),
    through: (at: number) => `postgres://${encodeURIComponent(user)}${secret}@127.0.0.1:${at}/${database}`,
  };
}

export async function openPostgresProxy(
  connection: Connection,
  intercept: Intercept,
): Promise<PostgresProxy> {
  const { dial: upstream, through } = target(connection);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = upstream();
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    const read = readStatements();
    let action: ReturnType<Intercept> = false;
    database.on('data', (bytes: Buffer) => (action === 'lost' ? client.destroy() : client.write(bytes)));
    client.on('data', (bytes: Buffer) => {
      for (const { message, sql } of read(bytes)) {
        action ||= sql !== undefined && isWrite(sql) && intercept(sql);
        if (action === 'cut') client.destroy();
        else if (action !== true) database.write(message);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: through((server.address() as AddressInfo).port),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Message {
  message: Buffer;
  /** The statement, if the message starts one. */
  sql?: string;
}

/** Splits a client's bytes into messages (PostgreSQL manual, section 54.7) and reports each statement once. */
function readStatements(): (bytes: Buffer) => Message[] {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  /** Texts of prepared statements, by name. */
  const prepared = new Map<string, string>();
  let parsed: string | undefined;

  const textAt = (message: Buffer, from: number) => message.toString('utf8', from, message.indexOf(0, from));
  const sqlOf = (type: string, message: Buffer): string | undefined => {
    if (type === 'Q') return textAt(message, 5);
    if (type === 'P') {
      const name = textAt(message, 5);
      parsed = textAt(message, 5 + Buffer.byteLength(name) + 1);
      prepared.set(name, parsed);
      return parsed;
    }
    if (type !== 'B') return undefined;
    const isReported = parsed !== undefined;
    parsed = undefined;
    // the statement's Parse message has already reported it
    if (isReported) return undefined;
    const portal = textAt(message, 5);
    return prepared.get(textAt(message, 5 + Buffer.byteLength(portal) + 1));
  };

  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Message[] = [];
    for (;;) {
      const header = isStarted ? 1 : 0;
      if (rest.length < header + 4) return messages;
      const length = header + rest.readUInt32BE(header);
      if (rest.length < length) return messages;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      const type = isStarted ? String.fromCharCode(message[0] ?? 0) : '';
      isStarted = true;
      const sql = sqlOf(type, message)?.replace(/\s+/g, ' ').trim();
      messages.push(sql === undefined ? { message } : { message, sql });
    }
  };
}
