// The operations of opt-outs.
import type { Operation } from './operation.ts';

const optOuts = { tag: 'Opt-outs' };
const person =
  'The number need not be known to the gateway. It holds for every number and id that the platform names together with it.';

export const optOutOperations: Record<string, Operation> = {
  'GET /v1/opt-outs': {
    ...optOuts,
    id: 'listOptOuts',
    summary: 'List opt-outs',
    description: 'People who do not want messages, newest first.',
    message: 'Opt-outs listed.',
  },
  'POST /v1/opt-outs/import': {
    ...optOuts,
    id: 'importOptOuts',
    summary: 'Import opt-outs',
    description:
      'A CSV file of up to 512 MB, as another system or `GET /v1/opt-outs.csv` made it. Each row is what `PUT` does, at its `createdAt`: a newer decision of the person stays. Rows are imported in order, 1,000 at a time; after a broken connection the same file can be posted again.',
    errors: ['upload_timeout', 'body_too_large', 'unsupported_media_type'],
    message: '998 rows changed what a person receives.',
  },
  'GET /v1/opt-outs.csv': {
    ...optOuts,
    id: 'exportOptOuts',
    summary: 'Export opt-outs',
    description:
      'CSV (RFC 4180), newest first, streamed. A cell that a spreadsheet would run as a formula begins with an apostrophe. One export of a key at a time.',
    message: 'The opt-outs.',
  },
  'GET /v1/opt-outs/settings': {
    ...optOuts,
    id: 'getOptOutSettings',
    summary: 'Get the words and buttons of opt-outs',
    message: 'Settings found.',
  },
  'PUT /v1/opt-outs/settings': {
    ...optOuts,
    id: 'putOptOutSettings',
    summary: 'Set the words and buttons of opt-outs',
    description:
      'Replaces the lists. A word counts only as the whole text of a message. What people wrote before is not read again.',
    message: 'Settings stored.',
  },
  'PUT /v1/opt-outs/{phone}': {
    ...optOuts,
    id: 'putOptOut',
    summary: 'Opt a person out',
    description: `${person} What this operation stops as \`all\` is lifted by this operation and \`DELETE\` alone; \`marketing\` also by a start word and by the platform.`,
    message: 'Opt-out stored.',
  },
  'DELETE /v1/opt-outs/{phone}': {
    ...optOuts,
    id: 'deleteOptOut',
    summary: 'Opt a person in again',
    description:
      'The person receives everything again, whoever had opted them out. Safe to repeat: `removed` is false if they had not opted out.',
    message: 'Opt-out removed.',
  },
  'PUT /v1/opt-outs': {
    ...optOuts,
    id: 'putOptOutOfUser',
    summary: 'Opt a person out by the platform’s id',
    description: 'The same for a person whose number the platform hides.',
    message: 'Opt-out stored.',
  },
  'DELETE /v1/opt-outs': {
    ...optOuts,
    id: 'deleteOptOutOfUser',
    summary: 'Opt a person in again by the platform’s id',
    description: 'The same for a person whose number the platform hides.',
    message: 'Opt-out removed.',
  },
};
