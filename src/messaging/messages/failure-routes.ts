// Route: failures by reason.

import type { Clock } from '../../base/clock.ts';
import { isUuid } from '../../base/ids.ts';
import { lowestUuidAt, uuidTime } from '../../base/uuid-time.ts';
import { success } from '../../contract/envelope.ts';
import { FailureStatistics, FailureStatisticsQuery } from '../../contract/failure-statistics.ts';
import type { Db } from '../../db/db.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { countFailures } from './failure-counts-store.ts';
import { findSend } from './sends-store.ts';

const defaultRangeMs = 30 * 86_400_000;
const beforeSendMs = 60_000;

/** GET /v1/statistics/failures. */
export function failureRoutes(server: Server, { db, clock }: { db: Db; clock: Clock }): void {
  server.get(
    '/v1/statistics/failures',
    {
      schema: { querystring: FailureStatisticsQuery, response: { 200: success(FailureStatistics) } },
      config: { scope: 'messages:read' },
    },
    async ({ caller, query: { from, to, senderId, sendId } }) => {
      const send =
        sendId === undefined || !isUuid(sendId) ? undefined : await findSend(db, caller.accountId, sendId);
      const end = to === undefined ? new Date(clock.now()) : new Date(to);
      const defaultStart = send?.created_at ?? new Date(end.getTime() - defaultRangeMs);
      const start = from === undefined ? defaultStart : new Date(from);
      // no message is older than 1970 or newer than now, and dates outside years 0 to 9999 have no RFC 3339 form
      const earliest = new Date(Math.min(Math.max(start.getTime(), 0), clock.now()));
      // the ids of a send's first messages may be made before its row
      const fromId = lowestUuidAt(
        from === undefined && send ? new Date(start.getTime() - beforeSendMs) : start,
      );
      const range = { fromId, toId: lowestUuidAt(end), senderId, send };
      // an unknown sender sent nothing, and an unknown send has no messages
      const isKnown =
        (senderId === undefined || isUuid(senderId)) && (sendId === undefined || send !== undefined);
      const { rows, scannedTo } = isKnown
        ? await countFailures(db, caller.accountId, range)
        : { rows: [], scannedTo: undefined };
      return ok('Failures counted.', {
        countedFrom: (scannedTo === undefined ? earliest : uuidTime(scannedTo)).toISOString(),
        items: rows.map(({ code, title, failed, last_at }) => ({
          ...{ code, title, failed },
          lastAt: last_at.toISOString(),
        })),
      });
    },
  );
}
