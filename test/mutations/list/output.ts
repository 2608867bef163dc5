// Mutations of what the program prints and logs.
import type { Mutation } from '../mutation.ts';

const output = 'src/base/log-output.ts';
const tests = ['test/base/log-output.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a full disk ends the log',
    file: output,
    find: "if (codeOf(error) === 'EPIPE') {",
    replace: "if (codeOf(error) !== 'EAGAIN') {",
    tests,
  },
  {
    name: 'the end of a process waits for space on the disk of its log',
    file: output,
    find: 'if (!isBusy(error) || performance.now() > endMs) return;',
    replace: 'if (isBusy(error) && performance.now() > endMs) return;',
    tests,
  },
  {
    name: 'lines of a log that cannot be written fill the memory',
    file: output,
    find: 'waiting.length + text.length > maxChars',
    replace: 'waiting.length + text.length > maxChars * 100',
    tests,
  },
  {
    name: 'a full disk of its output ends a command in the middle of its work',
    file: 'src/command-line/run.ts',
    find: '  keepWorking();\n',
    replace: '  void keepWorking;\n',
    tests: ['test/journeys/full-output.test.ts'],
  },
];
