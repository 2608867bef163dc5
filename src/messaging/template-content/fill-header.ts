// The header of a filled template or card: a file, an address of a file, a location or a product. Pure.
import type { Problem } from '../../base/errors.ts';
import type { FilledHeader, FilledText } from '../../ports/platform.ts';
import type { PartsPlan } from './placeholders.ts';

export interface Location {
  latitude: number;
  longitude: number;
  name: string;
  address: string;
}

/** A stored file; `id` is that of our row. */
export interface MediaFile {
  id?: string;
  kind: string;
  mimeType: string;
  fileName: string;
}

export interface Product {
  productId: string;
  catalogId: string;
}

/** What a header may need; `media` is the stored file with `mediaId`, if it exists. */
export interface HeaderFilling {
  mediaId?: string;
  media?: MediaFile;
  headerMediaUrl?: string;
  location?: Location;
  product?: Product;
}

type At = (member: string) => string;

/** Adds the problems of what a header was given, and of what it misses. */
export function headerProblems(
  plan: Pick<PartsPlan, 'headerMedia' | 'hasProduct'>,
  filling: HeaderFilling,
  at: At,
  problems: Problem[],
): void {
  const { headerMedia, hasProduct } = plan;
  const add = (member: string, message: string) => problems.push({ path: at(member), message });
  const takesFile = headerMedia !== null && headerMedia !== 'location';
  if (headerMedia !== 'location' && filling.location)
    add('location', 'is not allowed: this template has no location header');
  if (headerMedia === 'location' && !filling.location)
    add('location', 'is missing: the header of this template is a location');
  if (!hasProduct && filling.product) add('product', 'is not allowed: the header is not a product');
  if (hasProduct && !filling.product) add('product', 'is missing: the header is a product');
  if (!takesFile) {
    for (const member of ['mediaId', 'headerMediaUrl'] as const)
      if (filling[member] !== undefined) add(member, 'is not allowed: this template has no media header');
    return;
  }
  if (filling.headerMediaUrl !== undefined) {
    if (filling.mediaId !== undefined) add('headerMediaUrl', 'is not allowed together with mediaId');
    const problem = urlProblem(filling.headerMediaUrl);
    if (problem !== undefined) add('headerMediaUrl', problem);
    return;
  }
  const problem = mediaProblem(headerMedia, filling);
  if (problem !== undefined) add('mediaId', problem);
}

/** The platform fetches the address, the gateway never does. */
function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || /\s/.test(text)) return 'must be an https:// address';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return undefined;
}

const withArticle = (kind: string) => `${kind === 'image' ? 'an' : 'a'} ${kind}`;

function mediaProblem(needed: string, { mediaId, media }: HeaderFilling): string | undefined {
  if (mediaId === undefined)
    return `is missing: the header of this template is ${withArticle(needed)}; upload one first`;
  if (!media) return 'does not exist in this account; upload it first';
  if (media.kind !== needed) {
    return `is ${withArticle(media.kind)}, but the header of this template is ${withArticle(needed)}`;
  }
  // Cloud API: document headers of templates accept PDF only
  if (needed === 'document' && media.mimeType !== 'application/pdf') {
    return `must be a PDF for the document header of a template; this file is ${media.mimeType}`;
  }
  return undefined;
}

const fileNameMax = 240;

/** The file name at the end of an address; people see a document without a name as untitled. */
function fileNameIn(link: string): string | undefined {
  const last = URL.parse(link)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).slice(0, fileNameMax).toWellFormed() || undefined;
  } catch {
    return last.slice(0, fileNameMax) || undefined;
  }
}

/** The header of a template or card; undefined if it needs nothing. */
export function filledHeader(
  plan: Pick<PartsPlan, 'headerMedia' | 'hasProduct'>,
  texts: FilledText[],
  filling: HeaderFilling,
): FilledHeader | undefined {
  const { headerMedia, hasProduct } = plan;
  if (texts.length > 0) return { kind: 'text', values: texts };
  if (hasProduct) return filling.product && { kind: 'product', ...filling.product };
  if (headerMedia === 'location') return filling.location && { kind: 'location', ...filling.location };
  if (headerMedia === null) return undefined;
  const { headerMediaUrl: link, media } = filling;
  if (link !== undefined) {
    const fileName = headerMedia === 'document' ? fileNameIn(link) : undefined;
    return { kind: 'media', media: headerMedia, link, ...(fileName ? { fileName } : {}) };
  }
  return { kind: 'media', media: headerMedia, ...(media ? { fileName: media.fileName } : {}) };
}
