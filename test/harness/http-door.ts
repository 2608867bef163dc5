// A door before an HTTP server: it lets every call pass, tells which one comes, and can keep one back for ever.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpDoor {
  url: string;
  /** From now on everybody may pass again. */
  forget(): void;
  close(): Promise<void>;
}

/**
 * Opens a door before `url`. `gate` is told of each call (`POST /token`) and of each answer (`answer to POST /token`)
 * before it passes; true: it never does, nor does any later call by the same grant (until `forget`).
 */
export async function openHttpDoor(url: string, gate: (call: string) => boolean): Promise<HttpDoor> {
  const { hostname, port } = new URL(url);
  /** Who was kept back, by what shows who calls. */
  const kept = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const caller = headers.authorization ?? body.toString();
    const call = `${method} ${path.replace(/\?.*$/, '')}`;
    const passes = (what: string) => {
      if (kept.has(caller)) return false;
      if (gate(what)) kept.add(caller);
      return !kept.has(caller);
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
    forget: () => kept.clear(),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
