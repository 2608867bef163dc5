// A vendor that repeats everything it was sent (URL, headers and body) in its responses, in every encoding.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface EchoingVendor {
  url: string;
  /** Responses to the next token calls, instead of an echo. */
  tokens: object | undefined;
  /** True: errors are HTML pages, as from a proxy. */
  asPage: boolean;
  /** The code of the platform's errors. */
  code: number;
  /** Additional secrets that it repeats without having received them. */
  knows: string;
  /** All calls so far, as repeated. */
  calls: string[];
  close(): void;
}

const escaped = (received: string) => received.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

/** The request as plain text, URL-encoded, JSON and base64; a Basic pair also decoded. */
function repeated(request: IncomingMessage, body: string, knows: string): string {
  const authorization = request.headers.authorization ?? '';
  const [scheme = '', credentials = ''] = authorization.split(' ');
  const pair = scheme === 'Basic' ? Buffer.from(credentials, 'base64').toString() : credentials;
  const secrets = [authorization, credentials, pair, pair.slice(pair.indexOf(':') + 1), knows];
  const forms = secrets.flatMap((one) => [
    ...[one, encodeURIComponent(one), JSON.stringify(one).replaceAll('/', '\\/')],
    ...[Buffer.from(one).toString('base64'), Buffer.from(one).toString('base64url')],
  ]);
  return [
    request.method,
    request.url,
    decodeURIComponent(request.url ?? ''),
    ...forms,
    body.slice(0, 4_000),
  ].join(' ');
}

/** Starts it on loopback: `/platform`, `/google`, `/token`, `/revoke`, `/dav` and `/hook`. */
export async function startEchoingVendor(): Promise<EchoingVendor> {
  const template = {
    ...{
      id: '122097329108006499',
      name: 'hello',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
    },
    components: [{ type: 'BODY', text: 'Hello there.' }],
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const received = repeated(request, await text(request), vendor.knows);
    vendor.calls.push(received);
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-echo': escaped(received) });
      response.end(JSON.stringify(body));
    };
    if (path.startsWith('/hook'))
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`wants ${received}`);
    else if (path.startsWith('/dav')) dav(request, response, received);
    else if (path.startsWith('/token') && vendor.tokens) json(200, vendor.tokens);
    else if (path.startsWith('/token') || path.startsWith('/revoke'))
      json(400, { error: received, error_description: received });
    else if (path.startsWith('/google'))
      json(403, {
        error: { message: received, status: received, errors: [{ reason: received, message: received }] },
      });
    else if (request.method === 'GET' && path.includes('/message_templates')) json(200, { data: [template] });
    else if (request.method === 'GET' && path.includes('/debug_token')) {
      const scopes = ['whatsapp_business_messaging', 'whatsapp_business_management'];
      json(200, { data: { app_id: '1', is_valid: true, expires_at: 0, scopes } });
    } else if (request.method === 'GET') json(200, { id: '1', display_phone_number: '+1 555 010 0000' });
    else if (vendor.asPage)
      response.writeHead(403, { 'content-type': 'text/html' }).end(`<p>${escaped(received)}</p>`);
    else
      json(400, {
        error: {
          code: vendor.code,
          type: 'OAuthException',
          message: received,
          error_user_title: received,
          error_data: received,
        },
      });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const vendor: EchoingVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ tokens: undefined, asPage: false, code: 131026, knows: '', calls: [] },
    close: () => void server.close(),
  };
  return vendor;
}

/** A WebDAV error, a redirect, or a malformed response. */
function dav(request: IncomingMessage, response: ServerResponse, received: string): void {
  const password = received.split(' ').find((one) => one.startsWith('canary-')) ?? '';
  if (request.url?.includes('elsewhere'))
    response
      .writeHead(302, { location: `http://elsewhere.example/${encodeURIComponent(password)}` })
      .end(received);
  else if (request.url?.includes('unreadable')) response.writeHead(207).end(`<${password}>${received}`);
  else
    response
      .writeHead(403, { 'content-type': 'application/xml' })
      .end(
        `<?xml version="1.0"?><D:error xmlns:D="DAV:" xmlns:s="http://sabredav.org/ns"><s:message>${escaped(received)}</s:message></D:error>`,
      );
}
