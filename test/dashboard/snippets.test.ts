// The code that a delivery's page offers to paste.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { curlOf, verifying } from '../../dashboard/src/webhooks/snippets.ts';
import { bodySignature, signingKey } from '../../src/webhooks/endpoints/sign.ts';

const body = '{"event":"test","it":"\'s"}';

test('the curl of a try has its path, its known headers and the exact bytes, whatever they hold', () => {
  const headers = [
    { name: 'host', value: 'example.com' },
    { name: 'webhook-id', value: 'a' },
    { name: 'webhook-timestamp', value: null },
    { name: 'content-length', value: '25' },
  ];
  const curl = curlOf(
    { body },
    { request: { method: 'POST', url: 'https://example.com/v2/hooks?a=1', headers } },
  );
  expect(curl.split(' \\\n  ')).toEqual([
    ...["curl -i 'http://127.0.0.1:3000/v2/hooks?a=1'", "-H 'webhook-id: a'"],
    `--data-binary '{"event":"test","it":"'\\''s"}'`,
  ]);
  expect(curlOf({ body }, { request: { method: 'POST', url: null, headers: [] } })).toContain(":3000/'");
});

test('the code for Node accepts a signature of the gateway and nothing else', async () => {
  const code = `${verifying.Node}\nexport { genuine };`;
  const { genuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
  const signature = bodySignature(signingKey(secret), body);
  expect(genuine(Buffer.from(body), signature, secret)).toBe(true);
  expect(genuine(Buffer.from(body), signature.toUpperCase(), secret)).toBe(true);
  expect(genuine(Buffer.from(`${body} `), signature, secret)).toBe(false);
  for (const header of [undefined, '', 'sha256=é', 'é'.repeat(71)])
    expect(genuine(Buffer.from(body), header, secret)).toBe(false);
});

test('the code for Python and PHP is that of the documents', async () => {
  const document = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  expect(document).toContain(`\`\`\`python\n${verifying.Python}\n\`\`\``);
  expect(document).toContain(`\`\`\`php\n${verifying.PHP}\n\`\`\``);
});
