// The time zone of the page: the viewer's choice, or the system's.
const storageKey = 'zone';

/** The zone of the system. */
export const systemZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function chosen(): string {
  const stored = localStorage.getItem(storageKey);
  return stored !== null && isZone(stored) ? stored : systemZone;
}

/** The zone in which the page shows and reads times. */
export const zone = chosen();

/** Stores a choice, or follows the system again, and loads the page again: every time on it changes. */
export function chooseZone(name: string | undefined): void {
  if (name === undefined) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, name);
  location.reload();
}

/** Every zone that the browser knows. */
export const zones = (): string[] => {
  const known = Intl.supportedValuesOf('timeZone');
  return known.includes(zone) ? known : [zone, ...known];
};
