// A door before PostgreSQL: it lets every statement pass, tells which one comes, and can keep one back for ever, or lose its answer.

import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';
import type { Connection } from '../../src/db/db.ts';

/**
 * Told of each statement that writes, and of each commit, before it passes; true: it never does; `cut`: the connection
 * ends instead; `lost`: it passes, and the connection ends instead of its answer.
 */
export type Gate = (sql: string) => boolean | 'cut' | 'lost';

export interface PostgresDoor {
  /** The address of the database by way of the door. */
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

export async function openPostgresDoor(connection: Connection, gate: Gate): Promise<PostgresDoor> {
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
    let said: ReturnType<Gate> = false;
    database.on('data', (bytes: Buffer) => (said === 'lost' ? client.destroy() : client.write(bytes)));
    client.on('data', (bytes: Buffer) => {
      for (const { message, sql } of read(bytes)) {
        said ||= sql !== undefined && isWrite(sql) && gate(sql);
        if (said === 'cut') client.destroy();
        else if (said !== true) database.write(message);
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
  /** Of a message by which a statement begins. */
  sql?: string;
}

/** Cuts what a client sends into messages (PostgreSQL's manual, 54.7), each statement told once. */
function readStatements(): (bytes: Buffer) => Message[] {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  /** Texts of statements that were prepared under a name. */
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
    const isTold = parsed !== undefined;
    parsed = undefined;
    // a statement whose Parse came along was told by it
    if (isTold) return undefined;
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
