// Everything that the documents name exists: files, headings, commands, operations, error codes, settings, log lines and figures.
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretSettings, settings } from '../../src/base/settings.ts';
import { openProgram } from '../../src/command-line/program.ts';
import { auditableFields } from '../../src/contract/audit.ts';
import { subscribableKinds } from '../../src/contract/webhooks.ts';
import { httpStatus } from '../../src/http/reply.ts';
import {
  anchorsOf,
  type Document,
  readDocuments,
  readPrograms,
  readProjectFile,
} from '../harness/documents.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';

const documents = readDocuments();
const commandNames = () => openProgram().commands.map((command) => command.name());
const root = new URL('../../', import.meta.url);
const program = readPrograms('src/');

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

/** The results of `find` for every document, each prefixed with the document's name. */
const findings = (find: (document: Document) => string[]) =>
  documents.flatMap((document) => find(document).map((found) => `${document.path}: ${found}`));

test('finds the documents', () => {
  expect(documents.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'docs/webhooks.md',
    ]),
  );
});

test('every relative link leads to an existing file and heading', () => {
  const broken = findings((document) => {
    const links = [...document.prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to);
    return links.filter((to) => !/^[a-z]+:/.test(to) && !leads(document, to));
  });
  expect(broken).toEqual([]);
});

function leads(document: Document, to: string): boolean {
  const [file = '', anchor] = to.split('#');
  const path = file === '' ? document.path : posix.join(posix.dirname(document.path), file);
  if (!existsSync(new URL(path, root))) return false;
  const target = documents.find((other) => other.path === path);
  return anchor === undefined || (target !== undefined && anchorsOf(target).includes(anchor));
}

test('every npm script exists', () => {
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };
  const missing = findings(({ text }) => {
    const named = [...text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name);
    const short = [...text.matchAll(/\bnpm (start|test)\b/g)].map(([, name = '']) => name);
    return [...named, ...short].filter((name) => !(name in scripts));
  });
  expect(missing).toEqual([]);
});

