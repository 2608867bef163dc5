// The operations of retention.
import type { Operation } from './operation.ts';

const retention = { tag: 'Retention' };

export const retentionOperations: Record<string, Operation> = {
  'GET /v1/retention': {
    ...retention,
    id: 'getRetention',
    summary: 'Get how long data is kept',
    description:
      'What has ended longer ago is removed: it is in no list any more, and reading it returns 404.',
    message: 'Retention found.',
  },
  'PUT /v1/retention': {
    ...retention,
    id: 'putRetention',
    summary: 'Keep data for a shorter time',
    description:
      'An account can keep data for fewer days than the gateway, never for more. What is older by then is removed within hours, and cannot be restored.',
    message: 'Retention stored.',
  },
};
