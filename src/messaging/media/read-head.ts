// The first bytes of a stream, read ahead without losing them.
import { Readable } from 'node:stream';

/** Reads at least `bytes` first bytes, or the whole stream if it is shorter. `whole` has them again, and destroys `content`. */
export async function readHead(content: Readable, bytes: number): Promise<{ head: Buffer; whole: Readable }> {
  const first: Buffer[] = [];
  let length = 0;
  let ended = false;
  const rest = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  while (length < bytes && !ended) {
    const { value, done } = await rest.next();
    if (done) ended = true;
    else {
      first.push(value);
      length += value.length;
    }
  }
  async function* chunks() {
    yield* first;
    while (!ended) {
      const { value, done } = await rest.next();
      if (done) return;
      yield value;
    }
  }
  const whole = Readable.from(chunks(), { objectMode: false });
  whole.once('close', () => content.destroy());
  return { head: Buffer.concat(first).subarray(0, bytes), whole };
}
