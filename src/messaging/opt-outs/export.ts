// Export of opt-outs as CSV that an import reads again. Rows are read in steps by key.
import type { Db } from '../../db/db.ts';
import { lineOf } from '../../http/csv-cells.ts';
import { phonesOf } from '../contacts/identities-store.ts';
import { columns } from './import.ts';
import { optOutItem } from './presenter.ts';
import { listOptOuts } from './store.ts';

const rowsPerStep = 1_000;

/** The account's opt-outs, newest first, as lines of CSV. A person's other numbers are separated by spaces. */
export async function* optOutLines(db: Db, accountId: string): AsyncGenerator<string> {
  yield lineOf(columns);
  let beforeId: string | undefined;
  for (;;) {
    const rows = await listOptOuts(db, accountId, { beforeId }, rowsPerStep);
    const phones = await phonesOf(
      db,
      rows.map(({ contact_id: contactId }) => ({ accountId, contactId })),
    );
    const byContact = Map.groupBy(phones, ({ contactId }) => contactId);
    const lines = rows.map((row) => {
      const item = optOutItem(row);
      const own = (byContact.get(row.contact_id) ?? []).map(({ phone }) => phone);
      const otherPhones = own.filter((phone) => phone !== item.phone).join(' ');
      // an import compares it with other decisions; the record may be much later, or older than the decision for `all`
      const values = { ...item, otherPhones, createdAt: row.acted_at.toISOString() };
      return lineOf(columns.map((column) => values[column]));
    });
    if (lines.length > 0) yield lines.join('');
    beforeId = rows.at(-1)?.id;
    if (rows.length < rowsPerStep) return;
  }
}
