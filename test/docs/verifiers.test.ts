// The verifiers in the webhook guide accept genuine webhooks only, in each language installed on this machine.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readProjectFile } from '../harness/documents.ts';

const guide = readProjectFile('docs/webhooks.md');
const codeOf = (language: string) =>
  new RegExp(`\`\`\`${language}\n([\\s\\S]+?)\`\`\``).exec(guide)?.[1] ?? '';

const vector = {
  secret: "It's a Secret to Everybody",
  body: 'Hello, World!',
  header: /`(sha256=[0-9a-f]{64})`/.exec(guide)?.[1] ?? '',
};
/** Body, header and secret; only the first is genuine. */
const cases = [
  [vector.body, vector.header, vector.secret],
  ['Hello, World?', vector.header, vector.secret],
  [vector.body, vector.header, 'another secret'],
  [vector.body, `${vector.header}0`, vector.secret],
  [vector.body, vector.header.replace('sha256=', 'sha1='), vector.secret],
  [vector.body, '', vector.secret],
];
const json = JSON.stringify(cases);

const programs = {
  python: {
    command: 'python3',
    args: ['-'],
    code: `${codeOf('python')}
import json
print(json.dumps([genuine(body.encode(), header, secret) for body, header, secret in json.loads(${JSON.stringify(json)})]))`,
  },
  php: {
    command: 'php',
    args: [],
    code: `<?php
${codeOf('php')}
$cases = json_decode(<<<'CASES'
${json}
CASES);
echo json_encode(array_map(fn ($case) => genuine(...$case), $cases));`,
  },
};

test.each(Object.entries(programs))('%s', (language, { command, args, code }) => {
  expect(codeOf(language)).toContain('genuine');
  const { error, stdout, stderr } = spawnSync(command, args, { input: code, encoding: 'utf8' });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return;
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([true, false, false, false, false, false]);
});
