// Reads single settings of an environment: their types, defaults and limits. Pure.

import { readDays, wholeNumberIn } from './retention-days.ts';

export type Environment = Record<string, string | undefined>;

/** Reads single settings and collects their problems. */
export function settingsReader(env: Environment) {
  const problems: string[] = [];
  const raw = (name: string) => {
    const value = env[name]?.trim();
    return value === '' ? undefined : value;
  };
  return {
    problems,
    text: (name: string): string | null => raw(name) ?? null,
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = raw(name);
      if (value === undefined) return fallback;
      const number = wholeNumberIn(value);
      if (number >= min && number <= max) return number;
      problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
      return fallback;
    },
    oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
      const value = raw(name);
      if (value === undefined) return fallback;
      if ((values as readonly string[]).includes(value)) return value as T;
      problems.push(`${name} must be one of ${values.join(', ')}, not "${value}".`);
      return fallback;
    },
    matching(name: string, pattern: RegExp, allowed: string): string | null {
      const value = raw(name);
      if (value === undefined || pattern.test(value)) return value ?? null;
      problems.push(`${name} must consist of ${allowed}, not "${value}".`);
      return null;
    },
    url<T extends string | null>(name: string, fallback: T, protocols: string[]): string | T {
      const value = raw(name);
      if (value === undefined) return fallback;
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (url && protocols.includes(url.protocol)) return value.replace(/\/+$/, '');
      problems.push(`${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
      return fallback;
    },
    days: (name: string) => readDays(name, env[name]?.trim(), problems),
    list: (name: string): string[] =>
      (raw(name) ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
  };
}

export type SettingsReader = ReturnType<typeof settingsReader>;
