// A door before an HTTP server: it lets every call pass, tells which one comes, and can keep one back for ever.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpDoor {
  url: string;
  close(): Promise<void>;
}

/** Opens a door before `url`. `gate` is told of each call (`POST /token`) before it passes; true: it never does. */
export async function openHttpDoor(url: string, gate: (call: string) => boolean): Promise<HttpDoor> {
  const { hostname, port } = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    if (gate(`${method} ${path.replace(/\?.*$/, '')}`)) return void incoming.resume();
    const onward = request({ host: hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
