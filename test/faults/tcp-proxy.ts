// A TCP proxy in front of PostgreSQL that can cut, block or freeze connections.
import { createConnection, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Cuts every connection: a commit may succeed and its response be lost. Returns how many were cut. */
  cut(): number;
  /** Cuts every connection and rejects new ones until `unblock`. */
  block(): void;
  unblock(): void;
  /** Stops all traffic without closing connections; new connections are accepted and stay silent. */
  freeze(): void;
  /** Resumes all traffic. */
  unfreeze(): void;
  close(): Promise<void>;
}

/** Opens a proxy on loopback to a server on a Unix socket or a TCP port. */
export async function openTcpProxy(
  target: { path: string } | { host: string; port: number },
): Promise<TcpProxy> {
  const pairs = new Set<() => void>();
  let isBlocked = false;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    if (isBlocked) return void client.resetAndDestroy();
    const upstream = createConnection({ ...target, noDelay: true });
    const end = () => {
      pairs.delete(cutPair);
      sockets.delete(client);
      sockets.delete(upstream);
      client.destroy();
      upstream.destroy();
    };
    const cutPair = () => {
      pairs.delete(cutPair);
      reset(client);
      upstream.destroy();
    };
    pairs.add(cutPair);
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    for (const socket of [client, upstream]) sockets.add(socket);
    client.pipe(upstream);
    upstream.pipe(client);
    if (isFrozen) for (const socket of [client, upstream]) socket.pause();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const cut = () => {
    const count = pairs.size;
    for (const one of [...pairs]) one();
    return count;
  };
  return {
    port: (server.address() as { port: number }).port,
    cut,
    block() {
      isBlocked = true;
      cut();
    },
    unblock() {
      isBlocked = false;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    unfreeze() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

function reset(socket: Socket): void {
  if (!socket.destroyed) socket.resetAndDestroy();
}
