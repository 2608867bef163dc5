// The real requests and responses of one message's life, recorded by proxies between the gateway and the others.
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One exchange as it was on the wire. */
export interface Exchange {
  path: string;
  request: Recorded;
  response: Recorded;
}

export interface Recorded {
  /** Names and values in their order. */
  headers: [string, string][];
  body: string;
}

const pairsOf = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export interface Recorder {
  url: string;
  exchanges: Exchange[];
  close(): void;
}

/** Listens, forwards every request to `target` unchanged, and records both directions. */
export async function openRecorder(target: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const server: Server = createServer(async (req, res) => {
    const body = await bodyOf(req);
    const forwarded = request(new URL(req.url ?? '', target), { method: req.method ?? 'GET' });
    for (const [name, value] of pairsOf(req)) forwarded.setHeader(name, value);
    forwarded.end(body);
    forwarded.once('response', async (answer) => {
      const answerBody = await bodyOf(answer);
      exchanges.push({
        path: req.url ?? '',
        request: { headers: pairsOf(req), body: body.toString() },
        response: { headers: pairsOf(answer), body: answerBody.toString() },
      });
      res.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      res.end(answerBody);
    });
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
