// The Python program in the guide to clients calls a running gateway.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readProjectFile } from '../harness/documents.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

test('lists approved templates', async () => {
  const components = [{ type: 'BODY', text: 'Hi' }];
  await addSender(gateway, [{ name: 'hello', language: 'en_US', category: 'UTILITY', components } as never]);
  const [, code = ''] = /```python\n([\s\S]+?)```/.exec(readProjectFile('docs/clients.md')) ?? [];
  const result = await promisify(execFile)('python3', ['-c', code, gateway.url, gateway.apiKey]).catch(
    (error) => error,
  );
  if (result.code === 'ENOENT') return;
  expect([result.stdout, result.stderr]).toEqual(['1\n', '']);
});
