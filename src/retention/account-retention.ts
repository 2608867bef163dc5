// How long an account keeps data: read, and shortened by the account itself.
import { audit } from '../audit/store.ts';
import { invalidRequest } from '../base/errors.ts';
import {
  effectiveDays,
  minimumDays,
  noDays,
  type RetentionDays,
  retentionKinds,
} from '../base/retention-days.ts';
import type { Retention, RetentionBody } from '../contract/retention.ts';
import type { Db } from '../db/db.ts';
import { beginsAt } from './cutoffs.ts';
import { findNotices, findOwnDays, putOwnDays } from './settings-store.ts';

export interface AccountRetentionDeps {
  db: Db;
  clock: { now(): number };
  config: { retentionDays: RetentionDays };
}

/** The account's days, those of the gateway, and when removal begins. */
export async function readRetention(
  { db, clock, config }: AccountRetentionDeps,
  accountId: string,
): Promise<Retention> {
  const gateway = config.retentionDays;
  const own = await findOwnDays(db, accountId);
  const announced = await findNotices(db);
  const days = effectiveDays(gateway, own);
  const now = new Date(clock.now());
  return Object.fromEntries(
    retentionKinds.map((kind) => {
      const begins = days[kind] === null ? null : beginsAt(kind, { gateway, own, announced }, now);
      return [
        kind,
        {
          ...{ days: days[kind], ownDays: own[kind], gatewayDays: gateway[kind] },
          ...{ minimumDays: minimumDays[kind], removedFrom: begins?.toISOString() ?? null },
        },
      ];
    }),
  ) as Retention;
}

/** Replaces the account's days. 400 for fewer than the minimum, or more than the gateway's. */
export async function writeRetention(
  deps: AccountRetentionDeps,
  accountId: string,
  body: RetentionBody,
): Promise<Retention> {
  const gateway = deps.config.retentionDays;
  const problems = retentionKinds.flatMap((kind) => {
    const days = body[kind] ?? null;
    const most = gateway[kind];
    if (days === null) return [];
    if (days < minimumDays[kind])
      return [{ path: kind, message: `must be at least ${minimumDays[kind]} days, or null` }];
    if (most !== null && days > most)
      return [{ path: kind, message: `must be at most ${most} days: this gateway keeps no longer` }];
    return [];
  });
  if (problems.length > 0) throw invalidRequest(problems);
  const own: RetentionDays = { ...noDays };
  for (const kind of retentionKinds) own[kind] = body[kind] ?? null;
  await deps.db.transaction().execute(async (tx) => {
    await putOwnDays(tx, accountId, own);
    await audit(tx, accountId, 'retention.updated', accountId, { ...own });
  });
  return readRetention(deps, accountId);
}
