// The address between gateways and a cluster: which ended connections count as lost.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type MovableAddress, openMovableAddress } from './movable-address.ts';

let address: MovableAddress;
let close: () => void;
afterEach(async () => {
  await address.close();
  close();
});

/** `once` would reject with the error before. */
const closed = (socket: Socket) => new Promise((resolve) => void socket.once('close', resolve));

/** A client through the address, and the server's side of its connection. */
async function open(): Promise<{ client: Socket; server: Socket }> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  close = () => listener.close();
  address = await openMovableAddress((listener.address() as { port: number }).port);
  const accepted = once(listener, 'connection');
  const client = connect(address.port, '127.0.0.1').on('error', () => {});
  client.write('hello');
  const [server] = (await accepted) as [Socket];
  server.on('error', () => {}).resume();
  return { client, server };
}

test('a connection that the server ends, or that is cut, is lost', async () => {
  const one = await open();
  const ended = closed(one.client);
  one.server.destroy();
  await ended;
  await expect.poll(() => address.lossesMs).toHaveLength(1);
  await address.close();
  close();
  const other = await open();
  const cut = closed(other.client);
  address.cut();
  await cut;
  await expect.poll(() => address.lossesMs).toHaveLength(1);
});

test('a session that its client ends is not lost, although the server closes the connection', async () => {
  const { client, server } = await open();
  const terminate = Buffer.from([0x58, 0, 0, 0, 4]);
  const got = once(server, 'data');
  const over = closed(client);
  client.write(terminate);
  await got;
  server.destroy();
  await over;
  expect(address.lossesMs).toEqual([]);
});
