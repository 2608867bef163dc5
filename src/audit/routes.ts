// Routes: the audit log.
import { isUuid } from '../base/ids.ts';
import { AuditEntry, AuditQuery } from '../contract/audit.ts';
import { cursorPage, success } from '../contract/envelope.ts';
import type { Db } from '../db/db.ts';
import { cursorPageOf, cursorPosition } from '../http/paging.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { type AuditRow, listAudit } from './store.ts';

const entryOf = (row: AuditRow) => ({
  _id: row.id,
  at: row.at.toISOString(),
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  address: row.address,
  action: row.action,
  subject: { kind: row.subject_kind, id: row.subject_id },
  changes: row.changes,
});

/** GET /v1/audit. */
export function auditRoutes(server: Server, { db }: { db: Db }): void {
  server.get(
    '/v1/audit',
    {
      schema: { querystring: AuditQuery, response: { 200: success(cursorPage(AuditEntry)) } },
      config: { scope: 'manage' },
    },
    async ({ caller, query }) => {
      const { action, subjectId, from, to, cursor, limit = 20 } = query;
      const [beforeId] = cursorPosition('audit', cursor, 1) ?? [];
      const isKnown = subjectId === undefined || isUuid(subjectId);
      const rows = isKnown
        ? await listAudit(db, caller.accountId, {
            ...{ action, subjectId, beforeId, limit: limit + 1 },
            ...{ from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined },
          })
        : [];
      return ok(
        'Audit log listed.',
        cursorPageOf('audit', rows.map(entryOf), limit, ({ _id }) => [_id]),
      );
    },
  );
}
