// A door before PostgreSQL that can be slammed: what is under way is cut in the middle, and who comes meanwhile is refused.
import { createConnection, createServer, type Socket } from 'node:net';

export interface Door {
  port: number;
  /** Cuts every connection, whatever was on its way: a commit may be done and its answer lost. */
  cut(): number;
  /** Refuses everyone until `open`. */
  shut(): void;
  open(): void;
  /** Nothing passes any more in either direction, and nobody is told; new connections are taken and left waiting. */
  freeze(): void;
  /** What was held back goes on. */
  thaw(): void;
  close(): Promise<void>;
}

/** Opens a door on loopback to the server behind a Unix socket, or a port of loopback. */
export async function openDoor(behind: { path: string } | { host: string; port: number }): Promise<Door> {
  const pairs = new Set<() => void>();
  let isShut = false;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    if (isShut) return void near.resetAndDestroy();
    const far = createConnection({ ...behind, noDelay: true });
    const end = () => {
      pairs.delete(cutPair);
      sockets.delete(near);
      sockets.delete(far);
      near.destroy();
      far.destroy();
    };
    const cutPair = () => {
      pairs.delete(cutPair);
      reset(near);
      far.destroy();
    };
    pairs.add(cutPair);
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    for (const socket of [near, far]) sockets.add(socket);
    near.pipe(far);
    far.pipe(near);
    if (isFrozen) for (const socket of [near, far]) socket.pause();
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
    shut() {
      isShut = true;
      cut();
    },
    open() {
      isShut = false;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
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
