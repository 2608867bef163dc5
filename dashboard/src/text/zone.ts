// The time zone of the page: the viewer's choice, or the system's.
const storageKey = 'zone';

function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Today's names of zones that Chromium knows by older ones (IANA, file `backward`). */
const renamed: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
};
const nameOf = (name: string): string => renamed[name] ?? name;

/** The zone of the system. */
export const systemZone = nameOf(Intl.DateTimeFormat().resolvedOptions().timeZone);

const stored = localStorage.getItem(storageKey);
const chosen = stored !== null && isZone(stored) ? stored : undefined;

/** The zone in which the page shows and reads times. */
export const zone = chosen ?? systemZone;
export const isZoneChosen = chosen !== undefined;

/** Stores a choice, or follows the system again, and loads the page again: every time on it changes. */
export function chooseZone(name: string | undefined): void {
  if (name === undefined) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, name);
  location.reload();
}

/** Every zone that the browser knows, and UTC. */
export function zones(): string[] {
  const known = Intl.supportedValuesOf('timeZone').map(nameOf);
  return [...new Set([...known, zone, 'UTC'])].sort();
}
