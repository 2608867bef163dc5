// Every state that the page shows: its tone, its shape, and whether it needs a person. Pure.
import type { Shape } from './icons.tsx';

export type Tone = 'ok' | 'wait' | 'move' | 'warn' | 'bad';

export interface StateLook {
  tone: Tone;
  shape: Shape;
  /** Shown as a filled badge: somebody has to act. A person's own decision never is. */
  isLoud?: boolean;
}

const look = (tone: Tone, shape: Shape, isLoud = false): StateLook => ({ tone, shape, isLoud });
const waiting = look('wait', 'clock');
const moving = look('move', 'turningArc');
const good = look('ok', 'tickDisc');
const ended = look('wait', 'slashedRing');

const looks: Record<string, StateLook> = {
  // messages
  queued: waiting,
  scheduled: waiting,
  dispatching: moving,
  accepted: look('wait', 'dottedRing'),
  sent: look('ok', 'tick'),
  delivered: look('ok', 'twoTicks'),
  read: look('ok', 'eye'),
  failed: look('bad', 'crossDisc', true),
  expired: look('bad', 'clock', true),
  cancelled: ended,
  opted_out: look('wait', 'mutedHorn'),
  outcome_unknown: look('warn', 'triangle', true),
  // deliveries and endpoints
  pending: waiting,
  dead: look('bad', 'crossSquare', true),
  resting: look('warn', 'hourglass', true),
  disabled: look('bad', 'slashedRing', true),
  active: good,
  // sends
  draft: look('wait', 'pencil'),
  sending: moving,
  paused: look('warn', 'bars'),
  done: good,
  // templates
  approved: good,
  submitted: waiting,
  rejected: look('bad', 'crossDisc', true),
  // bookings
  held: look('move', 'dashedRing'),
  confirmed: good,
  moved: look('warn', 'arrow'),
  conflict: look('bad', 'triangle', true),
  undoing: look('move', 'backArrow'),
  undone: look('wait', 'backArrow'),
  no_show: look('warn', 'personCross'),
  changing: moving,
  event_deleted: look('warn', 'triangle'),
  // senders, calendars and checks
  halted: look('bad', 'octagon', true),
  connected: good,
  disconnected: look('bad', 'slashedRing', true),
  no_calendar: look('wait', 'dashedRing'),
  ok: good,
  warning: look('warn', 'triangle'),
  checking: moving,
  unknown: look('wait', 'dashedRing'),
  busy: look('wait', 'hourglass'),
  closed: ended,
};

/** The look of a state; a state that is newer than the page looks unknown. */
export const lookOf = (state: string): StateLook => looks[state] ?? look('wait', 'dashedRing');
