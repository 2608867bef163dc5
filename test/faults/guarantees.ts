// The guarantees that the campaign checks, by the name under which a violation is reported. Pure.

export const guarantees = {
  lost: 'a message in a response, or accepted by the platform, has no row or a wrong state',
  duplicated: 'a message was sent twice',
  wrong_state: 'a row differs from what the platform did',
  unknown_without_cause: 'an outcome is recorded as unknown although it was known',
  unanswered: 'a key never got a response',
  unexpected_response: 'a caller got a status that the API does not allow here',
  untrue_response: 'a response reports what did not happen',
  responses_differ: 'two responses for one key differ',
  called_while_stopped:
    'a message of a paused or cancelled send was called after the response to the request',
  called_after_opt_out: 'a marketing message was sent to a person after the response to their opt-out',
  received_lost: 'a message that a person wrote has no row',
  received_twice: 'a message that a person wrote has several rows',
  event_missing: 'an endpoint did not get an event',
  event_unfounded: 'an endpoint got an event for a stage that was never reached, or with wrong content',
  event_out_of_order: 'a later stage arrived first before an earlier one',
  bad_signature: 'a webhook has a wrong signature',
  webhook_id_changed: 'two attempts of one event differ in id or bytes, or two events share an id',
  repeat_without_cause: 'an acknowledged event was repeated without a kill or an outage',
  too_many_repeats: 'more events were repeated than can have been in flight at the kills and outages',
  booking_lost: 'a booking in a response has no row, is not confirmed or has no calendar event',
  booking_twice: 'a slot was given to two callers, or has two calendar events',
  booking_event: 'a confirmed booking has no calendar event, or an event no booking',
  slow_recovery: 'sends did not work again in time after the database accepted writes',
  still_open: 'work was still open when the wait timed out',
  died_by_itself: 'a gateway exited without being killed',
} as const;

export type GuaranteeName = keyof typeof guarantees;

/** A violated guarantee: which one, for what, and the details. */
export interface Violation {
  guarantee: GuaranteeName;
  subject: string;
  text: string;
}

/** Reports a violation. */
export type Report = (guarantee: GuaranteeName, subject: string, text: string) => void;
