// Variables whose names are almost those of settings.
import { secretSettings, settings } from './settings.ts';

export interface MisspeltSetting {
  name: string;
  /** What was probably meant. */
  setting: string;
}

const known = [...Object.keys(settings), ...secretSettings.map((name) => `${name}_FILE`)];

/** At most one wrong character in five, and three in all: DATABASE_USER of another program is not DATABASE_URL. */
const allowedEdits = (setting: string) => Math.min(3, Math.floor(setting.length / 5));

/** The variables among `names` that are no setting, but probably meant to be one. */
export function misspeltSettings(names: Iterable<string>): MisspeltSetting[] {
  return [...names].flatMap((name) => {
    if (known.includes(name)) return [];
    const found = known
      .map((setting) => ({ setting, edits: editsBetween(name.toUpperCase(), setting) }))
      .filter(({ setting, edits }) => edits <= allowedEdits(setting))
      .sort((a, b) => a.edits - b.edits)[0];
    return found ? [{ name, setting: found.setting }] : [];
  });
}

/** How many characters have to be inserted, deleted or replaced (Levenshtein); more than three is not counted exactly. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 3) return Number.POSITIVE_INFINITY;
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
