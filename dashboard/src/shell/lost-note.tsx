// On a phone, where the menu is not in view: that the page is not live, and when it tries again.
import { useLive } from '../api/live.ts';
import { LiveNote } from './live-note.tsx';

export function LostNote() {
  const { isLive, hasBeenLive } = useLive();
  if (isLive || !hasBeenLive) return null;
  return (
    <div className="narrow-only lost-note">
      <LiveNote />
    </div>
  );
}
