// The project's documents for tests: their text and code blocks.
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

export interface Document {
  /** Path from the root, such as `docs/sending.md`. */
  path: string;
  text: string;
  /** The prose: the text without code blocks and inline code. */
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

/** All documents: those at the root, the guides, and the client's. */
export function readDocuments(): Document[] {
  const atRoot = readdirSync(root).filter((name) => name.endsWith('.md'));
  const guides = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return [...atRoot, ...guides.map((name) => `docs/${name}`), 'client/README.md', 'bench/peers.md'].map(
    readDocument,
  );
}

/** A fenced block of a document. */
export interface Block {
  path: string;
  line: number;
  /** The language after the fence, such as `sh` or `json`; may be empty. */
  language: string;
  code: string;
}

/** All fenced blocks of the documents, in order. */
export function readBlocks(): Block[] {
  return readDocuments().flatMap(({ path, text }) =>
    [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map(
      ({ 1: indent = '', 2: language = '', 3: code = '', index }) => ({
        path,
        line: text.slice(0, index).split('\n').length,
        language,
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  );
}

/** The anchors of a document's headings, as code hosts generate them. */
export function anchorsOf({ text }: Document): string[] {
  const headings = text.replace(/^\s*```[\s\S]*?^\s*```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The text of all source files below a folder. */
export function readPrograms(folder: string): string {
  const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readProjectFile(`${folder}${name}`))
    .join('\n');
}
