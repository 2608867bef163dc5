// The methods of each path, so that a wrong method gets 405 with Allow instead of 404.

export interface KnownPaths {
  add(method: string | string[], url: string): void;
  /** The methods of the path, sorted; empty if no route has it. */
  methodsOf(url: string): string[];
}

/** Collects routes; `methodsOf` matches real paths: a route without parameters, or else those whose `:id` matches one segment. */
export function knownPaths(): KnownPaths {
  const routes: { method: string; url: string; pattern: RegExp }[] = [];
  return {
    add(method, url) {
      const source = url
        .split('/')
        .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
        .join('/');
      const pattern = new RegExp(`^${source}$`);
      for (const one of Array.isArray(method) ? method : [method]) routes.push({ method: one, url, pattern });
    },
    methodsOf(url) {
      const path = url.split('?')[0] ?? '';
      const fixed = routes.filter((route) => route.url === path);
      const found = fixed.length > 0 ? fixed : routes.filter(({ pattern }) => pattern.test(path));
      return [...new Set(found.map(({ method }) => method))].sort();
    },
  };
}
