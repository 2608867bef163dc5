// A streaming parser of multipart/form-data bodies (RFC 7578) that buffers no more than a boundary.

export interface PartHead {
  name: string;
  /** Only for files. */
  fileName: string | undefined;
  mimeType: string;
}

/** Receives a part's bytes. */
export interface PartSink {
  data(bytes: Buffer): void;
  end(): void;
}

export interface MultipartReader {
  write(chunk: Buffer): void;
  /** Whether the closing boundary was read. */
  finished(): boolean;
}

const headEnd = Buffer.from('\r\n\r\n');

/** A reader for bodies with this boundary; calls `open` for a sink at the start of each part. */
export function multipartReader(boundary: string, open: (part: PartHead) => PartSink): MultipartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary has no line break before it, so one is added.
  let rest: Buffer = Buffer.from('\r\n');
  let sink: PartSink | null = null;
  let position: 'before' | 'head' | 'body' | 'after' = 'before';

  /** Parses one step; false: more bytes are needed. */
  const step = (): boolean => {
    if (position === 'after') return false;
    if (position === 'head') {
      if (rest.length >= 2 && rest.toString('latin1', 0, 2) === '--') {
        position = 'after';
        return false;
      }
      const end = rest.indexOf(headEnd);
      if (end < 0) return false;
      sink = open(readHead(rest.toString('utf8', 0, end)));
      rest = rest.subarray(end + headEnd.length);
      position = 'body';
      return true;
    }
    const at = rest.indexOf(delimiter);
    const safe = at >= 0 ? at : rest.length - delimiter.length + 1;
    if (safe > 0) {
      sink?.data(rest.subarray(0, safe));
      rest = rest.subarray(safe);
    }
    if (at < 0) return false;
    sink?.end();
    sink = null;
    rest = rest.subarray(delimiter.length);
    position = 'head';
    return true;
  };

  return {
    write(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (step());
    },
    finished: () => position === 'after',
  };
}

function readHead(text: string): PartHead {
  const disposition = /^content-disposition:(.*)$/im.exec(text)?.[1] ?? '';
  return {
    name: /[;\s]name="?([^";]*)"?/i.exec(disposition)?.[1] ?? '',
    fileName: /filename\*?="?([^";]*)"?/i.exec(disposition)?.[1],
    mimeType: (/^content-type:\s*([^;\s]+)/im.exec(text)?.[1] ?? 'application/octet-stream').toLowerCase(),
  };
}
