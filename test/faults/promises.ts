// The promises that the campaign holds the gateway to, by the name under which a breach is reported. Pure.

export const promises = {
  lost: 'a message that was answered for, or that the platform took, is in no true state',
  doubled: 'a message was sent twice',
  wrong_state: 'a row disagrees with what the platform did',
  unknown_without_cause: 'an outcome is called unknown though it was known',
  unanswered: 'a key never got its answer',
  unexpected_answer: 'a caller was answered what the contract does not allow',
  untrue_answer: 'an answer says what did not happen',
  answers_differ: 'two answers to one key differ',
  event_missing: 'an endpoint did not get an event',
  event_unfounded: 'an endpoint got an event of a stage that was never reached, or with wrong content',
  event_out_of_order: 'a later stage first came before an earlier one',
  bad_signature: 'a webhook is not rightly signed',
  webhook_id_changed: 'two tries of one event differ in their id or bytes, or two events share an id',
  repeat_without_cause: 'an event that was taken came again, though nothing broke',
  too_many_repeats: 'more events came again than can have been under way when things broke',
  still_open: 'something had not ended when the wait for it was over',
  died_by_itself: 'a gateway ended that nobody killed',
} as const;

export type PromiseName = keyof typeof promises;

/** A broken promise: which, about what, and how it shows. */
export interface Breach {
  promise: PromiseName;
  about: string;
  text: string;
}

/** Collects breaches. */
export type Tell = (promise: PromiseName, about: string, text: string) => void;
