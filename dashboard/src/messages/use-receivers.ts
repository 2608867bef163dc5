// Who the receivers of webhooks are: their addresses, and a short name of each for a narrow place.
import { useQuery } from '@tanstack/react-query';
import { endpointsQuery } from '../api/endpoints.ts';
import { useMay } from '../session/session.tsx';
import { shortUrl } from '../webhooks/endpoint-state.ts';

/** Names of an address, the best first: the first part of its host, the last part of its path. Addresses in numbers say nothing. */
function namesOf(url: string): string[] {
  const { hostname, pathname } = new URL(url);
  const host = /^[\d.]+$|:/.test(hostname) ? undefined : hostname.split('.')[0];
  return [host, pathname.split('/').findLast((part) => part !== '')].filter((name) => name !== undefined);
}

interface Receivers {
  /** Without the scheme; undefined: the session may not see it, or the endpoint was deleted. */
  addressOf: (endpointId: string) => string | undefined;
  nameOf: (endpointId: string) => string | undefined;
}

export function useReceivers(): Receivers {
  const { data } = useQuery({
    ...endpointsQuery,
    enabled: useMay('webhooks:manage'),
  });
  const urls = new Map(data?.items.map(({ _id, url }) => [_id, url]));
  const all = [...urls.values()].flatMap(namesOf);
  return {
    addressOf: (id) => {
      const url = urls.get(id);
      return url && shortUrl(url);
    },
    nameOf: (id) => {
      const url = urls.get(id);
      // a name of two receivers tells them not apart
      return url && namesOf(url).find((name) => all.filter((one) => one === name).length === 1);
    },
  };
}
