// Filling the template for each recipient of a send, with every problem of their variables.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { invalidRequest, listedProblemsMax, type Problem } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import { fillTemplate } from '../template-content/fill.ts';
import type { MediaFile } from '../template-content/fill-header.ts';
import type { TemplatePlan } from '../template-content/placeholders.ts';
import { contentOf, sharedMembers } from '../template-content/recipient-content.ts';
import type { NewMessage } from './new-sends-store.ts';
import { phoneProblems, type RequestedRecipient, type SendRequest } from './recipients.ts';

/** Recipients that are filled before other requests can run. */
const filledPerTurn = 100;

/** Moves a problem of a value given for all recipients to its path in the request. */
function atRequestPath(problem: Problem, request: SendRequest, recipient: RequestedRecipient): Problem {
  const path = problem.path.replace(/^recipients\[\d+\]\./, '');
  const member = sharedMembers.find(
    (one) => path === one || (/^[.[]/.test(path.slice(one.length)) && path.startsWith(one)),
  );
  const isShared = member && recipient[member] === undefined && request[member] !== undefined;
  return isShared ? { ...problem, path } : problem;
}

/** Fills the template for every recipient, in order; throws with the problems, up to as many as a response lists. */
export async function fillAll(
  deps: { clock: Clock },
  plan: TemplatePlan,
  request: SendRequest,
  media: ReadonlyMap<string, MediaFile>,
): Promise<NewMessage[]> {
  const problems: Problem[] = phoneProblems(request.recipients);
  const messages: NewMessage[] = [];
  for (const [index, recipient] of request.recipients.entries()) {
    if (problems.length > listedProblemsMax) break;
    if (index > 0 && index % filledPerTurn === 0) await nextTurn();
    const content = contentOf(recipient, request, media);
    const path = `recipients[${index}]`;
    const result = fillTemplate(plan, { ...content, nowMs: deps.clock.now() }, path);
    problems.push(...result.problems.map((problem) => atRequestPath(problem, request, recipient)));
    messages.push({
      id: uuidv7(deps.clock.now()),
      phone: recipient.phone,
      name: recipient.name ?? null,
      content: result.filled,
      mediaId: content.media?.id ?? null,
      metadata: recipient.metadata ?? request.metadata ?? null,
      dispatchMode: 'queued',
    });
  }
  if (problems.length > 0) throw request.problemsOf?.(problems) ?? invalidRequest(problems);
  return messages;
}
