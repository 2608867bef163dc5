// Mutations of the worker loop, of batches and of retry delays.
import type { Mutation } from '../mutation.ts';

const batchFile = 'src/work/batch.ts';
const backoff = 'src/work/backoff.ts';
const worker = 'src/work/worker.ts';
const batches = ['test/rules/batch.test.ts'];
const delays = ['test/rules/webhook-backoff.test.ts'];
const workers = ['test/rules/worker.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a batch fails at the first lock time-out',
    file: batchFile,
    find: '        if (tries === 0 && codeOf(error) === lockNotAvailable) continue;\n',
    replace: '',
    tests: batches,
  },
  {
    name: 'a batch repeats lock time-outs without end',
    file: batchFile,
    find: 'if (tries === 0 && codeOf(error) === lockNotAvailable) continue;',
    replace: 'if (tries < 9 && codeOf(error) === lockNotAvailable) continue;',
    tests: batches,
  },
  {
    name: 'a batch fails at the first deadlock',
    file: batchFile,
    find: 'if (!isDeadlock(error) || tries === deadlockRetries) throw error;',
    replace: 'throw error;',
    tests: batches,
  },
  {
    name: 'a batch locks rows in the order of arrival',
    file: batchFile,
    find: 'taken.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));',
    replace: '',
    tests: batches,
  },
  {
    name: 'a bad item fails everything beside it',
    file: batchFile,
    find: 'if (taken.length === 1) taken[0]?.reject(error);\n      else await this.#runOneByOne(taken);',
    replace: 'for (const one of taken) one.reject(error);',
    tests: batches,
  },
  {
    name: 'each item of a batch waits for a database that is away',
    file: batchFile,
    find: 'if (isUnavailable(error)) unavailable = { error };',
    replace: '',
    tests: batches,
  },
  {
    name: 'runs of a batch overlap',
    file: batchFile,
    find: 'if (this.#running || this.#waiting.length === 0) return;',
    replace: 'if (this.#waiting.length === 0) return;',
    tests: batches,
  },
  {
    name: 'a batch delays a request that is alone',
    file: batchFile,
    find: 'const full = Math.min(max, count);',
    replace: 'const full = max;',
    tests: batches,
  },
  {
    name: 'a few requests wait for a batch as long as many',
    file: batchFile,
    find: 'Math.min(gapMs, count * gapPerRequestMs)',
    replace: 'gapMs',
    tests: batches,
  },
  {
    name: 'a batch does not wait for the other requests in progress',
    file: batchFile,
    find: 'waitMs <= 0 || this.#waiting.length >= full',
    replace: 'waitMs <= 0 || inFlight || this.#waiting.length >= full',
    tests: batches,
  },
  {
    name: 'a failed request is in progress forever',
    file: 'src/work/in-flight.ts',
    find: '        return await work();\n      } finally {\n        count -= 1;\n      }',
    replace:
      '        const result = await work();\n        count -= 1;\n        return result;\n      } finally {\n      }',
    tests: batches,
  },
  {
    name: 'a batch takes everything at once',
    file: batchFile,
    find: 'this.#waiting.splice(0, this.#options.max)',
    replace: 'this.#waiting.splice(0)',
    tests: batches,
  },
  {
    name: 'a retry comes before the receiver’s Retry-After',
    file: backoff,
    find: 'Math.max(spread, Math.min(retryAfterMs, longestRetryAfterMs))',
    replace: 'spread',
    tests: delays,
  },
  {
    name: 'a Retry-After of a year is honored',
    file: backoff,
    find: 'Math.max(spread, Math.min(retryAfterMs, longestRetryAfterMs))',
    replace: 'Math.max(spread, retryAfterMs)',
    tests: delays,
  },
  {
    name: 'a Retry-After header asks for any length',
    file: backoff,
    find: 'wait > 0 ? Math.min(wait, longestRetryAfterMs) : undefined',
    replace: 'wait > 0 ? wait : undefined',
    tests: delays,
  },
  {
    name: 'a short Retry-After hastens a retry',
    file: backoff,
    find: 'Math.max(spread, Math.min(retryAfterMs, longestRetryAfterMs))',
    replace: 'Math.min(retryAfterMs || spread, longestRetryAfterMs)',
    tests: delays,
  },
  {
    name: 'retries have no jitter',
    file: backoff,
    find: 'delay * (1 + schedule.jitter * (2 * random - 1))',
    replace: 'delay',
    tests: delays,
  },
  {
    name: 'a nudge during a round is forgotten',
    file: worker,
    find: '      nudged = true;\n',
    replace: '',
    tests: workers,
  },
  {
    name: 'a nudge does not end a pause',
    file: worker,
    find: '      wake?.abort();\n',
    replace: '',
    tests: workers,
  },
  {
    name: 'a failing round ends its worker',
    file: worker,
    find: "        deps.log.error({ err: error, work: work.name }, 'work.failed');\n",
    replace: '        throw error;\n',
    tests: workers,
  },
  {
    name: 'a failing round is repeated without a pause',
    file: worker,
    find: '        await pause(failurePauseMs);\n',
    replace: '',
    tests: workers,
  },
  {
    name: 'a worker pauses although there is more to do',
    file: worker,
    find: 'if (found === 0) await pause(work.idleMs);',
    replace: 'await pause(work.idleMs + 0 * found);',
    tests: workers,
  },
  {
    name: 'a worker stops before its running round has ended',
    file: worker,
    find: '      await ended;\n',
    replace: '',
    tests: workers,
  },
  {
    name: 'a worker that stops waits for the end of its pause',
    file: worker,
    find: 'AbortSignal.any([wake.signal, stopping.signal])',
    replace: 'wake.signal',
    tests: workers,
  },
];
