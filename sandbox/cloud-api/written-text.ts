// The text of a person's message in a line.

/** What a message of a person says in a line; null if it has no text. */
export function textOfWritten(element: Record<string, unknown>): string | null {
  const member = element[String(element.type)] as Record<string, unknown> | undefined;
  const inner = member?.button_reply ?? member?.list_reply ?? member?.nfm_reply;
  const { title, body } = (inner ?? {}) as { title?: unknown; body?: unknown };
  const text = [member?.body, member?.text, title, body, member?.caption, member?.emoji].find(
    (one) => typeof one === 'string',
  );
  return typeof text === 'string' ? text.slice(0, 1_000) : null;
}
