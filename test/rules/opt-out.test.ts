// The rules of opt-outs: which act decides, by its source and its time.
import { describe, expect, it, test } from 'vitest';
import { type Act, afterAct, type OptOutState, scope, source } from '../../src/messaging/opt-outs/opt-out.ts';

const { none, marketing, all } = scope;
const { platform, keyword, button, error, api } = source;
const start = Date.UTC(2026, 10, 22, 12);
const nowMs = start + 100_000;

/** An act at `second` after the start; API acts without a second happen now. */
const act = (to: Act['scope'], by: Act['source'], second: number | null = null): Act => ({
  scope: to,
  source: by,
  reason: null,
  atMs: second === null ? null : start + second * 1000,
});
const stateAfter = (acts: Act[], at = nowMs) =>
  acts.reduce<OptOutState | undefined>((state, one) => afterAct(state, one, at), undefined);

describe('a marketing opt-out', () => {
  it.each([platform, keyword, button, error, api])('of source %i is recorded', (by) => {
    expect(stateAfter([act(marketing, by, 5)])).toMatchObject({ scope: marketing, source: by });
  });

  it.each([
    [platform, keyword],
    [keyword, platform],
    [button, keyword],
    [error, platform],
    [api, keyword],
    [api, platform],
    [keyword, api],
  ])('of source %i is lifted by a newer act of source %i', (stopped, lifted) => {
    expect(stateAfter([act(marketing, stopped, 5), act(none, lifted, 6)])?.scope).toBe(none);
  });

  test.each([
    [none, marketing],
    [marketing, none],
  ])('an older act that arrives later changes nothing (%i after %i)', (late, decided) => {
    for (const by of [platform, keyword, button, error])
      expect(stateAfter([act(decided, keyword, 6), act(late, by, 5)])?.scope).toBe(decided);
  });

  it('is decided by the later arrival within one second of the platform', () => {
    expect(stateAfter([act(marketing, keyword, 5), act(none, keyword, 5)])?.scope).toBe(none);
    expect(stateAfter([act(none, keyword, 5), act(marketing, keyword, 5)])?.scope).toBe(marketing);
    // the API's time has milliseconds
    expect(stateAfter([act(none, api, 5.9), act(marketing, keyword, 5)])?.scope).toBe(marketing);
  });

  it('that is repeated keeps its source, and its newest time counts', () => {
    const state = stateAfter([act(marketing, keyword, 5), act(marketing, error, 9)]);
    expect(state).toMatchObject({ scope: marketing, source: keyword, actedAtMs: start + 9_000 });
    expect(
      stateAfter([act(marketing, keyword, 5), act(marketing, error, 9), act(none, keyword, 7)])?.scope,
    ).toBe(marketing);
  });
});

describe('what the API stopped as all', () => {
  it('is lifted or weakened by the API alone', () => {
    for (const by of [platform, keyword, button, error])
      for (const to of [none, marketing])
        expect(stateAfter([act(all, api, 5), act(to, by, 50)])).toMatchObject({ scope: all, source: api });
    expect(stateAfter([act(all, api, 5), act(none, api)])?.scope).toBe(none);
    expect(stateAfter([act(all, api, 5), act(marketing, api)])?.scope).toBe(marketing);
  });

  it('stops more than a marketing opt-out that came before, whose start word no longer counts', () => {
    expect(stateAfter([act(marketing, keyword, 5), act(all, api, 6), act(none, keyword, 7)])?.scope).toBe(
      all,
    );
  });
});

describe('the time of an act', () => {
  it('of the API without a time is after everything known, also after a clock that was ahead', () => {
    const ahead = stateAfter([act(marketing, keyword, 5)]) as OptOutState;
    const state = { ...ahead, actedAtMs: nowMs + 60_000 };
    expect(afterAct(state, act(none, api), nowMs)).toMatchObject({ scope: none, actedAtMs: nowMs + 60_000 });
  });

  it('of the API with a time, as in an import, is compared like any other', () => {
    expect(stateAfter([act(none, keyword, 6), act(all, api, 5)])?.scope).toBe(none);
    expect(stateAfter([act(none, keyword, 6), act(all, api, 7)])?.scope).toBe(all);
  });

  it('is never later than now, so that a wrong clock cannot decide for ever', () => {
    const wrong = act(marketing, platform, 10_000_000);
    expect(stateAfter([wrong])?.actedAtMs).toBe(nowMs);
    expect(stateAfter([wrong, act(none, keyword, 100)])?.scope).toBe(none);
  });
});
