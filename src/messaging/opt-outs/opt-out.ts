// The opt-out of a contact: what it stops, who decided it, and which act changes it. Pure.

/** What a person does not receive, as stored: the higher, the stricter. */
export const scope = { none: 0, marketing: 1, all: 2 } as const;
export type Scope = (typeof scope)[keyof typeof scope];

/** The names of the API; null: the person receives everything. */
export const scopeNames = [null, 'marketing', 'all'] as const;

/** Where an act comes from, as stored. */
export const source = { platform: 0, keyword: 1, button: 2, error: 3, api: 4 } as const;
export type Source = (typeof source)[keyof typeof source];

/** The names of the API. */
export const sourceNames = ['platform', 'keyword', 'button', 'error_131050', 'api'] as const;

/** What was decided last. `none` is kept too, so that an older act changes nothing. */
export interface OptOutState {
  scope: Scope;
  source: Source;
  reason: string | null;
  /** The time of the newest act. */
  actedAtMs: number;
}

/** Somebody stops messages to a person (`marketing`, `all`), or allows them again (`none`). */
export interface Act {
  scope: Scope;
  source: Source;
  reason: string | null;
  /** When it happened, not when it arrived; null: now, after everything that is known. */
  atMs: number | null;
}

/** The longest reason; the platform's own are shorter. */
export const reasonMaxLength = 500;

/** The act that an error of the platform reveals: the person stopped marketing messages at the platform before. */
export const optOutByError = (reason: string, atMs: number): Act => ({
  ...{ scope: scope.marketing, source: source.error, reason: reason.slice(0, reasonMaxLength), atMs },
});

/** The platform's times are whole seconds: acts of one second are in the order of their arrival. */
const secondOf = (ms: number) => Math.floor(ms / 1000);

/**
 * Returns the state after an act, at `nowMs`; the state itself if the act changes nothing. An act older than the newest one changes
 * nothing, whatever the order in which they arrive. What the API stopped as `all`, the API alone changes.
 */
export function afterAct(state: OptOutState | undefined, act: Act, nowMs: number): OptOutState | undefined {
  // the platform's clock may be ahead
  const atMs = act.atMs === null ? Math.max(nowMs, state?.actedAtMs ?? 0) : Math.min(act.atMs, nowMs);
  const { scope: to, source: by, reason } = act;
  const decided = { scope: to, source: by, reason, actedAtMs: atMs };
  if (!state) return decided;
  if (secondOf(atMs) < secondOf(state.actedAtMs)) return state;
  if (by === source.api) return decided;
  if (state.scope === scope.all) return state;
  // repeated: only its time counts
  if (state.scope === to) return { ...state, actedAtMs: Math.max(atMs, state.actedAtMs) };
  return decided;
}
