// A simulated second messaging platform, with a different API, errors, signature and handshake.
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const otherKey = 'key_7f1c2a';
export const otherNumber = '410041';
export const otherApp = '700007';
export const otherOwner = '900009';
export const otherSecret = '4be4a1c0d5f24c1b9be7d2f90a8e6c31';

/** A template of this platform. */
interface Template {
  key: string;
  title: string;
  locale: string;
  kind: string;
  live: boolean;
  parts: object[];
}

/** A message that this platform accepted. */
export interface AcceptedMessage {
  uuid: string;
  to: string;
  template: string;
  values: string[];
  ref: string;
}

interface Reply {
  status: number;
  body?: unknown;
  bytes?: Buffer;
}

const problem = (number: number, title: string, detail = title): Reply => ({
  status: 422,
  body: { problem: { number, title, detail } },
});

/** Signs `url`, time and body: `t=<epoch seconds>,s=<base64>`. */
export function signOther(url: string, body: Buffer | string, secret: string, seconds: number): string {
  const mac = createHmac('sha512', secret).update(`${url}\n${seconds}\n`).update(body);
  return `t=${seconds},s=${mac.digest('base64')}`;
}

/** The headers and body of this platform's event about one message. */
export function otherEvent(
  url: string,
  event: { kind: string; uuid: string; ref?: string; who?: string; words?: string; file?: string },
  secret = otherSecret,
): { headers: Record<string, string>; body: string } {
  const at = new Date();
  const body = JSON.stringify({ number: otherNumber, at: at.toISOString(), ...event });
  const signature = signOther(url, body, secret, Math.floor(at.getTime() / 1000));
  return { headers: { 'x-other-signature': signature, 'content-type': 'application/json' }, body };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Starts the platform with these templates; one page of its list has two. */
export async function startOtherPlatform(titles: string[] = []) {
  const templates = new Map<string, Template>();
  const files = new Map<string, Buffer>();
  const messages: AcceptedMessage[] = [];
  /** The error that the next send gets. */
  let nextProblem: Reply | undefined;
  /** The URL that events are sent to; none are sent before it is set. */
  let address: string | undefined;

  const addTemplate = (template: Partial<Template> & { title: string }): Template => {
    const whole = {
      ...{ key: randomUUID(), locale: 'en_US', kind: 'utility', live: true },
      ...{ parts: [{ type: 'BODY', text: 'Hi {{1}}, your table is ready.' }], ...template },
    };
    templates.set(whole.key, whole);
    return whole;
  };
  for (const title of titles) addTemplate({ title });

  async function post(kind: string, message: AcceptedMessage): Promise<number> {
    const { headers, body } = otherEvent(address as string, { kind, uuid: message.uuid, ref: message.ref });
    return (await fetch(address as string, { method: 'POST', headers, body })).status;
  }

  function accept(body: Omit<AcceptedMessage, 'uuid'>): Reply {
    if (nextProblem) {
      const reply = nextProblem;
      nextProblem = undefined;
      return reply;
    }
    const message = { ...body, uuid: randomUUID() };
    messages.push(message);
    return { status: 202, body: { uuid: message.uuid } };
  }

  function answer(method: string, path: string, query: URLSearchParams, bytes: Buffer): Reply {
    const [collection, id] = path.split('/').slice(1);
    const json = () => JSON.parse(bytes.toString());
    switch (`${method} ${collection}`) {
      case 'POST messages':
        return accept(json());
      case 'POST seen':
        return json().uuid === 'unknown' ? problem(7_404, 'unknown message') : { status: 200, body: {} };
      case 'GET app':
        return { status: 200, body: { app: otherApp } };
      case 'GET hook':
        return { status: 200, body: { hook: address ?? null } };
      case 'POST hook':
        address = json().url;
        return { status: 200, body: {} };
      case 'POST numbers':
        return { status: 200, body: {} };
      case 'GET numbers':
        return id === otherNumber
          ? { status: 200, body: { shown: '+1 555 010 0041', owner: 'Other Inc.' } }
          : problem(7_404, 'unknown number');
      case 'GET templates': {
        if (id) {
          const template = templates.get(id);
          return template ? { status: 200, body: template } : problem(7_404, 'unknown template');
        }
        const from = Number(query.get('from') ?? 0);
        const next = from + 2 < templates.size ? from + 2 : null;
        return { status: 200, body: { list: [...templates.values()].slice(from, from + 2), next } };
      }
      case 'POST templates':
        return { status: 201, body: addTemplate({ ...json(), live: false }) };
      case 'PATCH templates': {
        const template = templates.get(id ?? '');
        if (!template) return problem(7_404, 'unknown template');
        templates.set(template.key, { ...template, ...json(), live: false });
        return { status: 200, body: {} };
      }
      case 'DELETE templates':
        return templates.delete(id ?? '') ? { status: 204 } : problem(7_404, 'unknown template');
      case 'POST files': {
        const file = randomUUID();
        files.set(file, bytes);
        return { status: 201, body: { file } };
      }
      case 'GET files': {
        const bytesOfFile = files.get(id ?? '');
        return bytesOfFile ? { status: 200, bytes: bytesOfFile } : problem(7_404, 'unknown file');
      }
      case 'DELETE files':
        return files.delete(id ?? '') ? { status: 204 } : problem(7_404, 'unknown file');
      default:
        return { status: 404 };
    }
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://other');
    const bytes = await bytesOf(request);
    const reply =
      request.headers['x-key'] === otherKey
        ? answer(request.method ?? 'GET', pathname, searchParams, bytes)
        : problem(7_401, 'bad key', 'This key is not known.');
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(reply.bytes ?? (reply.body === undefined ? '' : JSON.stringify(reply.body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ messages, files, addTemplate },
    rejectNext(number: number, title: string) {
      nextProblem = problem(number, title);
    },
    sendEventsTo(url: string) {
      address = url;
    },
    /** Reports one stage of a message; returns the status of the response. */
    post,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
