// The text of an upload whose client closes the connection.
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { textOf } from '../../src/http/upload-stream.ts';

async function readAll(error: Error): Promise<string> {
  const stream = new Readable({ read() {} });
  stream.push('phone\n1555');
  let text = '';
  for await (const part of textOf(stream)) {
    text += part;
    stream.destroy(error);
  }
  return text;
}

test('a connection that the client closes is no internal error', async () => {
  const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  await expect(readAll(aborted)).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'the connection was closed before the end of the file',
  });
});

test('any other error of the stream stays as it is', async () => {
  const other = new Error('other');
  await expect(readAll(other)).rejects.toBe(other);
});
