// What became of the messages of each template in the last 30 days.
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { zone } from '../text/format.ts';

export interface TemplateFigures {
  sent: number;
  delivered: number;
  read: number;
}

/** The counts by template and day, of the last 30 days. They have an interval of their own: the stream does not name them. */
export const statisticsQuery = queryOptions({
  queryKey: ['templateStatistics'],
  queryFn: () => api.getMessageStatistics({ by: 'template', interval: 'day', timezone: zone }),
  refetchInterval: 30_000,
  retry: false,
});

type Items = Awaited<ReturnType<typeof api.getMessageStatistics>>['items'];

/** The sums by template; one without messages is not in it. */
export function sumsOf(items: Items): Map<string, TemplateFigures> {
  const sums = new Map<string, TemplateFigures>();
  for (const { templateId, sent, delivered, read } of items) {
    if (!templateId) continue;
    const sum = sums.get(templateId) ?? { sent: 0, delivered: 0, read: 0 };
    sums.set(templateId, {
      sent: sum.sent + sent,
      delivered: sum.delivered + delivered,
      read: sum.read + read,
    });
  }
  return sums;
}
