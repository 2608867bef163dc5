// The settings of opt-outs: checked and normalized. Pure.
import { invalidRequest, type Problem } from '../../base/errors.ts';
import { foldWord, type OptOutSettings } from './words.ts';

/** Returns the settings with words trimmed, each once. Throws 400 for words that are empty, or in both lists. */
export function checkedSettings<S extends Pick<OptOutSettings, 'stopWords' | 'startWords'>>(settings: S): S {
  const problems: Problem[] = [];
  const stop = new Set(settings.stopWords.map(foldWord));
  const words = (list: 'stopWords' | 'startWords') => {
    const known = new Set<string>();
    return settings[list].flatMap((word, index) => {
      const folded = foldWord(word);
      const path = `${list}[${index}]`;
      if (folded === '') problems.push({ path, message: 'must contain a visible character' });
      if (list === 'startWords' && stop.has(folded)) problems.push({ path, message: 'is also a stop word' });
      if (known.has(folded)) return [];
      known.add(folded);
      return [word.trim()];
    });
  };
  const checked = { ...settings, stopWords: words('stopWords'), startWords: words('startWords') };
  if (problems.length > 0) throw invalidRequest(problems);
  return checked;
}
