// Who is signed in: the account, the scopes, and what to do when the session ends.
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api } from '../api/client.ts';
import { sessionKey } from '../api/queries.ts';

export type Session = Awaited<ReturnType<typeof api.getCurrentCaller>>;

/** The query of the session. It fails with 401 if nobody is signed in. */
export const sessionQuery = {
  queryKey: [sessionKey],
  queryFn: () => api.getCurrentCaller(),
  staleTime: 60_000,
  retry: false,
};

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session; only below the shell, which renders for a session only. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}

/** Whether the session may do what needs the scope. */
export const useMay = (scope: string): boolean => useSession().scopes.includes(scope);

export const useSessionQuery = () => useQuery(sessionQuery);
