// An address that is pointed elsewhere without cutting its connections, as DNS and virtual addresses are.
import { createConnection, createServer, type Socket } from 'node:net';

export interface MovableAddress {
  port: number;
  /** New connections lead there; existing ones stay. */
  pointTo(port: number): void;
  cut(): void;
  /** When connections ended that their client had not ended, including those of `cut`: unix milliseconds, in order. */
  lossesMs: readonly number[];
  close(): Promise<void>;
}

/** PostgreSQL's message Terminate: the client ends its session. */
const terminate = Buffer.from([0x58, 0, 0, 0, 4]);
const endsWithTerminate = (sent: Buffer): boolean => sent.subarray(-terminate.length).equals(terminate);

/** Opens an address on loopback that leads to a port of loopback. */
export async function openMovableAddress(port: number): Promise<MovableAddress> {
  let target = port;
  const sockets = new Set<Socket>();
  const lossesMs: number[] = [];
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = createConnection({ host: '127.0.0.1', port: target, noDelay: true });
    let hasClientEnded = false;
    let isOver = false;
    const end = () => {
      if (!hasClientEnded && !isOver) lossesMs.push(Date.now());
      isOver = true;
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    client.on('data', (sent: Buffer) => {
      hasClientEnded ||= endsWithTerminate(sent);
    });
    // a client that vanishes without a message, such as one that was killed
    client.on('end', () => {
      hasClientEnded = true;
    });
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
    lossesMs,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
