// The operations of statistics.
import type { Operation } from './operation.ts';

const statistics = { tag: 'Statistics' };
const limits =
  'A range has at most 2,000 intervals, and at most 100 senders, templates, endpoints or staff members with `by`; otherwise 400. Counts are kept for 800 days.';

export const statisticsOperations: Record<string, Operation> = {
  'GET /v1/overview': {
    ...statistics,
    id: 'getOverview',
    summary: 'Get the overview',
    description:
      'What a start page shows, in one response: the counts of today and of the last 30 days, the queue, and what needs attention. A part that the scopes of the key do not cover is null.',
    message: 'Overview read.',
  },
  'GET /v1/statistics/messages': {
    ...statistics,
    id: 'getMessageStatistics',
    summary: 'Count messages by stage',
    description: `Counts messages by hour or day and by stage, at the time at which they entered it. ${limits}`,
    message: 'Messages counted.',
  },
  'GET /v1/statistics/failures': {
    ...statistics,
    id: 'getFailureStatistics',
    summary: 'Count failures by reason',
    description:
      'Counts messages that failed by the code of their error, for messages created in the range. Read from the messages themselves, so removed ones are not in it.',
    message: 'Failures counted.',
  },
  'GET /v1/statistics/webhooks': {
    ...statistics,
    id: 'getWebhookStatistics',
    summary: 'Count webhook attempts',
    description: `Counts attempts to deliver webhook events by hour or day, with their durations. ${limits}`,
    message: 'Webhook attempts counted.',
  },
  'GET /v1/statistics/appointments': {
    ...statistics,
    id: 'getAppointmentStatistics',
    summary: 'Count bookings',
    description: `Counts bookings by hour or day: confirmed, rescheduled and cancelled ones. ${limits}`,
    message: 'Bookings counted.',
  },
};
