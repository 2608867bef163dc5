// Automatic answers to people who opted out or in by a word or a button: once a person and day at most.
import { AppError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { claimAnswer, findSettings } from '../opt-outs/settings-store.ts';
import type { Said } from '../received/people-in-batch.ts';
import { queueReply, type ReplyDeps } from './queue-reply.ts';

export type AnswerDeps = ReplyDeps & { log: Log };

/** The person was answered within the last day. */
class Answered extends Error {}

/** Queues the answers that the accounts' settings have for these people. Never rejects. Answers that a crash prevents are lost. */
export async function answerOptOuts(deps: AnswerDeps, people: readonly Said[]): Promise<void> {
  if (people.length === 0) return;
  try {
    const settings = await findSettings(deps.hot, [...new Set(people.map(({ accountId }) => accountId))]);
    for (const said of people) {
      const text = settings.get(said.accountId)?.reply[said.word];
      if (text) await answer(deps, said, text);
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'opt_out.not_answered');
  }
}

async function answer(deps: AnswerDeps, said: Said, text: string): Promise<void> {
  const { accountId, contactId, senderId, to } = said;
  const request = { accountId, senderId, to, content: { kind: 'text' as const, text } };
  try {
    await queueReply(deps, request, undefined, async (tx) => {
      if (!(await claimAnswer(tx, { accountId, contactId }))) throw new Answered();
    });
  } catch (error) {
    if (error instanceof Answered) return;
    // the window may have closed, if the message arrived late
    if (!(error instanceof AppError)) throw error;
    deps.log.info({ accountId, contactId, code: error.code }, 'opt_out.not_answered');
  }
}
