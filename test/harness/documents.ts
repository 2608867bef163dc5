// The project's documents as the tests read them: their text, and what of it is code.
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

export interface Document {
  /** From the root, such as `docs/sending.md`. */
  path: string;
  text: string;
  /** The text without blocks of code and without `code`: what a reader reads. */
  prose: string;
}

/** Reads a file of the project. */
export function readProjectFile(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function readDocument(path: string): Document {
  const text = readProjectFile(path);
  const prose = text.replace(/^\s*```[\s\S]*?^\s*```$/gm, '').replace(/`[^`\n]*`/g, '');
  return { path, text, prose };
}

/** Every document: those at the root, and the guides. */
export function readDocuments(): Document[] {
  const atRoot = readdirSync(root).filter((name) => name.endsWith('.md'));
  const guides = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return [...atRoot, ...guides.map((name) => `docs/${name}`)].map(readDocument);
}

/** The anchors that a document's headings make, as code hosts make them. */
export function anchorsOf({ text }: Document): string[] {
  const headings = text.replace(/^\s*```[\s\S]*?^\s*```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The text of every program file below a folder. */
export function readPrograms(folder: string): string {
  const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readProjectFile(`${folder}${name}`))
    .join('\n');
}
