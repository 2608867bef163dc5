// A receiver that misbehaves below HTTP: the path chooses the bytes of the response, or their absence.
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The behavior of each path when a request starts to arrive. */
const behaviors: Record<string, (socket: Socket) => void> = {
  resets: (socket) => socket.resetAndDestroy(),
  'hangs-up': (socket) => socket.end(),
  'speaks-gibberish': (socket) => socket.end('220 mail.example.com ESMTP\r\n'),
  'breaks-off': (socket) => socket.end('HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\nhalf of it'),
  'takes-and-breaks-off': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  'says-nothing': () => {},
  'drips-its-head': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: ', 'z'),
  'drips-a-rejection': (socket) => drip(socket, 'HTTP/1.1 503 No\r\ncontent-length: 9999\r\n\r\n', 'z'),
  'has-endless-headers': (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', `x-more: ${'h'.repeat(1_000)}\r\n`),
  'answers-gigabytes': (socket) =>
    flood(socket, 'HTTP/1.1 500 No\r\ncontent-length: 9999999999\r\n\r\n', 'g'.repeat(65_536)),
  'takes-with-gigabytes': (socket) =>
    flood(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 9999999999\r\n\r\n', 'g'.repeat(65_536)),
};

function drip(socket: Socket, start: string, drop: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(drop), 50);
  socket.once('close', () => clearInterval(timer));
}

/** Writes as long as the client reads. */
function flood(socket: Socket, start: string, wave: string): void {
  socket.write(start);
  const pour = () => {
    while (!socket.destroyed && socket.write(wave));
  };
  socket.on('drain', pour);
  pour();
}

export interface MisbehavingReceiver {
  port: number;
  /** The URL of a behavior. */
  url(behavior: string): string;
  /** Number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Listens on loopback. Other paths get 200. */
export async function startMisbehavingReceiver(): Promise<MisbehavingReceiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', (first: Buffer) => {
      const behavior = /^POST \/(\S+)/.exec(first.toString('latin1'))?.[1] ?? '';
      const act = behaviors[behavior];
      if (act) act(socket);
      else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (behavior) => `http://127.0.0.1:${port}/${behavior}`,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