test('every command of the command line exists', () => {
  const known = new Set(commandNames());
  const missing = findings(({ text }) =>
    [
      ...text.matchAll(
        /(?:npm run gateway -- |src\/cli\.ts |npx chatbot-gateway |(?<=`)gateway )([a-z][\w-]*)/gm,
      ),
    ]
      .map(([, name = '']) => name)
      .filter((name) => !known.has(name)),
  );
  expect(missing).toEqual([]);
});

test('the operations guide names every command', () => {
  const guide = documents.find(({ path }) => path === 'docs/operations.md')?.text ?? '';
  const undocumented = commandNames().filter((name) => !guide.includes(`\`${name}`));
  expect(undocumented).toEqual([]);
});

test('every operation exists in the OpenAPI document with its method', async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).body as unknown as {
    paths: Record<string, Record<string, unknown>>;
  };
  const unknown = findings(({ text }) =>
    [...text.matchAll(/(?:\b(GET|POST|PUT|PATCH|DELETE) )?(?:`|[\w/.:$"(){}-]*)?(\/v1\/[\w/:$-]*[\w])/g)]
      .filter(([, method, path = '']) => {
        const operations = Object.entries(paths).find(([known]) => isSamePath(path, known))?.[1];
        return !operations || (method !== undefined && !(method.toLowerCase() in operations));
      })
      .map(([, method, path]) => `${method ?? ''} ${path}`),
  );
  expect(unknown).toEqual([]);
});

/** A parameter is written `:id` in prose and `$ID` in commands. */
function isSamePath(written: string, known: string): boolean {
  const [here, there] = [written.split('/'), known.split('/')];
  return (
    here.length === there.length &&
    here.every((part, index) =>
      there[index]?.startsWith('{') ? /^[:$]\w+$/.test(part) : part === there[index],
    )
  );
}

test('every error code exists in the program with its status', () => {
  const wrong = findings(({ text }) =>
    [...text.matchAll(/\b([45]\d\d) ((?:`[a-z]+(?:_[a-z]+)+`(?:, )?)+)/g)].flatMap(([, status, list = '']) =>
      [...list.matchAll(/`(\w+)`/g)]
        .map(([, code = '']) => code)
        .filter((code) => httpStatus(code) !== Number(status) || !program.includes(`'${code}'`))
        .map((code) => `${status} ${code}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test('every setting in capitals exists in the program', () => {
  const others =
    /^(?:AWS_\w+|ICU_TIMEZONE_FILES_DIR|INVALID_FORMAT|PG_BIN|SLOTS_SCAN|SLOTS_SEED|TEST_DATABASE_URL|GATEWAY_KEY|TEMPLATE_ID|WEBHOOK_SECRET|ENDPOINT_ID|STAFF_ID|BUCKET_KEY|BUCKET_SECRET|NAME_FILE|CODE_OF_CONDUCT|EMBEDDED_POSTGRES)$/;
  const files = new Set(secretSettings.map((name) => `${name}_FILE`));
  const unknown = findings(({ text }) =>
    [...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)]
      .map(([name]) => name)
      .filter((name) => !(name in settings) && !files.has(name) && !others.test(name)),
  );
  expect(unknown).toEqual([]);
});

const watched = () => {
  const { text } = documents.find(({ path }) => path === 'docs/operations.md') as Document;
  return text.slice(text.indexOf('## Monitoring'), text.indexOf('## Limits'));
};

test('every log line to alert on exists in the program', () => {
  const names = [...watched().matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !program.includes(`'${name}'`) && !program.includes(`'${name}:`))).toEqual(
    [],
  );
});

test('the metrics page names every metric of the gateway, and no other', async () => {
  const shown = [...(await gateway.call('GET', '/metrics')).text.matchAll(/^# TYPE (gateway_\w+)/gm)];
  const page = documents.find(({ path }) => path === 'docs/metrics.md')?.text ?? '';
  // the first cell of a row names the figures that the row is about
  const named = [...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) => [
    ...cell.matchAll(/`(gateway_\w+)`/g),
  ]);
  expect(named.map(([, name]) => name).sort()).toEqual(shown.map(([, name]) => name).sort());
});

test('the guide of the audit log names every action', () => {
  const guide = readProjectFile('docs/audit.md');
  expect(Object.keys(auditableFields).filter((action) => !guide.includes(`\`${action}\``))).toEqual([]);
});

test('the guide of webhooks names every event in its table', () => {
  const rows = [...readProjectFile('docs/webhooks.md').matchAll(/^\| (`[a-z][^|]*) \|/gm)];
  const named = rows.map(([, cell]) => cell).join(' ');
  expect([...subscribableKinds, 'test'].filter((kind) => !named.includes(`\`${kind}\``))).toEqual([]);
});

test('a section that lists the filters of an operation names all of them', async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).body as unknown as {
    paths: Record<string, { get?: { parameters?: { name: string; in: string }[] } }>;
  };
  const unnamed = findings(({ path: file, text }) =>
    (file.startsWith('docs/') ? text.split(/^##+ /m) : []).flatMap((section) =>
      [...section.matchAll(/`GET (\/v1\/[\w/-]+)`(?:(?!`GET )[\s\S])*?\b[Ff]ilters\b/g)].flatMap(
        ([, path = '']) =>
          (paths[path]?.get?.parameters ?? [])
            .filter(
              (parameter) => parameter.in === 'query' && !/^(?:page|limit|cursor)$/.test(parameter.name),
            )
            .filter(({ name }) => !section.includes(`\`${name}\``) && !section.includes(`\`${name}=`))
            .map(({ name }) => `${path}?${name}`),
      ),
    ),
  );
  expect(unnamed).toEqual([]);
});

test('every source file exists', () => {
  const missing = findings(({ text }) =>
    [...text.matchAll(/`((?:src|test|migrations|sandbox|demo|client|scripts|docs|ops|\.ci)\/[\w./-]*)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !path.includes('NNNN') && !existsSync(new URL(path, root))),
  );
  expect(missing).toEqual([]);
});

test('comments and messages cite only documents of the repository', () => {
  const code = ['src/', 'sandbox/', 'demo/', 'scripts/', 'bench/'].map(readPrograms).join('\n');
  const cited = new Set(
    [...code.matchAll(/(?<![\w$./-])([\w./-]*[\w-]+\.md)\b/g)].map(([, path = '']) => path),
  );
  expect(cited).toContain('docs/slots.md');
  // written by the release script
  expect([...cited].filter((path) => path !== '.notes.md' && !existsSync(new URL(path, root)))).toEqual([]);
});
