// Whom an erasure is about, and what stored texts say about them. Pure.

/** Everything by which the person is known. */
export interface Subject {
  phones: string[];
  userIds: string[];
  /** In lower case. */
  emails: string[];
}

/** The names of members that say something about a person. */
const personal = new Set([
  ...['recipientPhone', 'recipientUserId', 'phone', 'phoneNumber', 'userId', 'otherPhones', 'name', 'email'],
  ...['variables', 'text', 'metadata', 'parts', 'reply', 'answers', 'staticQuestionAnswers', 'cancelReason'],
]);

const emptied = (value: unknown): unknown =>
  typeof value === 'string' ? '' : Array.isArray(value) ? [] : value === null ? null : {};

/** True if one of the values is the person's. */
const isAbout = ({ phones, userIds, emails }: Subject, value: object): boolean =>
  Object.values(value).some(
    (one) =>
      typeof one === 'string' &&
      (phones.includes(one) || userIds.includes(one) || emails.includes(one.toLowerCase())),
  );

/**
 * Returns a JSON text without what it says about the person: objects that have a number, id or address of theirs lose every member
 * that says something about a person. A text that is no JSON becomes empty.
 */
export function eraseFromJson(text: string, subject: Subject): string {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (typeof value !== 'object' || value === null) return value;
    const own = isAbout(subject, value);
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        own && personal.has(name) ? emptied(one) : without(one),
      ]),
    );
  };
  try {
    return JSON.stringify(without(JSON.parse(text)));
  } catch {
    return '';
  }
}
