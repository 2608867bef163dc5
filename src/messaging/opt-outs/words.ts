// Stop and start words, and payloads of buttons: what a message says about opt-outs. Pure.
import type { ReceivedMessage } from '../../ports/platform-received.ts';
import { scope, source } from './opt-out.ts';

/** The settings of an account, as they were given. */
export interface OptOutSettings {
  stopWords: string[];
  startWords: string[];
  buttonPayloads: string[];
  /** Automatic answers; null: none. */
  reply: { stop: string | null; start: string | null };
}

/** Settings for comparison: words folded, payloads exact. */
export interface OptOutWords {
  stop: ReadonlySet<string>;
  start: ReadonlySet<string>;
  payloads: ReadonlySet<string>;
}

/** Spaces and invisible characters at both ends, such as the direction marks of some keyboards. */
const ends = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;

/**
 * Returns a word for comparison without regard to case: `ß` equals `SS`, `İ`, `I` and `ı` equal `i`, full-width letters equal others, whatever
 * the language (Unicode, "Default Caseless Matching"). `toUpperCase` first, because JavaScript has no case folding.
 */
export function foldWord(text: string): string {
  const bare = text.normalize('NFKC').replace(ends, '').replace(/\s+/g, ' ');
  return bare.toUpperCase().toLowerCase().replaceAll('i\u0307', 'i').replaceAll('ς', 'σ').normalize('NFC');
}

/** The settings for comparison. */
export const wordsOf = ({
  stopWords,
  startWords,
  buttonPayloads,
}: Omit<OptOutSettings, 'reply'>): OptOutWords => ({
  stop: new Set(stopWords.map(foldWord)),
  start: new Set(startWords.map(foldWord)),
  payloads: new Set(buttonPayloads),
});

/** Longer texts are no words: they are not folded. */
const wordMaxLength = 200;

/** True if the message may say something about opt-outs, so that the settings are needed. */
export const maySay = ({ type, content, isFromPerson }: ReceivedMessage): boolean =>
  isFromPerson &&
  ((type === 'text' && (content.text ?? '').length <= wordMaxLength) || payloadOf({ content }) !== undefined);

function payloadOf({ content }: Pick<ReceivedMessage, 'content'>): string | undefined {
  return content.button?.payload ?? content.interactive?.id;
}

/** What a message says: stop marketing messages, or send them again; undefined: neither. A button counts by its payload alone. */
export function saidIn(message: ReceivedMessage, words: OptOutWords) {
  if (!maySay(message)) return undefined;
  const payload = payloadOf(message);
  if (payload !== undefined)
    return words.payloads.has(payload)
      ? { scope: scope.marketing, source: source.button, reason: payload }
      : undefined;
  const word = foldWord(message.content.text ?? '');
  const said = (to: 0 | 1) => ({ scope: to, source: source.keyword, reason: word });
  if (words.stop.has(word)) return said(scope.marketing);
  return words.start.has(word) ? said(scope.none) : undefined;
}
