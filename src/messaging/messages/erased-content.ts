// The content of a message whose person was erased. Pure.

/** In the form of a template's and of a reply's content, with nothing in it. */
export const erasedContent = { header: null, body: [], buttons: [], removed: 'erased' } as const;

/** True if the person of the message was erased. */
export const isErased = ({ content }: { content: unknown }): boolean =>
  (content as { removed?: unknown } | null)?.removed === erasedContent.removed;
