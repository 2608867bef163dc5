// Names that people give to objects: not blank, because lists and the audit log show them.
import { expect, test } from 'vitest';
import { CreateKeyBody } from '../../src/contract/accounts.ts';
import { ChangeSendBody, DraftBody } from '../../src/contract/campaigns.ts';
import { ChangeSenderBody, CreateSenderBody } from '../../src/contract/senders.ts';
import { SendBody } from '../../src/contract/sends.ts';
import { CreateLinkBody } from '../../src/contract/sessions.ts';
import { requestValidator } from '../../src/http/validation.ts';
import { validationProblem } from '../../src/http/validation-problem.ts';

const compile = requestValidator();

test.each<[string, object]>([
  ['a key', CreateKeyBody],
  ['a link', CreateLinkBody],
  ['a sender', CreateSenderBody],
  ['a changed sender', ChangeSenderBody],
  ['a send', SendBody],
  ['a draft', DraftBody],
  ['a changed send', ChangeSendBody],
])('the name of %s must not be blank', (_what, schema) => {
  const validate = compile({ schema, httpPart: 'body', method: 'POST', url: '/' });
  const problemsOf = (name: string) => {
    const result = validate({ name }) as true | { error: unknown[] };
    if (result === true) return [];
    const problems = result.error.map((issue) => validationProblem(issue, 'body'));
    return problems.filter(({ path }) => path === 'name').map(({ message }) => message);
  };
  for (const name of [' ', '\n\t', '\u200b', '\u3164 '])
    expect(problemsOf(name)).toEqual(['must not be blank']);
  for (const name of ['CRM', ' Ä 😀 ']) expect(problemsOf(name)).toEqual([]);
});
