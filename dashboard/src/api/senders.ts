// The query of numbers that several pages share.
import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: () => api.listSenders({ limit: 100 }),
});
