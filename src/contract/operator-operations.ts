// The operations of operators.
import type { Operation } from './operation.ts';

export const operatorOperations: Record<string, Operation> = {
  'GET /v1/operator/health': {
    tag: 'Sessions',
    id: 'getOperatorHealth',
    summary: 'Get the health of the gateway',
    description:
      'For operators: the findings of `doctor` about this process and the database, with a fix for each problem, the state of backups, and the space on the disks. No API key can have the scope; `gateway dashboard-link --operator` makes a link with which one signs in.',
    message: 'Health read.',
  },
};
