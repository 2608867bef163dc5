// A value that stopped changing: what follows typing waits until the person pauses.
import { useEffect, useState } from 'react';

/** The value as it was when it had not changed for `ms`. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
