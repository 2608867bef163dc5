// What is shown: signing in, or the pages. A session that ends keeps the page, with what was typed, below the sign-in.
import { useQueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { followEvents } from './api/live.ts';
import { isSignedOut } from './api/queries.ts';
import { ErrorNote } from './design/messages.tsx';
import { router } from './router.tsx';
import { type Session, SessionContext, useSessionQuery } from './session/session.tsx';
import { SlowNote } from './shell/slow-note.tsx';
import { SignIn } from './sign-in/sign-in.tsx';

export function App() {
  const queries = useQueryClient();
  const { data, error, refetch } = useSessionQuery();
  const last = useRef<Session>(undefined);
  if (data && !error) last.current = data;
  const isOut = isSignedOut(error);
  const session = last.current;
  const isSignedIn = session !== undefined && !isOut;

  /** Where the viewer was when the session ended. */
  const focused = useRef<Element>(null);
  useEffect(() => {
    // not by closing the dialog: what is inert until it is gone takes no focus
    if (!isOut && focused.current instanceof HTMLElement) focused.current.focus();
    if (!isOut) focused.current = null;
  }, [isOut]);

  useEffect(() => (isSignedIn ? followEvents(queries) : undefined), [isSignedIn, queries]);

  const signedIn = () => {
    void refetch().then(() => queries.invalidateQueries());
  };
  if (!session) {
    if (isOut) return <SignIn onSignedIn={signedIn} />;
    return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <SlowNote />;
  }
  return (
    <SessionContext value={session}>
      <div inert={isOut}>
        <RouterProvider router={router} />
      </div>
      {isOut && (
        <dialog
          ref={(element) => {
            focused.current ??= document.activeElement;
            element?.showModal();
          }}
          className="sign-in-again"
          // it ends by signing in only
          onCancel={(event) => event.preventDefault()}
        >
          <SignIn onSignedIn={signedIn} isAgain />
        </dialog>
      )}
    </SessionContext>
  );
}
