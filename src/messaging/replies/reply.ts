// A reply as the caller requests it: who it is for, what it says, and what is wrong with it. Pure.
import type { Problem } from '../../base/errors.ts';
import { phoneProblem } from '../../base/phone.ts';
import type { ReplyContent } from '../../ports/platform.ts';

/** The members that say who a reply is for. */
export interface RequestedPerson {
  phone?: string | undefined;
  userId?: string | undefined;
}

/** The members of which a reply has exactly one. */
export interface RequestedContent {
  text?: string | undefined;
}

/** The recipient of a reply, or its problems: exactly one of `phone` and `userId` is needed. */
export function recipientOf({ phone, userId }: RequestedPerson): {
  to: { phone: string } | { userId: string };
  problems: Problem[];
} {
  const problems: Problem[] = [];
  if ((phone === undefined) === (userId === undefined))
    problems.push({ path: 'phone', message: 'is required, or userId: give exactly one of the two' });
  const problem = phone === undefined ? undefined : phoneProblem(phone);
  if (problem !== undefined) problems.push({ path: 'phone', message: problem });
  return { to: phone === undefined ? { userId: userId ?? '' } : { phone }, problems };
}

/** The content of a reply, and its problems. */
export function contentOf({ text }: RequestedContent): {
  content: ReplyContent | undefined;
  problems: Problem[];
} {
  if (text === undefined) return { content: undefined, problems: [{ path: 'text', message: 'is required' }] };
  const problems = text.trim() === '' ? [{ path: 'text', message: 'must not be blank' }] : [];
  return { content: { kind: 'text', text }, problems };
}
