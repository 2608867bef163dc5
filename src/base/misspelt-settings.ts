// Variables whose names are almost those of settings.
import { secretSettings, settings } from './settings.ts';

export interface MisspeltSetting {
  name: string;
  /** What was probably meant. */
  setting: string;
}

const names = [...Object.keys(settings), ...secretSettings.map((name) => `${name}_FILE`)];

/** At most one wrong character in five, and three in all: DATABASE_USER of another program is not DATABASE_URL. */
const allowedEdits = (setting: string) => Math.min(3, Math.floor(setting.length / 5));

/**
 * The settings with one piece more than wrong characters are allowed: a misspelt name has at least one of them unchanged, near its
 * place. To look for these first is cheap; to count the edits of every name took 17 ms of the start with 35 variables.
 */
const known = names.map((setting) => {
  const edits = allowedEdits(setting);
  const length = Math.ceil(setting.length / (edits + 1));
  const pieces = Array.from({ length: edits + 1 }, (_, index) => {
    const at = index * length;
    return { piece: setting.slice(at, at + length), from: Math.max(0, at - edits), to: at + length + edits };
  });
  return { setting, edits, pieces };
});

/** The variables among `variables` that are no setting, but probably meant to be one. */
export function misspeltSettings(variables: Iterable<string>): MisspeltSetting[] {
  return [...variables].flatMap((name) => {
    if (names.includes(name)) return [];
    const given = name.toUpperCase();
    const found = known
      .filter(({ setting, edits }) => Math.abs(setting.length - given.length) <= edits)
      .filter(({ pieces }) => pieces.some(({ piece, from, to }) => given.slice(from, to).includes(piece)))
      .map(({ setting, edits }) => ({ setting, edits, wrong: editsBetween(given, setting) }))
      .filter(({ edits, wrong }) => wrong <= edits)
      .sort((one, other) => one.wrong - other.wrong)[0];
    return found ? [{ name, setting: found.setting }] : [];
  });
}

/** How many characters have to be inserted, deleted or replaced (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [at, character] of [...one].entries()) {
    const next = [at + 1];
    for (const [column, wanted] of [...other].entries())
      next.push(
        Math.min(
          (row[column] ?? 0) + (character === wanted ? 0 : 1),
          (row[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
