// Reactions to the platform's notices about business accounts: the log has them, and the checks of their numbers run soon.
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { AccountNotice } from '../../ports/platform-number.ts';
import { makeChecksDue } from './states-store.ts';
import type { SenderRow } from './store.ts';

/** Notices come in groups, and the platform's own readings may be a little behind them. */
const checkAfterSeconds = 10;

/** Logs the notices about the business accounts of these senders, and makes the checks of those senders due. */
export async function reactToNotices(
  deps: { db: Db; log: Log },
  senders: readonly SenderRow[],
  notices: readonly AccountNotice[],
): Promise<void> {
  const concerned = new Set<string>();
  for (const notice of notices) {
    const ids = senders
      .filter(({ business_account_id: id }) => id === notice.businessAccountId)
      .map(({ id }) => id);
    if (ids.length > 0) deps.log.warn({ senderIds: ids, notice }, 'sender.notice');
    for (const id of ids) concerned.add(id);
  }
  if (concerned.size > 0) await makeChecksDue(deps.db, [...concerned], checkAfterSeconds);
}
