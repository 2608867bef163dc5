// Entries of the audit log that fit a filter, newest first, as a list that updates itself.
import type { AuditEntry } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useLiveList } from '../api/use-live-list.ts';

const pageLength = 50;

/** `key` names the list, `query` is what it shows. Also reads the first page every `intervalMs`, if given. */
export function useAudit(
  key: readonly unknown[],
  query: Omit<Parameters<typeof api.listAudit>[0], 'limit' | 'cursor'>,
  intervalMs?: number,
) {
  return useLiveList<AuditEntry>({
    key,
    read: (cursor) => api.listAudit({ ...query, limit: pageLength, ...(cursor ? { cursor } : {}) }),
    idOf: ({ _id }) => _id,
    ...(intervalMs === undefined ? {} : { intervalMs }),
  });
}
