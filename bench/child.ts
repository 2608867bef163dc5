// The child's end of a conversation: a process of a benchmark answers its parent's questions, one function a question.

export interface Question {
  number: number;
  name: string;
  input: unknown;
}

export interface Reply {
  number: number;
  value?: unknown;
  error?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each answer knows its own input
type Answers = Record<string, (input: any) => unknown>;

/** Answers questions that come over the parent's channel; ends with it. */
export function answerParent(answers: Answers): void {
  process.on('message', async ({ number, name, input }: Question) => {
    let reply: Reply;
    try {
      const answer = answers[name];
      if (!answer) throw new Error(`no answer to ${name}`);
      reply = { number, value: await answer(input) };
    } catch (error) {
      reply = { number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    process.send?.(reply);
  });
  process.once('disconnect', () => process.exit(0));
}

/** Milliseconds of the machine's monotonic clock: the same in every process of it. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
