// An address that is pointed elsewhere without cutting its connections, as DNS and virtual addresses are.
import { createConnection, createServer, type Socket } from 'node:net';

export interface MovableAddress {
  port: number;
  /** New connections lead there; existing ones stay. */
  pointTo(port: number): void;
  cut(): void;
  close(): Promise<void>;
}

/** Opens an address on loopback that leads to a port of loopback. */
export async function openMovableAddress(port: number): Promise<MovableAddress> {
  let target = port;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = createConnection({ host: '127.0.0.1', port: target, noDelay: true });
    const end = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    pointTo(to) {
      target = to;
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
