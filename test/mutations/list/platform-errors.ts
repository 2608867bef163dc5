// Mutations of the reactions to the platform's errors and to answers that are not the platform's.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'subcode 33 is ignored',
    file: 'src/adapters/meta/error-codes.ts',
    find: "if (subcode === unreachableObject) return 'halt_sender';",
    replace: '',
    tests: ['test/api/send-refusals.test.ts'],
  },
  {
    name: 'a business account error halts one number',
    file: 'src/messaging/senders/halt.ts',
    find: "if (kind === 'halt_account') return [senderId, ...others];",
    replace: "if (kind === 'halt_account') return [senderId];",
    tests: ['test/api/halting-reports.test.ts'],
  },
  {
    name: 'a token error halts numbers with another token',
    file: 'src/messaging/senders/halt.ts',
    find: 'if (access?.accessToken === used?.accessToken && access?.apiUrl === used?.apiUrl) sharing.push(id);',
    replace: 'if (access) sharing.push(id);',
    tests: ['test/api/halting-reports.test.ts'],
  },
  {
    name: 'a business account error halts numbers of another one',
    file: 'src/messaging/senders/store.ts',
    find: 'on s.account_id = o.account_id and s.business_account_id = o.business_account_id',
    replace: 'on s.account_id = o.account_id',
    tests: ['test/api/halting-reports.test.ts'],
  },
  {
    name: 'an old report of a number halts it again',
    file: 'src/messaging/sending/heed-reports.ts',
    find: 'const takenAt = timestamp === null ? null : new Date(timestamp * 1000);',
    replace: 'const takenAt = null;',
    tests: ['test/api/halting-reports.test.ts'],
  },
  {
    name: 'a call that timed out at a proxy is repeated',
    file: 'src/adapters/meta/foreign-answer.ts',
    find: 'const mayHavePassed = new Set([408, 499]);',
    replace: 'const mayHavePassed = new Set([499]);',
    tests: ['test/ports/meta-odd-answers.test.ts'],
  },
  {
    name: 'a page instead of an answer is repeated',
    file: 'src/adapters/meta/foreign-answer.ts',
    find: 'return status >= 400 && status < 500 && !mayHavePassed.has(status);',
    replace: 'return status < 500 && !mayHavePassed.has(status);',
    tests: ['test/ports/meta-odd-answers.test.ts'],
  },
  {
    name: 'an unknown answer that every call would get halts nothing',
    file: 'src/messaging/sending/call.ts',
    find: 'if (!kind || !isHalt(kind)) return goOn;',
    replace: 'return goOn;',
    tests: ['test/api/send-refusals.test.ts'],
  },
  {
    name: 'an unknown media id is registered again without end',
    file: 'src/messaging/media/register.ts',
    find: 'of.registeredBefore?.getTime() ?? 0',
    replace: 'of.registeredBefore ? deps.clock.now() + keptMs : 0',
    tests: ['test/api/send-refusals.test.ts'],
  },
  {
    name: 'a young registration is trusted although its id is unknown',
    file: 'src/messaging/sending/call.ts',
    find: '...(isUnknown ? { registeredBefore: createdAt(message.id) } : {}),',
    replace: '',
    tests: ['test/api/send-refusals.test.ts'],
  },
  {
    name: 'a template that stays unknown is held without end',
    file: 'src/messaging/sending/message.ts',
    find: 'template_missing: 3,',
    replace: '',
    tests: ['test/api/send-refusals.test.ts'],
  },
];
