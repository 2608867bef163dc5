// Idempotency keys of what pages send. Pure, except for chance.

export interface KeyOf {
  /** One key for one content: who presses again after a broken connection sends it once. */
  keyOf: (content: unknown) => string;
  /** After it arrived: the same content is sent again on purpose. */
  renew: () => void;
}

/** Keys for as long as the object is kept. */
export function keyOfContent(): KeyOf {
  let kept: { content: string; key: string } | undefined;
  return {
    keyOf: (given) => {
      const content = JSON.stringify(given);
      if (kept?.content !== content) kept = { content, key: crypto.randomUUID() };
      return kept.key;
    },
    renew: () => {
      kept = undefined;
    },
  };
}

const keys = new Map<string, KeyOf>();

/** The keys of a form, by its name, also after it was left: who comes back and presses again sends once. */
export function keptKeyOf(form: string): KeyOf {
  const known = keys.get(form) ?? keyOfContent();
  keys.set(form, known);
  return known;
}
