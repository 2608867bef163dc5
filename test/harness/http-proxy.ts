// A proxy in front of an HTTP server that reports each call and can block calls and responses.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpProxy {
  url: string;
  /** Lets all callers pass again. */
  unblock(): void;
  close(): Promise<void>;
}

/**
 * Opens a proxy to `url`. `intercept` is called before each call (`POST /token`) and each response (`answer to POST /token`).
 * If it returns true, that call or response and all later calls with the same credentials are dropped, until `unblock`.
 */
export async function openHttpProxy(url: string, intercept: (call: string) => boolean): Promise<HttpProxy> {
  const { hostname, port } = new URL(url);
  /** Blocked callers, by their credentials. */
  const blocked = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const caller = headers.authorization ?? body.toString();
    const call = `${method} ${path.replace(/\?.*$/, '')}`;
    const passes = (what: string) => {
      if (blocked.has(caller)) return false;
      if (intercept(what)) blocked.add(caller);
      return !blocked.has(caller);
    };
    if (!passes(call)) return;
    const onward = request({ host: hostname, port, method, path, headers }, (answer) => {
      if (!passes(`answer to ${call}`)) return void answer.resume();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unblock: () => blocked.clear(),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
