// The text of every part of a filled template, as its recipient sees it. Pure.
import { percentEncoded } from '../../base/url-value.ts';
import type {
  FilledButton,
  FilledHeader,
  FilledParts,
  FilledTemplate,
  FilledText,
} from '../../ports/platform.ts';
import { upper } from './kinds.ts';
import { type PartsPlan, substitute, type TemplatePlan, tokensOf } from './placeholders.ts';

export interface RenderedHeader {
  type: 'text' | 'image' | 'video' | 'document' | 'location' | 'product';
  text: string | null;
  /** The address of a file that the platform fetches. */
  url: string | null;
  fileName: string | null;
  location: { latitude: number; longitude: number; name: string; address: string } | null;
  product: { productId: string; catalogId: string } | null;
}

export interface RenderedButton {
  index: number;
  /** The platform's word. */
  type: string;
  text: string | null;
  /** Where the button leads, filled. */
  url: string | null;
  phone: string | null;
  /** The code that the button copies. */
  code: string | null;
  /** What a quick reply returns; without a payload of its own, the platform returns its text. */
  payload: string | null;
}

export interface RenderedParts {
  header: RenderedHeader | null;
  body: string;
  buttons: RenderedButton[];
}

export interface RenderedTemplate extends RenderedParts {
  footer: string | null;
  offer: { text: string; expiresAt: string | null } | null;
  cards: RenderedParts[];
}

/** What is shown instead of a one-time code. */
export const codeMask = '••••';

/** Renders a filled template. A placeholder without a value keeps its braces. */
export function renderTemplate(plan: TemplatePlan, filled: FilledTemplate): RenderedTemplate {
  const { offer, footer, cards } = plan;
  const until = filled.offerExpiresAt;
  return {
    ...renderParts(plan, filled),
    footer: footer?.text ?? null,
    offer: offer && {
      text: offer.text,
      expiresAt: until === undefined ? null : new Date(until).toISOString(),
    },
    cards: cards.map((card, index) => renderParts(card, filled.cards?.[index] ?? { body: [], buttons: [] })),
  };
}

function renderParts(parts: PartsPlan, filled: FilledParts): RenderedParts {
  return {
    header: renderHeader(parts, filled.header),
    body: withValues(parts.body?.text ?? '', filled.body),
    buttons: parts.buttons.map((button, index) => renderButton(index, button, filled)),
  };
}

/** A text with its values: by name, or in the order of its placeholders. */
function withValues(text: string, values: readonly FilledText[]): string {
  const tokens = tokensOf(text);
  return substitute(
    text,
    new Map(values.map((value, index) => [value.name ?? tokens[index] ?? '', value.text])),
  );
}

const noHeader = { text: null, url: null, fileName: null, location: null, product: null };

function renderHeader(parts: PartsPlan, filled: FilledHeader | undefined): RenderedHeader | null {
  if (!parts.header) return null;
  switch (filled?.kind) {
    case 'media': {
      const { media: type, link: url = null, fileName = null } = filled;
      return { ...noHeader, type, url, fileName };
    }
    case 'location': {
      const { kind: _kind, ...location } = filled;
      return { ...noHeader, type: 'location', location };
    }
    case 'product': {
      const { kind: _kind, ...product } = filled;
      return { ...noHeader, type: 'product', product };
    }
    default: {
      if (parts.headerMedia !== null) return { ...noHeader, type: parts.headerMedia };
      if (parts.hasProduct) return { ...noHeader, type: 'product' };
      const text = withValues(parts.header.text ?? '', filled?.values ?? []);
      return { ...noHeader, type: 'text', text };
    }
  }
}

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function renderButton(
  index: number,
  button: PartsPlan['buttons'][number],
  { buttons }: FilledParts,
): RenderedButton {
  const filled: FilledButton | undefined = buttons.find((one) => one.index === index);
  const value = filled && 'value' in filled ? filled.value : undefined;
  const url = button.url ?? null;
  const [token] = tokensOf(button.url);
  const isEncoded = value !== undefined && value !== `{{${token}}}` && value !== codeMask;
  return {
    index,
    type: upper(button.type),
    text: textOr(button.text),
    url:
      url !== null && token !== undefined && value !== undefined
        ? substitute(url, new Map([[token, isEncoded ? percentEncoded(value) : value]]))
        : url,
    phone: textOr(button.phone_number),
    code: filled?.subType === 'copy_code' || filled?.subType === 'otp' ? filled.value : null,
    payload: filled?.subType === 'quick_reply' ? filled.payload : null,
  };
}
