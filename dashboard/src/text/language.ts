// The language of the page: the viewer's choice, or the best of the browser's.
import messages from 'virtual:messages';

export type Language = 'en' | 'es' | 'pt' | 'hi' | 'ar';

/** The languages and their own names, in the order of the choice. */
export const languages: Record<Language, string> = {
  en: 'English',
  es: 'Español',
  pt: 'Português',
  hi: 'हिन्दी',
  ar: 'العربية',
};

const storageKey = 'language';
const isLanguage = (text: string | null): text is Language => text !== null && text in languages;

function chosen(): Language {
  const stored = localStorage.getItem(storageKey);
  if (isLanguage(stored)) return stored;
  const wanted = navigator.languages.map((tag) => tag.split('-')[0] ?? '');
  return wanted.find((tag): tag is Language => isLanguage(tag)) ?? 'en';
}

export const language = chosen();
export const direction = language === 'ar' ? 'rtl' : 'ltr';

/** Stores the choice and loads the page again: texts, direction and formats all change. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(storageKey, next);
  location.reload();
}

export type Messages = Record<string, (values?: Record<string, unknown>) => string>;

const rooms = messages[language]?.();

/** Loads the texts of a room in the page's language. Those of every page are loaded with the language. */
export const loadRoom = async (room: string): Promise<Messages> => {
  const texts = (await rooms)?.default[room];
  if (!texts) throw new Error(`no texts of ${room} in ${language}`);
  return typeof texts === 'function' ? (await texts()).default : texts;
};
