// A reader of exact numbers of bytes from a stream of chunks, without joining large ones.

export interface ByteReader {
  /** Reads until `bytes` are available; false if the source ends before. Throws the source's own error. */
  fill(bytes: number): Promise<boolean>;
  /** Available bytes. */
  readonly available: number;
  /** The first available bytes, at most `bytes`, which stay available. */
  peek(bytes: number): Buffer;
  /** Removes and returns `bytes` available bytes, in one or more pieces. */
  take(bytes: number): Buffer[];
  /** The error with which the source failed. */
  readonly failure: unknown;
}

/** Opens a reader; the caller ends the source. */
export function openByteReader(source: AsyncIterator<Buffer>): ByteReader {
  const chunks: Buffer[] = [];
  let [available, ended] = [0, false];
  let failure: unknown;

  async function next(): Promise<void> {
    const { value, done } = await source.next().catch((error: unknown) => {
      failure = error;
      throw error;
    });
    ended = done === true;
    if (ended) return;
    chunks.push(value);
    available += value.length;
  }

  function take(bytes: number): Buffer[] {
    const taken: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const first = chunks.shift();
      if (!first) throw new RangeError('More bytes are taken than are available.');
      if (first.length > left) chunks.unshift(first.subarray(left));
      if (first.length > 0) taken.push(first.length > left ? first.subarray(0, left) : first);
      left -= Math.min(left, first.length);
    }
    available -= bytes;
    return taken;
  }

  return {
    async fill(bytes) {
      while (available < bytes && !ended) await next();
      return available >= bytes;
    },
    get available() {
      return available;
    },
    peek(bytes) {
      const first = chunks[0];
      return first && first.length >= bytes
        ? first.subarray(0, bytes)
        : Buffer.concat(chunks).subarray(0, bytes);
    },
    take,
    get failure() {
      return failure;
    },
  };
}
