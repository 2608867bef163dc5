// Asks before a page is left whose changes are not saved.
import { useBlocker } from '@tanstack/react-router';
import { textsOf } from '../text/texts.ts';
import { Confirm } from './confirm.tsx';

interface Props {
  /** True while there is something to lose. */
  isChanged: boolean;
  /** What is lost, if it is not a change. */
  effect?: string;
}

export function KeepTyped({ isChanged, effect }: Props) {
  const text = textsOf('common');
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  return (
    <Confirm
      isOpen={status === 'blocked'}
      question={{
        title: text('leave'),
        effect: effect ?? text('leaveEffect'),
        verb: text('leaveNow'),
        isDestructive: true,
      }}
      run={async () => proceed?.()}
      onClose={() => reset?.()}
    />
  );
}
