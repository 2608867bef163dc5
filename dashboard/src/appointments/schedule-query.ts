// The schedule of a staff member, which only the scope `manage` may read.
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['staff', 'schedule', id],
    queryFn: () => api.getSchedule({ id }),
    staleTime: 30_000,
  });
