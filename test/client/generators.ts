// Third-party generators of clients from the OpenAPI document, with a call of each generated client.

export interface Generator {
  /** Exact versions, as in the documents. */
  packages: readonly string[];
  /** Additional files next to `openapi.json`. */
  files?: Record<string, string>;
  /** Its program in node_modules/.bin, and arguments. */
  command: readonly [string, ...string[]];
  /** Sends `body` to the gateway at `baseUrl` with `apiKey`, and sets `accepted`: the number of messages. */
  use: string;
}

const tools = ['typescript@5.9.3', 'bun@1.4.5', '@types/node@22.19.1'];

export const generators: readonly Generator[] = [
  {
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', ...tools],
    command: ['openapi-typescript', 'openapi.json', '-o', 'out/types.ts'],
    use: `import createClient from 'openapi-fetch';
import type { paths } from './out/types';
const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': apiKey } });
const { data, error } = await client.POST('/v1/templates/send', { body });
if (error) throw new Error(error.code satisfies 'conflict' | (string & {}));
const accepted: number = data.data.accepted;`,
  },
  {
    packages: ['@hey-api/openapi-ts@0.95.0', 'zod@4.3.6', ...tools],
    files: {
      'hey.config.mjs': `export default { input: './openapi.json', output: 'out', plugins: ['@hey-api/client-fetch', '@hey-api/typescript', { name: '@hey-api/sdk', validator: true }, 'zod'] };`,
    },
    command: ['openapi-ts', '-f', 'hey.config.mjs'],
    use: `import { client } from './out/client.gen';
import { bookAppointment, sendTemplate } from './out';
client.setConfig({ baseUrl, auth: apiKey });
const { data } = await sendTemplate({ body, throwOnError: true });
const accepted: number = data.data.accepted;
// a type that only this operation's failure has
const { error } = await bookAppointment({ headers: { 'Idempotency-Key': crypto.randomUUID() }, body: {} as never }).catch((error) => ({ error }));
if (error && 'alternatives' in error) error.alternatives satisfies { from: string }[] | undefined;`,
  },
  {
    packages: ['orval@7.13.2', 'zod@4.3.6', ...tools],
    files: {
      'orval.config.cjs': `module.exports = {
  client: { input: './openapi.json', output: { target: 'out/client.ts', client: 'fetch', baseUrl: process.env.BASE_URL } },
  schemas: { input: './openapi.json', output: { target: 'out/zod.ts', client: 'zod' } },
};`,
    },
    command: ['orval', '--config', 'orval.config.cjs'],
    use: `import { sendTemplate } from './out/client';
import { sendTemplateResponse } from './out/zod';
const { status, data } = await sendTemplate(body, { headers: { 'X-API-Key': apiKey } });
if (status !== 200) throw new Error('HTTP ' + status);
sendTemplateResponse.parse(data);
const accepted: number = data.data.accepted;`,
  },
  {
    packages: ['swagger-typescript-api@13.13.0', ...tools],
    command: ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'out', '-n', 'api.ts'],
    use: `import { Api } from './out/api';
const api = new Api({ baseUrl, baseApiParams: { headers: { 'X-API-Key': apiKey } } });
const { data } = await api.v1.sendTemplate(body);
const accepted: number = data.data.accepted;`,
  },
  {
    packages: ['oazapfts@7.5.0', ...tools],
    command: ['oazapfts', 'openapi.json', 'out.ts'],
    use: `import { defaults, sendTemplate } from './out';
defaults.baseUrl = baseUrl;
defaults.headers = { 'X-API-Key': apiKey };
const response = await sendTemplate(body);
if (response.status !== 200) throw new Error('HTTP ' + response.status);
const accepted: number = response.data.data.accepted;`,
  },
  {
    packages: ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6', 'axios@1.13.2', 'zod@3.25.76', ...tools],
    command: ['openapi-zod-client', 'openapi.json', '-o', 'out.ts'],
    use: `import { createApiClient } from './out';
const client = createApiClient(baseUrl, { axiosConfig: { headers: { 'X-API-Key': apiKey } } });
const { data } = await client.sendTemplate(body);
const accepted: number = data.accepted;`,
  },
  {
    packages: [
      ...['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((name) => `@kubb/${name}@4.39.3`),
      ...tools,
    ],
    files: {
      'kubb.config.mjs': `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
export default defineConfig({ root: '.', input: { path: './openapi.json' }, output: { path: './out', extension: { '.ts': '' } }, plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch' })] });`,
    },
    command: ['kubb', 'generate'],
    use: `import { setConfig } from '@kubb/plugin-client/clients/fetch';
import { sendTemplate } from './out';
// its fetch sets no content type
setConfig({ baseURL: baseUrl, headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' } });
const { data } = await sendTemplate(body);
const accepted: number = data.accepted;`,
  },
];
