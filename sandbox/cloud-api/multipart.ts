// Splits a multipart/form-data body into its parts as it streams in (RFC 7578), holding back no more than a boundary.

export interface PartHead {
  name: string;
  /** Present: the part is a file. */
  fileName: string | undefined;
  mimeType: string;
}

/** Takes a part's bytes as they come. */
export interface PartSink {
  data(bytes: Buffer): void;
  end(): void;
}

export interface MultipartReader {
  write(chunk: Buffer): void;
  /** Whether the closing boundary has come. */
  finished(): boolean;
}

const headEnd = Buffer.from('\r\n\r\n');

/** A reader for bodies with this boundary; `open` is asked for a sink at the start of each part. */
export function multipartReader(boundary: string, open: (part: PartHead) => PartSink): MultipartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary stands without a line break before it: one is put in front of the body.
  let rest: Buffer = Buffer.from('\r\n');
  let sink: PartSink | null = null;
  let position: 'before' | 'head' | 'body' | 'after' = 'before';

  /** Takes one step; false: more bytes are needed. */
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
