// The parts of replies that need more than their schema: files, contact cards, buttons and lists. Pure.
import type { Problem } from '../../base/errors.ts';
import type { ReplyBody } from '../../contract/replies.ts';
import type { mediaKinds } from '../../contract/reply-contents.ts';
import type { ReplyContent } from '../../ports/platform.ts';
import type { ReplyCard } from '../../ports/platform-message.ts';

type MediaKind = (typeof mediaKinds)[number];

/** A stored file. */
export interface StoredFile {
  kind: string;
  fileName: string;
}

/** The kind of file by the extension of its name (Cloud API, "Media": supported types). */
const kindByExtension: Record<string, MediaKind> = {
  ...{ jpg: 'image', jpeg: 'image', png: 'image', webp: 'sticker', mp4: 'video', '3gp': 'video' },
  ...{ aac: 'audio', amr: 'audio', mp3: 'audio', m4a: 'audio', ogg: 'audio', opus: 'audio' },
  ...{ pdf: 'document', doc: 'document', docx: 'document', xls: 'document', xlsx: 'document' },
  ...{ ppt: 'document', pptx: 'document', txt: 'document' },
};

const extensionOf = (url: string): string =>
  /\.([a-z0-9]+)$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? '';

const captioned: readonly string[] = ['image', 'video', 'document'];

/** The file of a reply, with its problems. */
export function mediaOf(
  media: NonNullable<ReplyBody['media']>,
  file: StoredFile | undefined,
  problems: Problem[],
): ReplyContent | undefined {
  const { mediaId, url, caption, fileName } = media;
  const add = (path: string, message: string) => problems.push({ path: `media${path}`, message });
  if ((mediaId === undefined) === (url === undefined)) add('', 'must have exactly one of mediaId and url');
  if (mediaId !== undefined && !file) add('.mediaId', 'does not exist in this account; upload it first');
  const problem = url === undefined ? undefined : urlProblem(url);
  if (problem !== undefined) add('.url', problem);
  const kind = mediaId === undefined ? (media.kind ?? kindByExtension[extensionOf(url ?? '')]) : file?.kind;
  if (url !== undefined && kind === undefined)
    add('.kind', 'is required: the address does not end with a known file name extension');
  if (file && media.kind !== undefined && media.kind !== file.kind)
    add('.kind', `does not fit the file, which is of the kind ${file.kind}`);
  if (caption !== undefined && kind !== undefined && !captioned.includes(kind))
    add('.caption', `is not allowed with the kind ${kind}`);
  if (fileName !== undefined && kind !== undefined && kind !== 'document')
    add('.fileName', `is not allowed with the kind ${kind}`);
  if (problems.length > 0 || kind === undefined) return undefined;
  const name = fileName ?? file?.fileName;
  return {
    ...{ kind: 'media', media: kind as MediaKind },
    ...(mediaId === undefined ? {} : { mediaId }),
    ...(url === undefined ? {} : { link: url }),
    ...(caption === undefined ? {} : { caption }),
    ...(kind === 'document' && name !== undefined ? { fileName: name } : {}),
  };
}

/** The platform fetches the address, the gateway never does. */
function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || /\s/.test(text)) return 'must be an https:// address without spaces';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return undefined;
}

/** The contact cards. The platform requires one more part of the name than the whole: the first name, if none is given. */
export function cardsOf(cards: NonNullable<ReplyBody['contacts']>): ReplyCard[] {
  return cards.map(({ name, firstName = name, phones = [], emails = [], urls = [], ...more }) => ({
    ...{ name, firstName, phones, emails, urls },
    ...more,
  }));
}

export type Choices = readonly { id: string; title: string }[];

/** The problems of choices that have the same id or title as an earlier one. */
export function uniqueChoices(
  path: string,
  choices: Choices,
  members: readonly ('id' | 'title')[],
): Problem[] {
  return members.flatMap((member) =>
    choices.flatMap((choice, index) => {
      const first = choices.findIndex((other) => other[member] === choice[member]);
      return first === index
        ? []
        : { path: `${path}[${index}].${member}`, message: `is the same as ${path}[${first}].${member}` };
    }),
  );
}

const rowsMax = 10;

/** The sections of a list, with its problems. */
export function listOf({ rows, sections }: NonNullable<ReplyBody['list']>, problems: Problem[]) {
  const add = (path: string, message: string) => problems.push({ path, message });
  if ((rows === undefined) === (sections === undefined))
    add('list', 'must have exactly one of rows and sections');
  const all = sections ?? [{ rows: rows ?? [] }];
  for (const [index, { title }] of all.entries())
    if (all.length > 1 && title === undefined)
      add(`list.sections[${index}].title`, 'is required if there are several sections');
  const flat = all.flatMap((section) => section.rows);
  if (flat.length > rowsMax) add('list.sections', `must have at most ${rowsMax} rows in all`);
  const seen = new Set<string>();
  for (const [section, { rows: own }] of all.entries())
    for (const [row, { id }] of own.entries()) {
      if (seen.has(id))
        add(
          sections ? `list.sections[${section}].rows[${row}].id` : `list.rows[${row}].id`,
          'is the same as that of an earlier row',
        );
      seen.add(id);
    }
  return all;
}
