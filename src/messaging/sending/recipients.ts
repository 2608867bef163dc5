// A send request: its recipients, and what applies to all of them. Pure.
import type { AppError, Problem } from '../../base/errors.ts';
import { phoneProblem } from '../../base/phone.ts';
import type { RecipientContent, SharedContent } from '../template-content/recipient-content.ts';

export interface RequestedRecipient extends RecipientContent {
  phone: string;
  name?: string | null | undefined;
  metadata?: Record<string, string> | undefined;
}

export interface SendRequest extends SharedContent {
  accountId: string;
  templateId: string;
  recipients: RequestedRecipient[];
  metadata?: Record<string, string> | undefined;
  senderId?: string | undefined;
  expiresInSeconds?: number | undefined;
  /** A name for the list of sends. */
  name?: string | undefined;
  /** When to send; undefined or past: now. RFC 3339. */
  sendAt?: string | undefined;
  /** The error to throw if the content does not fit the template, for a request whose content the caller did not write. */
  problemsOf?: (problems: readonly Problem[]) => AppError;
}

/** Problems of the phone numbers: malformed, or given twice (one request never sends twice to one person). */
export function phoneProblems(recipients: RequestedRecipient[]): Problem[] {
  const first = new Map<string, number>();
  return recipients.flatMap(({ phone }, index) => {
    const path = `recipients[${index}].phone`;
    const problem = phoneProblem(phone);
    if (problem) return [{ path, message: problem }];
    const earlier = first.get(phone);
    first.set(phone, earlier ?? index);
    return earlier === undefined ? [] : [{ path, message: `is the same as recipients[${earlier}].phone` }];
  });
}
