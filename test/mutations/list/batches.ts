// Mutations of batches.
import type { Mutation } from '../mutation.ts';

const batchFile = 'src/work/batch.ts';
const batches = ['test/rules/batch.test.ts', 'test/rules/batch-runs.test.ts'];

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
    name: 'a batch begins again immediately after a deadlock, and meets the other one again',
    file: batchFile,
    find: 'await pauseAfterDeadlock(error);',
    replace: '',
    tests: batches,
  },
  {
    name: 'a batch locks rows in the order of arrival',
    file: batchFile,
    find: 'taken.sort((a, b) => compareTexts(a.key, b.key));',
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
    find: 'if (this.#running >= (this.#options.atOnce ?? 1)) return false;',
    replace: '',
    tests: batches,
  },
  {
    name: 'a run of a batch begins beside another for a single item',
    file: batchFile,
    find: '(this.#running === 0 ? 1 : this.#lastCount)',
    replace: '1',
    tests: batches,
  },
  {
    name: 'a batch waits after a run of few items as long as after many',
    file: batchFile,
    find: ', this.#lastCount * gapPerItemMs)',
    replace: ')',
    tests: batches,
  },
  {
    name: 'an idle batch runs before other items of the same turn arrive',
    file: batchFile,
    find: '      else void this.#flush();\n    });',
    replace: '    });\n    if (turns === 1) void this.#flush();',
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
    name: 'a run that has an item of every caller lets others go first',
    file: batchFile,
    find: 'this.#waiting.length >= callers.count',
    replace: 'this.#waiting.length > callers.count',
    tests: batches,
  },
  {
    name: 'a run begins with the first of many callers',
    file: batchFile,
    find: 'callers !== undefined && this.#waiting.length >= callers.count',
    replace: 'callers !== undefined',
    tests: batches,
  },
  {
    name: 'a few requests wait for a batch as long as many',
    file: batchFile,
    find: 'count * gapPerRequestMs, ',
    replace: '',
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
    find: 'this.#waiting.splice(0, this.#fitting())',
    replace: 'this.#waiting.splice(0)',
    tests: batches,
  },
];
