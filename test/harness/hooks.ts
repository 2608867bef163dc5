// A webhook receiver on loopback with responses chosen by the test, which records all requests.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Hit {
  hook: string;
  headers: IncomingHttpHeaders;
  body: string;
  json: { event: string; data: Record<string, unknown> };
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface Hooks {
  url(hook: string): string;
  hits: Hit[];
  /** The requests to one hook, in order. */
  hitsOf(hook: string): Hit[];
  /** Sets a hook's response; the default is 200. A promise delays it. */
  answer(hook: string, how: (hit: Hit) => Answer | Promise<Answer>): void;
  close(): Promise<void>;
}

/** Starts the receiver. */
export async function startHooks(): Promise<Hooks> {
  const hits: Hit[] = [];
  const answers = new Map<string, (hit: Hit) => Answer | Promise<Answer>>();
  const server = createServer(async (request, response: ServerResponse) => {
    const hook = (request.url ?? '').slice(1);
    const body = (await buffer(request)).toString();
    const hit = { hook, headers: request.headers, body, json: JSON.parse(body) };
    hits.push(hit);
    const { status, headers, body: text } = (await answers.get(hook)?.(hit)) ?? { status: 200 };
    response.writeHead(status, headers).end(text ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (hook) => `http://127.0.0.1:${port}/${hook}`,
    hits,
    hitsOf: (hook) => hits.filter((hit) => hit.hook === hook),
    answer: (hook, how) => answers.set(hook, how),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
