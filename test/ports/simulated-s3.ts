// A simulated S3 server on loopback for the conformance suite: one bucket in memory, with multipart uploads, without signatures.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Begun {
  key: string;
  initiated: Date;
  parts: Map<number, Buffer>;
}

export interface SimulatedS3 {
  url: string;
  bucket: string;
  /** Multipart uploads that were neither completed nor aborted. */
  begun: Map<string, Begun>;
  /** Rejects every PUT with this error from now on; undefined: none. */
  rejectWith(error: { status: number; code: string } | undefined): void;
  close(): Promise<void>;
}

interface Call {
  method: string;
  key: string;
  query: URLSearchParams;
  body: Buffer;
}

type Answer = { status: number; body?: string | Buffer; headers?: Record<string, string> };

const xml = (name: string, inner: string, status = 200): Answer => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${name}>`,
  headers: { 'content-type': 'application/xml' },
});
const failure = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  headers: { 'content-type': 'application/xml' },
});
const etag = { etag: '"simulated"' };

/** Starts the server with an empty bucket. `pageSize`: keys on one page of a list. */
export async function startSimulatedS3(pageSize = 2): Promise<SimulatedS3> {
  const bucket = 'files';
  const objects = new Map<string, Buffer>();
  const begun = new Map<string, Begun>();
  let rejection: { status: number; code: string } | undefined;
  const server = createServer((req, res) => void serve(req, res));

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const url = new URL(req.url ?? '', 'http://s3');
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const [, name, ...key] = url.pathname.split('/');
      const call = {
        key: decodeURIComponent(key.join('/')),
        query: url.searchParams,
        body: Buffer.concat(chunks),
      };
      const method = req.method ?? 'GET';
      const { status, body = '', headers } = answer(name ?? '', { method, ...call });
      res.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
      res.end(method === 'HEAD' ? undefined : body);
    } catch {
      // the client interrupted the call: nothing is stored
      res.destroy();
    }
  }

  function answer(name: string, call: Call): Answer {
    if (name !== bucket) return failure(404, 'NoSuchBucket');
    if (call.key === '') return ofBucket(call);
    if (rejection && call.method === 'PUT') return failure(rejection.status, rejection.code);
    return call.query.has('uploads') || call.query.has('uploadId') ? ofUpload(call) : ofObject(call);
  }

  function ofBucket({ method, query }: Call): Answer {
    if (method === 'HEAD') return { status: 200 };
    const prefix = query.get('prefix') ?? '';
    if (query.has('uploads')) {
      const uploads = [...begun].filter(([, one]) => one.key.startsWith(prefix));
      const entry = ([id, one]: [string, Begun]) =>
        `<Upload><Key>${one.key}</Key><UploadId>${id}</UploadId><Initiated>${one.initiated.toISOString()}</Initiated></Upload>`;
      return xml('ListMultipartUploadsResult', uploads.map(entry).join(''));
    }
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, pageSize);
    const next =
      keys.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const entries = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
    );
    const truncated = `<IsTruncated>${next !== ''}</IsTruncated>`;
    return xml('ListBucketResult', truncated + next + entries.join(''));
  }

  function ofObject({ method, key, body }: Call): Answer {
    if (method === 'PUT') {
      objects.set(key, body);
      return { status: 200, headers: etag };
    }
    if (method === 'DELETE') {
      objects.delete(key);
      return { status: 204 };
    }
    const object = objects.get(key);
    return object ? { status: 200, body: object, headers: etag } : failure(404, 'NoSuchKey');
  }

  function ofUpload({ method, key, query, body }: Call): Answer {
    if (query.has('uploads')) {
      const id = randomUUID();
      begun.set(id, { key, initiated: new Date(), parts: new Map() });
      return xml(
        'InitiateMultipartUploadResult',
        `<Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`,
      );
    }
    const id = query.get('uploadId') ?? '';
    const upload = begun.get(id);
    if (!upload) return failure(404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return { status: 200, headers: etag };
    }
    begun.delete(id);
    if (method === 'DELETE') return { status: 204 };
    const parts = [...upload.parts].sort(([one], [two]) => one - two).map(([, part]) => part);
    objects.set(key, Buffer.concat(parts));
    return xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>${etag.etag}</ETag>`);
  }

  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    begun,
    rejectWith(error) {
      rejection = error;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
