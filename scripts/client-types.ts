// `npm run client:types`: generates client/src/generated.ts, the client's types and table of operations, from the OpenAPI document.
import { writeFileSync } from 'node:fs';
import { generatedClient } from './generated-client.ts';
import { openapiDocument } from './openapi.ts';

const path = new URL('../client/src/generated.ts', import.meta.url);
writeFileSync(path, generatedClient(JSON.parse(await openapiDocument())));
process.exit(0);
