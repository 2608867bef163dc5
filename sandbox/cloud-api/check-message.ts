// Checks of a template message's components, as the platform makes them: counts, formats, lengths (pure).
import { checkMediaHeader, checkText, type MediaSource, type Parameter } from './check-parts.ts';
import { checkSentButtons, type SentButton } from './check-sent-buttons.ts';
import { rejection, wrongNumber } from './errors.ts';
import type { Template } from './model.ts';
import { type PartParameters, parametersOf, type TemplateParameters } from './template-parameters.ts';

export interface SentComponent extends SentButton {
  type?: string;
  cards?: unknown;
}

interface SentCard {
  card_index?: unknown;
  components?: unknown;
}

/** The components of a message or card, by kind. */
interface Sorted {
  header: Parameter[];
  body: Parameter[];
  buttons: Map<number, SentButton>;
  /** Kinds that only a message has. */
  others: Map<string, SentComponent>;
}

/**
 * Rejects components that do not fit the template, with the platform's code and wording.
 * `mediaById` finds unexpired uploads of the sending number; `lostMediaCode` is the code for all others.
 */
export function checkComponents(
  template: Template,
  components: unknown,
  { mediaById, lostMediaCode, nowMs }: MediaSource & { nowMs: number },
): void {
  const expected = parametersOf(template);
  const sent = sorted(components, ['limited_time_offer', 'carousel']);
  checkParts(expected, expected.named, sent, { mediaById, lostMediaCode }, 1024);
  checkOffer(expected, sent.others.get('limited_time_offer'), nowMs);
  checkCards(expected, sent.others.get('carousel'), { mediaById, lostMediaCode });
}

function sorted(components: unknown, allowed: readonly string[]): Sorted {
  if (components !== undefined && !Array.isArray(components))
    throw rejection(131009, 'template.components must be an array');
  const result: Sorted = { header: [], body: [], buttons: new Map(), others: new Map() };
  for (const part of (components ?? []) as SentComponent[]) {
    const type = String(part?.type ?? '').toLowerCase();
    if (part?.parameters !== undefined && !Array.isArray(part.parameters))
      throw rejection(131009, `${type}: parameters must be an array`);
    if (type === 'header') result.header = part.parameters ?? [];
    else if (type === 'body') result.body = part.parameters ?? [];
    else if (type === 'button') {
      if (result.buttons.has(Number(part.index)))
        throw rejection(131009, `buttons: index ${part.index} is given twice`);
      result.buttons.set(Number(part.index), part);
    } else if (allowed.includes(type)) result.others.set(type, part);
    else throw rejection(131009, `Unexpected component type '${type}'`);
  }
  return result;
}

function checkParts(
  expected: PartParameters,
  named: boolean,
  sent: Sorted,
  source: MediaSource,
  bodyMaxLength: number,
): void {
  if (expected.headerFormat === 'TEXT' || expected.headerFormat === 'NONE')
    checkText('header', expected.header, sent.header, named, 60);
  else checkMediaHeader(expected.headerFormat, sent.header, source);
  checkText('body', expected.body, sent.body, named, bodyMaxLength);
  checkSentButtons(expected.buttons, sent.buttons, named);
}

function checkOffer({ offer }: TemplateParameters, sent: SentComponent | undefined, nowMs: number): void {
  const parameter = sent?.parameters?.[0];
  if (!offer?.hasExpiration) {
    if (sent) throw rejection(132018, 'limited_time_offer: the template takes no such parameter');
    return;
  }
  if (!parameter) throw rejection(131008, 'limited_time_offer: expiration_time_ms is required');
  const until = (parameter.limited_time_offer as { expiration_time_ms?: unknown } | undefined)
    ?.expiration_time_ms;
  if (parameter.type !== 'limited_time_offer')
    throw rejection(132012, 'limited_time_offer: takes a parameter of type limited_time_offer');
  if (until === undefined) throw rejection(131008, 'limited_time_offer: expiration_time_ms is required');
  if (!Number.isSafeInteger(until) || Number(until) <= nowMs)
    throw rejection(131009, 'limited_time_offer: expiration_time_ms must be in the future');
}

function checkCards(
  { cards, named }: TemplateParameters,
  sent: SentComponent | undefined,
  source: MediaSource,
): void {
  if (cards.length === 0) {
    if (sent) throw rejection(132018, 'carousel: the template has no cards');
    return;
  }
  if (!Array.isArray(sent?.cards)) throw rejection(131008, 'carousel: cards are required');
  const given = new Map<number, SentCard>();
  for (const card of sent.cards as SentCard[]) {
    const index = Number(card?.card_index);
    if (!cards[index] || given.has(index))
      throw rejection(131009, `carousel: card_index ${card?.card_index} is not valid`);
    given.set(index, card);
  }
  if (given.size !== cards.length)
    throw wrongNumber('carousel', 'cards', { given: given.size, expected: cards.length });
  cards.forEach((card, index) => {
    checkParts(card, named, sorted(given.get(index)?.components, []), source, 160);
  });
}
