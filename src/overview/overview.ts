// The overview of an account: its counts, and what needs attention.

import { listNextBookings } from '../appointments/booking/bookings-store.ts';
import { showBookings } from '../appointments/booking/list.ts';
import { listDisconnectedCalendars } from '../appointments/calendar/connections-store.ts';
import { uuidTime } from '../base/uuid-time.ts';
import type { Scope } from '../contract/envelope.ts';
import { summarizeQueue } from '../messaging/dispatch/queue-store.ts';
import { codeOf } from '../messaging/senders/presenter.ts';
import { listFailedChecks } from '../messaging/senders/states-store.ts';
import { listHaltedSenders } from '../messaging/senders/store.ts';
import { listStoppedTemplates } from '../messaging/templates/store.ts';
import { type Period, readPeriods } from '../statistics/periods.ts';
import type { ReadDeps } from '../statistics/read.ts';
import { listFailingEndpoints } from '../webhooks/endpoints/store.ts';

export type OverviewDeps = ReadDeps;

const queueMax = 100_000;
const listedMax = 100;
const bookingsMax = 5;

/** Reads the overview; parts that the scopes of the key do not cover are null. 400 for an unknown time zone. */
export async function readOverview(
  { db, clock }: OverviewDeps,
  { accountId, scopes }: { accountId: string; scopes: ReadonlySet<string> },
  timezone: string | undefined,
) {
  const may = (scope: Scope) => scopes.has(scope);
  const periods = await readPeriods({ db, clock }, accountId, timezone);
  const counts = ({ messages, webhooks, appointments }: Period) => ({
    messages: may('messages:read') ? messages : null,
    webhooks: may('webhooks:manage') ? webhooks : null,
    appointments: may('appointments:read') ? appointments : null,
  });
  const queue = may('messages:read') ? await summarizeQueue(db, accountId, queueMax) : null;
  const calendars = may('appointments:read')
    ? await listDisconnectedCalendars(db, accountId, listedMax)
    : null;
  const senders = may('manage') ? await listHaltedSenders(db, accountId, listedMax) : null;
  const endpoints = may('webhooks:manage') ? await listFailingEndpoints(db, accountId) : null;
  const checks = may('manage') ? await listFailedChecks(db, { accountId, limit: listedMax }) : null;
  const templates = may('templates:read') ? await listStoppedTemplates(db, accountId, listedMax) : null;
  const bookings = may('appointments:manage')
    ? await listNextBookings(db, accountId, { now: new Date(clock.now()), limit: bookingsMax })
    : null;
  return {
    foldedUntil: periods.foldedUntil.toISOString(),
    today: counts(periods.today),
    last30Days: counts(periods.last30Days),
    queue: queue && {
      waiting: queue.waiting,
      oldestAt: queue.oldest_id === null ? null : uuidTime(queue.oldest_id).toISOString(),
    },
    haltedSenders:
      senders?.map((row) => ({
        ...{ _id: row.id, name: row.name, displayPhone: row.display_phone },
        ...{ haltedAt: row.halted_at.toISOString(), haltedReason: row.halted_reason },
        haltedCode: codeOf(row.halted_error),
      })) ?? null,
    failingEndpoints:
      endpoints?.map((row) => ({
        ...{ _id: row.id, url: row.url, status: row.status, disabledReason: row.disabled_reason },
        failingSince: row.failing_since?.toISOString() ?? null,
        restingUntil: row.resting_until?.toISOString() ?? null,
      })) ?? null,
    failedChecks:
      checks?.map(({ senderId, sender, name, detail, fix, checkedAt }) => ({
        ...{ senderId, senderName: sender, check: name, detail, fix, checkedAt },
      })) ?? null,
    stoppedTemplates:
      templates?.map((row) => ({
        ...{ _id: row.id, name: row.name, language: row.language, providerStatus: row.provider_status ?? '' },
        rejectedReason: row.rejected_reason,
      })) ?? null,
    disconnectedCalendars:
      calendars?.map((row) => ({
        ...{ appointmentUserId: row.staff_id, name: row.name, provider: row.provider },
        ...{ disconnectedAt: row.dead_at.toISOString(), error: row.failure },
      })) ?? null,
    nextBookings: bookings && (await showBookings(db, bookings)),
  };
}
