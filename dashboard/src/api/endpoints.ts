// The query of endpoints that several pages share.
import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

export const endpointsQuery = queryOptions({
  queryKey: ['endpoints'],
  queryFn: () => api.listEndpoints({ limit: 100 }),
});
