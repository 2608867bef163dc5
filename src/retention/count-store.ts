// Counts of what a run would remove. Reads all rows that began before a time: for the command line, without a time limit.
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { isBookingExpired, isDeliveryExpired, isMessageExpired, isReceivedExpired } from './expired-store.ts';

interface Of {
  accountId: string;
  before: Date;
}

const counted = async (query: Promise<{ rows: { n: number }[] }>): Promise<number> =>
  (await query).rows[0]?.n ?? 0;

/** Messages whose deliveries end before them. */
export const countMessages = (db: Db, { accountId, before }: Of, deliveriesBefore: Date): Promise<number> =>
  counted(
    sql<{ n: number }>`
      select count(*)::float8 as n from messages m
      where m.account_id = ${accountId} and m.id < uuid7_floor(${before}) and ${isMessageExpired(before)}
        and not exists (select from deliveries d where d.subject_id = m.id and not ${isDeliveryExpired(deliveriesBefore)})`.execute(
      db,
    ),
  );

/** Webhook deliveries. */
export const countDeliveries = (db: Db, { accountId, before }: Of): Promise<number> =>
  counted(
    sql<{ n: number }>`
      select count(*)::float8 as n from deliveries d
      where d.account_id = ${accountId} and d.id < uuid7_floor(${before}) and ${isDeliveryExpired(before)}`.execute(
      db,
    ),
  );

/** Received messages. */
export const countReceived = (db: Db, { accountId, before }: Of): Promise<number> =>
  counted(
    sql<{ n: number }>`
      select count(*)::float8 as n from received_messages m
      where m.account_id = ${accountId} and m.id < uuid7_floor(${before}) and ${isReceivedExpired(before)}`.execute(
      db,
    ),
  );

/** Bookings. */
export const countBookings = (db: Db, { accountId, before }: Of): Promise<number> =>
  counted(
    sql<{ n: number }>`
      select count(*)::float8 as n from bookings b where b.account_id = ${accountId} and ${isBookingExpired(before)}`.execute(
      db,
    ),
  );

/** Entries of the audit log. */
export const countAudit = (db: Db, { accountId, before }: Of): Promise<number> =>
  counted(
    sql<{ n: number }>`
      select count(*)::float8 as n from audit_log where account_id = ${accountId} and id < uuid7_floor(${before})`.execute(
      db,
    ),
  );
