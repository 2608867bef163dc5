// The words by which contacts are found: of their names, and of their numbers in both directions. Pure.
import { isUserId } from '../contacts/identity.ts';

/** The prefixes of words: of a name, a number, and a number with its digits in reverse order. */
const kinds = { name: 'n:', phone: 'p:', reversed: 'r:' } as const;

const nameWordsMax = 10;
const wordCharactersMax = 64;
/** Shorter numbers are searched in names alone: every number has such digits. */
const digitsMin = 3;

const reversed = (digits: string): string => [...digits].reverse().join('');

/** Lower case without the accents of Latin, Greek and Cyrillic letters. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();

const nameWordsOf = (text: string): string[] =>
  folded(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => [...word].slice(0, wordCharactersMax).join(''));

/** The words of a contact, each once, sorted. */
export function wordsOf({
  name,
  identities,
}: {
  name: string | null;
  identities: readonly string[];
}): string[] {
  const phones = identities.filter((identity) => !isUserId(identity));
  const words = [
    ...nameWordsOf(name ?? '')
      .slice(0, nameWordsMax)
      .map((word) => `${kinds.name}${word}`),
    ...phones.flatMap((phone) => [`${kinds.phone}${phone}`, `${kinds.reversed}${reversed(phone)}`]),
  ];
  return [...new Set(words)].sort();
}

/** What a search looks for. */
export interface Search {
  /** A contact has a word that begins with one of these. */
  prefixes: string[];
  /** And one that begins with each of these. */
  others: string[];
}

/**
 * Reads a search: the beginnings of words of a name, in any order; or a number, from its beginning or to its end, as people write it.
 * `prefixes` is empty if nothing can match.
 */
export function searchOf(text: string): Search {
  const digits = text.replace(/[\s()+./-]/g, '');
  if (/^\d+$/.test(digits)) {
    // as it is dialled within the country, or abroad
    const phone = digits.replace(/^0+/, '');
    const numbers =
      phone.length < digitsMin ? [] : [`${kinds.phone}${phone}`, `${kinds.reversed}${reversed(phone)}`];
    return { prefixes: [`${kinds.name}${digits}`, ...numbers], others: [] };
  }
  const [longest, ...others] = nameWordsOf(text)
    .map((word) => `${kinds.name}${word}`)
    .sort((a, b) => b.length - a.length);
  return { prefixes: longest === undefined ? [] : [longest], others };
}
